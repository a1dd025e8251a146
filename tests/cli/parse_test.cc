#include <gmock/gmock.h>

#include "cli/operations.h"
#include "cli/options.h"

namespace zl::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Options parsed(std::vector<std::string> const& words, Environment const& environment = {}) {
  Result<Parsed> const result = parse_command_line(words, environment);
  EXPECT_TRUE(result) << (result ? "" : result.error().text);
  return std::get<Options>(*result);
}

Error refused(std::vector<std::string> const& words, Environment const& environment = {}) {
  Result<Parsed> const result = parse_command_line(words, environment);
  EXPECT_FALSE(result);
  return result ? Error{} : result.error();
}

TEST(Parse, AFlagBeatsAVariable) {
  Environment const environment{{"ZL_BACKEND", "one"}, {"ZL_DEVICE", "1"},
                                {"ZL_CORPUS", "/c"},   {"ZL_RUNS", "/r"},
                                {"ZL_PYTHON", "/p"},   {"ZL_BACKEND_DIR", "/d1:/d2"}};
  Options const from_variables = parsed({"batch"}, environment);
  EXPECT_EQ(from_variables.backend, "one");
  EXPECT_EQ(from_variables.devices, "1");
  EXPECT_EQ(from_variables.corpus, "/c");
  EXPECT_EQ(from_variables.runs, "/r");
  EXPECT_EQ(from_variables.python, "/p");
  EXPECT_THAT(from_variables.backend_dirs, ElementsAre("/d1", "/d2"));
  Options const from_flags = parsed({"batch", "--backend", "two", "--gpus", "0", "--corpus", "/c2",
                                     "--runs", "/r2", "--python", "/p2", "--backend-dir", "/d3"},
                                    environment);
  EXPECT_EQ(from_flags.backend, "two");
  EXPECT_EQ(from_flags.devices, "0");
  EXPECT_EQ(from_flags.corpus, "/c2");
  EXPECT_EQ(from_flags.runs, "/r2");
  EXPECT_EQ(from_flags.python, "/p2");
  EXPECT_THAT(from_flags.backend_dirs, ElementsAre("/d3"));
}

TEST(Parse, WhatNamedTheBackendIsKept) {
  EXPECT_EQ(parsed({"batch"}, {{"ZL_BACKEND", "one"}}).backend_from, "ZL_BACKEND=one");
  EXPECT_EQ(parsed({"batch", "--backend", "two"}, {{"ZL_BACKEND", "one"}}).backend_from,
            "--backend two");
  EXPECT_EQ(parsed({"batch"}).backend_from, "");
}

TEST(Parse, TheOldScriptsVariablesNameOperators) {
  EXPECT_THAT(parsed({"run"}, {{"OP", "abs, add"}}).operators, ElementsAre("abs", "add"));
  EXPECT_EQ(parsed({"run"}, {{"OP_FILE", "f.py"}}).op_file, "f.py");
  EXPECT_EQ(parsed({"plan"}, {{"TEST_NODE", "f.py::g"}}).test_node, "f.py::g");
  Options const named = parsed({"run", "gelu"}, {{"OP", "abs"}, {"TEST_NODE", "f.py::g"}});
  EXPECT_THAT(named.operators, ElementsAre("gelu"));
  EXPECT_EQ(named.test_node, "");
  EXPECT_TRUE(parsed({"batch", "--ops", "x"}, {{"OP", "abs"}}).operators.empty());
}

TEST(Parse, ABlankBackendVariableIsUnset) {
  EXPECT_EQ(parsed({"run", "x"}, {{"ZL_BACKEND", "  "}}).backend, "");
}

TEST(Parse, ShapeModeComesFromFlagOrVariable) {
  using Mode = run::ShapeChoice::Mode;
  EXPECT_EQ(parsed({"run", "x"}).plan.shapes.mode, Mode::upstream);
  EXPECT_EQ(parsed({"run", "x"}, {{"SHAPE_MODE", "small"}}).plan.shapes.mode, Mode::small);
  EXPECT_EQ(
      parsed({"run", "x", "--shapes", "upstream"}, {{"SHAPE_MODE", "small"}}).plan.shapes.mode,
      Mode::upstream);
  EXPECT_EQ(parsed({"run", "x", "--shapes", ZL_SOURCE_DIR "/README.md"}).plan.shapes.mode,
            Mode::file);
  Error const error = refused({"run", "x", "--shapes", "smal"});
  EXPECT_EQ(error.kind, ErrorKind::usage);
  EXPECT_THAT(error.text, HasSubstr("Did you mean 'small'?"));
}

TEST(Parse, EveryTimerThatTheHelpNamesIsTaken) {
  for (char const* timer : {"auto", "graph", "direct", "host", "upstream"}) {
    EXPECT_EQ(parsed({"run", "x", "--timer", timer}).plan.timer, timer);
  }
  EXPECT_THAT(refused({"run", "x", "--timer", "grahp"}).text, HasSubstr("graph"));
}

TEST(Parse, WhatFollowsTwoDashesIsTheCorpus) {
  Options const options =
      parsed({"run", "abs", "--dtypes", "float16,float32", "--", "--metrics", "latency"});
  EXPECT_THAT(options.plan.corpus_arguments, ElementsAre("--metrics", "latency"));
  EXPECT_THAT(options.plan.dtypes, ElementsAre("float16", "float32"));
}

TEST(Parse, WrongWordsGetAHint) {
  EXPECT_THAT(refused({"bacth"}).text, HasSubstr("Did you mean 'batch'?"));
  EXPECT_THAT(refused({"batch", "--devcies", "0"}).text, HasSubstr("Did you mean '--devices'?"));
  EXPECT_EQ(refused({"batch", "--level", "hard"}).kind, ErrorKind::usage);
  EXPECT_EQ(refused({"batch", "--timeout", "-1"}).kind, ErrorKind::usage);
  EXPECT_THAT(refused({"run", "x", "--dtypes", "a,,b"}).text, HasSubstr("empty name"));
}

TEST(Parse, ShowComparesIdentitiesOrComputesAgainNotBoth) {
  EXPECT_TRUE(parsed({"show", "--recompute", "d"}).recompute);
  EXPECT_FALSE(parsed({"show", "d"}).recompute);
  EXPECT_EQ(refused({"show", "--recompute", "--identity", "a", "b"}).kind, ErrorKind::usage);
}

TEST(Parse, EveryCommandHasHelpWithAnExampleAndExitCodes) {
  for (char const* command : {"backends", "devices", "ops", "plan", "run", "batch", "show"}) {
    Result<Parsed> const help = parse_command_line({command, "--help"}, {});
    ASSERT_TRUE(help) << command;
    EXPECT_THAT(std::get<std::string>(*help), HasSubstr("zlbench " + std::string(command)))
        << command;
    EXPECT_THAT(std::get<std::string>(*help), HasSubstr("3 nothing selected")) << command;
  }
  EXPECT_THAT(std::get<std::string>(*parse_command_line({}, {})), HasSubstr("batch"));
  EXPECT_THAT(std::get<std::string>(*parse_command_line({"--version"}, {})),
              HasSubstr("zlbench 0."));
}

TEST(Names, GlobsExpandInCatalogueOrderAndDoublesGo) {
  std::vector<std::string> const all{"abs", "abs_", "add", "gelu"};
  EXPECT_THAT(*expand_names({"add", "a*", "add"}, all), ElementsAre("add", "abs", "abs_"));
  EXPECT_EQ(expand_names({"zz*"}, all).error().kind, ErrorKind::nothing_selected);
  EXPECT_EQ(expand_names({"a", ""}, all).error().kind, ErrorKind::usage);
  for (char const* bad : {"a/b", "..", "a b", "-x/"}) EXPECT_FALSE(expand_names({bad}, all)) << bad;
}

TEST(Names, AnOpsFileHasCommentsBlankLinesAndDoubles) {
  EXPECT_THAT(names_of_file("abs\n\n# all of it\n add  # why\r\nabs\n"), ElementsAre("abs", "add"));
}

}  // namespace
}  // namespace zl::cli
