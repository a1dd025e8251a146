#include "check/rules.h"

#include <fstream>
#include <gmock/gmock.h>
#include <set>

#include "example.h"
#include "temp_folder.h"

namespace zl::check {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(BuiltInRules, EveryExampleIsExplainedByItsRuleAndNoNearMissIs) {
  for (Rule const& rule : built_in().rules()) {
    for (std::string const& example : rule.examples) {
      Explanation const found = explain_example(built_in(), example);
      EXPECT_EQ(found.cause(), std::string(rule.in_class->word) + " " + rule.id)
          << rule.origin << "\n"
          << to_text(found);
    }
    for (std::string const& near_miss : rule.near_misses) {
      Explanation const found = explain_example(built_in(), near_miss);
      EXPECT_NE(found.rule == nullptr ? "" : found.rule->id, rule.id) << rule.origin << "\n"
                                                                      << near_miss;
    }
  }
}

// Signatures that leave neither a text nor a fact that is recorded: docs/explain.md says why.
TEST(BuiltInRules, EverySignatureHasARuleOrAReason) {
  std::set<std::string> const not_seen = {"F03", "F09", "F88", "F111", "F123"};
  for (int number = 1; number <= 127; ++number) {
    std::string const id = (number < 10 ? "F0" : "F") + std::to_string(number);
    EXPECT_EQ(built_in().find(id) == nullptr, not_seen.count(id) == 1) << id;
  }
}

TEST(BuiltInRules, SayWhatToDoAndWhereTheyWereSeen) {
  for (Rule const& rule : built_in().rules()) {
    EXPECT_GT(rule.verdict.size(), 15u) << rule.id;
    EXPECT_GT(rule.remedy.size(), 10u) << rule.id;
    for (std::string const& source : rule.sources) EXPECT_THAT(source, HasSubstr("https://"));
  }
}

class RuleFolder : public testing::Test {
 protected:
  fs::path write(std::string const& text, std::string const& name = "own.yaml") {
    std::ofstream(folder_.path() / name) << text;
    return folder_.path();
  }
  static std::string rule(std::string const& id, std::string const& pattern) {
    return "- id: " + id + "\n  class: compiler\n  match: ['" + pattern +
           "']\n  verdict: Our own compiler.\n  remedy: Ask the compiler people.\n"
           "  examples: [x]\n  near_misses: [y]\n";
  }
  TempFolder folder_;
};

TEST_F(RuleFolder, AddsARuleAndReplacesOneOfTheSameName) {
  Result<RuleBook> const book =
      RuleBook::load({write("rules:\n" + rule("OWN", "frobnicated") + rule("F55", "no cc here"))});
  ASSERT_TRUE(book) << book.error().text;
  EXPECT_EQ(explain_example(*book, "E   ValueError: frobnicated").cause(), "compiler OWN");
  EXPECT_EQ(explain_example(*book, "E   no cc here").cause(), "compiler F55");
  EXPECT_EQ(explain_example(*book, "E   RuntimeError: Failed to find C compiler.").cause(),
            "unknown");
  EXPECT_EQ(book->rules().size(), built_in().rules().size() + 1);
}

TEST_F(RuleFolder, ABrokenPatternIsNamedWithItsPlace) {
  Result<RuleBook> const book = RuleBook::load({write("rules:\n" + rule("OWN", "a(b"))});
  ASSERT_FALSE(book);
  EXPECT_EQ(book.error().kind, ErrorKind::usage);
  EXPECT_THAT(book.error().text,
              AllOf(HasSubstr("own.yaml:2"), HasSubstr("'OWN'"), HasSubstr("missing )")));
}

TEST_F(RuleFolder, APatternThatMatchesEverythingIsRefused) {
  Result<RuleBook> const book = RuleBook::load({write("rules:\n" + rule("OWN", "a*"))});
  ASSERT_FALSE(book);
  EXPECT_THAT(book.error().text, HasSubstr("it matches every line"));
}

TEST_F(RuleFolder, MistakesInAFileAreNamedWithTheirLine) {
  struct {
    std::string text;
    std::string says;
  } const cases[] = {
      {"rules:\n- id: X\n  clas: compiler\n", "Did you mean 'class'"},
      {"rules:\n- id: X\n  class: compilr\n", "Did you mean 'compiler'"},
      {"rules:\n- id: X\n  class: compiler\n  needs: {exitt: [1]}\n", "Did you mean 'exit'"},
      {"rules:\n- id: X\n  class: compiler\n  verdict: v\n  remedy: r\n  examples: [a]\n"
       "  near_misses: [b]\n",
       "a rule needs `match`"},
      {"rules:\n- id: X\n  class: compiler\n  match: [x]\n  verdict: v\n  remedy: r\n"
       "  near_misses: [b]\n",
       "needs an example"},
      {"rules:\n- id: X\n  class: compiler\n  match: [x]\n  verdict: v\n  remedy: r\n"
       "  examples: [b]\n",
       "near miss"},
      {"rules: [", "own.yaml"},
      {"", "own.yaml"},
  };
  for (auto const& one : cases) {
    Result<RuleBook> const book = RuleBook::load({write(one.text)});
    ASSERT_FALSE(book) << one.text;
    EXPECT_EQ(book.error().kind, ErrorKind::usage);
    EXPECT_THAT(book.error().text, AllOf(HasSubstr("own.yaml"), HasSubstr(one.says))) << one.text;
  }
}

TEST_F(RuleFolder, OneIdInTwoFilesOfAFolderIsAMistake) {
  write("rules:\n" + rule("OWN", "a1"), "a.yaml");
  Result<RuleBook> const book = RuleBook::load({write("rules:\n" + rule("OWN", "b1"), "b.yaml")});
  ASSERT_FALSE(book);
  EXPECT_THAT(book.error().text, AllOf(HasSubstr("a.yaml:2"), HasSubstr("b.yaml:2")));
}

TEST_F(RuleFolder, AFolderWithoutRulesIsAMistake) {
  EXPECT_THAT(RuleBook::load({folder_.path()}).error().text, HasSubstr("no *.yaml file"));
  EXPECT_THAT(RuleBook::load({folder_.path() / "none"}).error().text, HasSubstr("--rules"));
}

}  // namespace
}  // namespace zl::check
