#include "report/progress.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "base/fd.h"

namespace zl::report {
namespace {

using testing::HasSubstr;
using testing::Not;

class ProgressTest : public testing::Test {
 protected:
  ProgressTest() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    read_ = Fd(ends[0]);
    write_ = Fd(ends[1]);
  }
  std::string shown() {
    char buffer[4096];
    ssize_t const count = ::read(read_.get(), buffer, sizeof(buffer));
    return {buffer, count > 0 ? static_cast<std::size_t>(count) : 0};
  }
  static results::RunEnded ended(results::Status status) {
    results::OpResult result;
    result.op = "abs";
    result.status = status;
    result.shapes = 3;
    result.reason = status == results::Status::passed ? "" : "because";
    return {result};
  }
  Fd read_;
  Fd write_;
};

TEST_F(ProgressTest, WithoutATerminalThereAreLinesAndNoControlCodes) {
  Terminal terminal(write_.get(), {{"TERM", "xterm"}});
  Progress progress(terminal, Progress::Detail::lines, 7, 2);
  progress.on_activity({{"0", "abs", "import", 1.0}});
  progress.on_event(ended(results::Status::passed));
  std::string const text = shown();
  EXPECT_THAT(text, HasSubstr("[3/7] passed"));
  EXPECT_THAT(text, HasSubstr("3 shapes"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
}

TEST_F(ProgressTest, QuietKeepsFailuresAndWarningsOnly) {
  Terminal terminal(write_.get(), {});
  Progress progress(terminal, Progress::Detail::quiet, 2, 0);
  progress.on_event(ended(results::Status::passed));
  progress.on_event(results::Noted{"abs", "info", "PLAN", "a plan note"});
  EXPECT_EQ(shown(), "");
  progress.on_event(ended(results::Status::failed));
  progress.on_event(results::Noted{"abs", "warning", "X", "a warning"});
  std::string const text = shown();
  EXPECT_THAT(text, HasSubstr("failed"));
  EXPECT_THAT(text, HasSubstr("because"));
  EXPECT_THAT(text, HasSubstr("abs: warning: a warning"));
}

}  // namespace
}  // namespace zl::report
