#include "results/event_log.h"

#include <gmock/gmock.h>

#include "temp_folder.h"

namespace zl::results {
namespace {

using testing::HasSubstr;

class EventLogTest : public testing::Test {
 protected:
  std::vector<std::string> texts(LogFacts* facts = nullptr) {
    std::vector<std::string> read;
    auto const result = read_events(path_, [&](Event const& event) {
      if (auto const* note = std::get_if<Noted>(&event)) read.push_back(note->text);
    });
    EXPECT_TRUE(result);
    if (facts != nullptr) *facts = *result;
    return read;
  }
  void write_raw(std::string const& text) { ASSERT_TRUE(write_file_atomic(path_, text)); }

  TempFolder folder_;
  fs::path path_ = folder_ / "events.jsonl";
  BatchBegun begun_{"b", "zlbench", "h", "t", "", 1};
};

TEST_F(EventLogTest, EachEventIsOnDiskAtOnce) {
  Result<EventLog> log = EventLog::open(path_);
  ASSERT_TRUE(log->append(begun_));
  ASSERT_TRUE(log->append(Noted{"", "info", "", "one"}));
  EXPECT_THAT(texts(), testing::ElementsAre("one"));
}

TEST_F(EventLogTest, AHalfLineIsCutOffBeforeAppending) {
  write_raw(to_json_line(begun_) + "\n" + to_json_line(Noted{"", "info", "", "kept"}) +
            "\n{\"event\":\"no");
  LogFacts facts;
  EXPECT_THAT(texts(&facts), testing::ElementsAre("kept"));
  EXPECT_TRUE(facts.has_half_line);
  {
    Result<EventLog> log = EventLog::open(path_);
    ASSERT_TRUE(log) << log.error().text;
    ASSERT_TRUE(log->append(Noted{"", "info", "", "next"}));
  }
  EXPECT_THAT(texts(&facts), testing::ElementsAre("kept", "next"));
  EXPECT_EQ(facts.skipped_lines, 0u);
}

TEST_F(EventLogTest, UnknownKindsAreSkippedAndCounted) {
  write_raw(to_json_line(begun_) + "\n{\"event\":\"of the future\"}\nnonsense\n" +
            to_json_line(Noted{"", "info", "", "read"}) + "\n");
  LogFacts facts;
  EXPECT_THAT(texts(&facts), testing::ElementsAre("read"));
  EXPECT_EQ(facts.skipped_lines, 2u);
}

TEST_F(EventLogTest, ANewerLogIsNeverWrittenOver) {
  write_raw("{\"event\":\"batch_begun\",\"format\":2}\n");
  Result<EventLog> const log = EventLog::open(path_);
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().text, HasSubstr("format 2"));
  EXPECT_EQ(*read_file(path_), "{\"event\":\"batch_begun\",\"format\":2}\n");
}

TEST_F(EventLogTest, TwoWritersExcludeEachOther) {
  Result<EventLog> const first = EventLog::open(path_);
  ASSERT_TRUE(first);
  Result<EventLog> const second = EventLog::open(path_);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().text, HasSubstr("in use by another zlbench"));
}

}  // namespace
}  // namespace zl::results
