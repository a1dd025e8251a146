#include "run/conversation.h"

#include <gmock/gmock.h>

namespace zl::run {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr char kHello[] =
    "{\"type\":\"hello\",\"protocol\":1,\"role\":\"native\",\"identity\":{\"a\":1}}\n";
constexpr char kBegin[] =
    "{\"type\":\"case_begin\",\"case\":\"c\",\"dtype\":\"float32\",\"shape_text\":\"[4]\"}\n";
constexpr char kValue[] =
    "{\"type\":\"measurement\",\"case\":\"c\",\"side\":\"baseline\",\"caliber\":\"x\",\"value_ns\":"
    "5}\n";
constexpr char kEnd[] = "{\"type\":\"case_end\",\"case\":\"c\",\"status\":\"ok\"}\n";

TEST(Conversation, AGoodChildIsHeardInOrder) {
  Conversation conversation("op");
  auto const heard = conversation.feed(std::string(kHello) + kBegin + kValue + kEnd);
  ASSERT_THAT(heard.events, SizeIs(4));
  EXPECT_TRUE(std::holds_alternative<results::IdentityKnown>(heard.events[0]));
  EXPECT_EQ(std::get<results::CaseBegun>(heard.events[1]).begun.id, "c");
  EXPECT_EQ(std::get<results::Measured>(heard.events[2]).measurement.value_ns, 5);
  EXPECT_EQ(std::get<results::CaseEnded>(heard.events[3]).status, results::CaseStatus::ok);
  EXPECT_EQ(conversation.broken_lines(), 0u);
}

TEST(Conversation, NothingIsBelievedBeforeHello) {
  Conversation conversation("op");
  EXPECT_TRUE(conversation.feed(std::string(kBegin) + kValue).events.empty());
  EXPECT_EQ(conversation.broken_lines(), 2u);
  EXPECT_FALSE(conversation.has_hello());
}

TEST(Conversation, NothingIsBelievedInAnotherProtocol) {
  Conversation conversation("op");
  auto const heard = conversation.feed(
      std::string("{\"type\":\"hello\",\"protocol\":2,\"identity\":{}}\n") + kBegin + kValue);
  EXPECT_TRUE(heard.events.empty());
  EXPECT_EQ(conversation.foreign_protocol(), 2);
}

TEST(Conversation, BrokenRulesAreCountedAndTheFirstIsKept) {
  struct Row {
    std::string lines;
    char const* fault;
  };
  Row const rows[] = {
      {"nonsense\n", "not a JSON object: nonsense"},
      {kHello, "a second hello"},
      {kValue, "measurement of a case that was not begun: c"},
      {kEnd, "case_end of a case that was not begun: c"},
      {std::string(kBegin) + kBegin, "a case begun twice: c"},
      {std::string(kBegin) + kEnd + kEnd, "a case ended twice: c"},
  };
  for (Row const& row : rows) {
    Conversation conversation("op");
    conversation.feed(kHello);
    conversation.feed(row.lines);
    EXPECT_EQ(conversation.broken_lines(), 1u) << row.lines;
    EXPECT_EQ(conversation.first_fault(), row.fault);
  }
}

TEST(Conversation, ADeadChildsOpenCaseFailsInThePhaseThatRan) {
  Conversation conversation("op");
  conversation.feed(std::string(kHello) + kBegin + kValue +
                    "{\"type\":\"phase\",\"case\":\"c\",\"phase\":\"candidate\"}\n{\"ha");
  auto const events = conversation.close();
  ASSERT_THAT(events, SizeIs(1));
  auto const& ended = std::get<results::CaseEnded>(events[0]);
  EXPECT_EQ(ended.status, results::CaseStatus::failed);
  EXPECT_EQ(ended.phase, "candidate");
  EXPECT_EQ(conversation.first_fault(), "half a line at the end");
}

TEST(Conversation, FloodsAreNoticed) {
  Conversation broken("op");
  for (int i = 0; i <= 1000; ++i) broken.feed("x\n");
  EXPECT_TRUE(broken.is_flooding());
  Conversation talkative("op");
  talkative.feed(kHello);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "{\"type\":\"phase\",\"phase\":\"x\"}\n";
  for (int i = 0; i < 201; ++i) talkative.feed(many);
  EXPECT_TRUE(talkative.is_flooding());
}

TEST(Conversation, VendorNotesAreKeptForTheResult) {
  Conversation conversation("op");
  conversation.feed(
      std::string(kHello) +
      "{\"type\":\"note\",\"level\":\"error\",\"code\":\"VENDOR_MISMATCH\",\"text\":\"t1\"}\n"
      "{\"type\":\"note\",\"level\":\"warning\",\"code\":\"FOREIGN_VENDOR_MODULE\",\"text\":\"t2\"}"
      "\n"
      "{\"type\":\"lease_wanted\"}\n");
  EXPECT_EQ(conversation.vendor_mismatch(), "t1");
  EXPECT_EQ(conversation.foreign_modules(), "FOREIGN_VENDOR_MODULE t2");
  EXPECT_EQ(conversation.feed("{\"type\":\"lease_wanted\"}\n").wish, Access::exclusive);
  EXPECT_EQ(conversation.feed("{\"type\":\"device_wanted\"}\n").wish, Access::shared);
  EXPECT_EQ(conversation.feed("{\"type\":\"lease_released\"}\n").wish, Access::none);
}

}  // namespace
}  // namespace zl::run
