#include "base/guarded.h"

#include <csignal>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace zl {
namespace {

std::string answer(void const* argument) {
  return "got " + *static_cast<std::string const*>(argument);
}
std::string big(void const*) {
  return std::string(3u << 20, 'x');
}
std::string hang(void const*) {
  while (true) ::pause();
}
std::string crash(void const*) {
  ::raise(SIGKILL);
  return "";
}

Result<std::string> ended(GuardedCall& call) {
  while (true) {
    pollfd entry{call.fd(), POLLIN, 0};
    ::poll(&entry, 1, 20000);
    if (auto text = call.take()) return *text;
  }
}

TEST(GuardedCall, ReturnsTheText) {
  std::string const argument = "it";
  auto call = GuardedCall::start(answer, &argument);
  ASSERT_TRUE(call);
  EXPECT_EQ(*ended(*call), "got it");
}

TEST(GuardedCall, ReturnsMoreThanAPipeHolds) {
  auto call = GuardedCall::start(big, nullptr);
  EXPECT_EQ(ended(*call)->size(), 3u << 20);
}

TEST(GuardedCall, SaysHowTheChildCrashed) {
  auto call = GuardedCall::start(crash, nullptr);
  Result<std::string> const crashed = ended(*call);
  ASSERT_FALSE(crashed);
  EXPECT_EQ(crashed.error().text, "ended with signal 9 (Killed)");
}

TEST(GuardedCall, AHangIsNotWaitedForAndNothingIsLeftOfIt) {
  {
    auto const first = GuardedCall::start(hang, nullptr);
    auto second = GuardedCall::start(hang, nullptr);
    EXPECT_FALSE(second->take().has_value());
    std::string const argument = "beside them";
    auto third = GuardedCall::start(answer, &argument);
    EXPECT_EQ(*ended(*third), "got beside them");
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
}

}  // namespace
}  // namespace zl
