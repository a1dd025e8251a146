#include "run/plan.h"

#include <gmock/gmock.h>

#include "base/json.h"
#include "fixture.h"

namespace zl::run {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

PlanRequest corpus_request(backend::Descriptor const& backend) {
  PlanRequest request;
  request.backend = &backend;
  request.known_vendors = registry().vendors();
  request.operation.op = "abs";
  request.operation.provider = "flaggems";
  request.operation.nodes = {"benchmark/test_abs.py::test_abs"};
  request.places.python = "python3";
  request.places.python_folder = "/plugins";
  request.places.corpus = "/corpus";
  request.places.run_dir = "/runs/b/abs";
  request.places.cache_dir = "/runs/b/cache";
  request.caller = {{"PATH", "/usr/bin"}};
  return request;
}

std::optional<VariableChange> change_of(Plan const& plan, std::string const& name) {
  for (VariableChange const& change : plan.environment) {
    if (change.name == name) return change;
  }
  return std::nullopt;
}

PluginChoice plugin(Plan const& plan, std::string const& name) {
  for (PluginChoice const& choice : plan.plugins) {
    if (choice.name == name) return choice;
  }
  return {};
}

std::vector<backend::Descriptor const*> corpus_backends() {
  std::vector<backend::Descriptor const*> backends;
  for (backend::Descriptor const& backend : registry().all()) {
    if (!backend.vendor.empty()) backends.push_back(&backend);
  }
  return backends;
}

TEST(Plan, OverEveryDescriptorTheCapabilitiesChooseThePlugins) {
  ASSERT_GE(corpus_backends().size(), 4u);
  for (backend::Descriptor const* backend : corpus_backends()) {
    Plan const plan = *make_plan(corpus_request(*backend));
    for (char const* name : {"device_setup", "results", "timing", "kernels"}) {
      EXPECT_TRUE(plugin(plan, name).loaded) << backend->name << " " << name;
    }
    for (char const* capability : {"graph_capture", "cluster_launch"}) {
      PluginChoice const choice = plugin(plan, capability);
      EXPECT_EQ(choice.loaded, backend->can(capability)) << backend->name << " " << capability;
      EXPECT_EQ(choice.capability, capability);
      EXPECT_THAT(choice.reason,
                  HasSubstr(backend->can(capability) ? "has capability" : "lacks capability"));
      std::string const word = "zlbench_plugins." + std::string(capability);
      EXPECT_EQ(std::count(plan.argv.begin(), plan.argv.end(), word),
                backend->can(capability) ? 1 : 0);
    }
    EXPECT_EQ(plan.plugins.front().name, "device_setup")
        << "the vendor is set before anything else";
  }
}

TEST(Plan, OverEveryDescriptorTheVendorIsFixedByVariables) {
  std::size_t overruled = 0;
  for (backend::Descriptor const* backend : corpus_backends()) {
    PlanRequest request = corpus_request(*backend);
    for (std::string const& name : backend->vendor_variables)
      request.caller[name] = "somebody_else";
    for (auto const& variable : backend->override_variables) request.caller[variable.name] = "1";
    Plan const plan = *make_plan(request);
    std::string const first = backend->vendor_variables.front();
    EXPECT_EQ(change_of(plan, first)->value, backend->vendor) << backend->name;
    for (std::size_t i = 1; i < backend->vendor_variables.size(); ++i) {
      auto const change = change_of(plan, backend->vendor_variables[i]);
      ASSERT_TRUE(change) << backend->vendor_variables[i];
      EXPECT_EQ(change->value, std::nullopt);
    }
    overruled += backend->override_variables.size();
    for (auto const& variable : backend->override_variables) {
      ASSERT_TRUE(change_of(plan, variable.name));
      EXPECT_EQ(change_of(plan, variable.name)->value, std::nullopt);
      EXPECT_THAT(plan.notes, Contains(HasSubstr(variable.name + " is set here and is removed")));
    }
    EXPECT_THAT(plan.notes, Contains(HasSubstr(first + "=somebody_else disagrees with backend " +
                                               backend->name)));
  }
  EXPECT_GE(overruled, 4u);
}

TEST(Plan, AVariableThatAlreadyFitsIsNoChangeAndNoNote) {
  backend::Descriptor const& backend = *corpus_backends().front();
  PlanRequest request = corpus_request(backend);
  request.caller[backend.vendor_variables.front()] = backend.vendor;
  Plan const plan = *make_plan(request);
  EXPECT_FALSE(change_of(plan, backend.vendor_variables.front()));
  EXPECT_THAT(plan.notes, Not(Contains(HasSubstr("disagrees"))));
}

TEST(Plan, TheChildGetsNodesAndTheCorpusItsOptions) {
  PlanRequest request = corpus_request(*corpus_backends().front());
  request.options.level = "comprehensive";
  request.options.dtypes = {"float16", "float32"};
  request.options.corpus_arguments = {"--metrics", "latency"};
  Plan const plan = *make_plan(request);
  EXPECT_THAT(plan.argv, Contains("benchmark/test_abs.py::test_abs"));
  EXPECT_THAT(plan.argv, Not(Contains("-m abs")));
  std::string const line = join(plan.argv, " ");
  EXPECT_THAT(
      line, HasSubstr("--level comprehensive --dtypes float16 --dtypes float32 --metrics latency"));
  EXPECT_EQ(plan.working_directory, "/corpus");
}

TEST(Plan, AccuracyNodesAreNotGivenBenchmarkOptions) {
  PlanRequest request = corpus_request(*corpus_backends().front());
  request.operation.nodes = {"tests/test_abs.py::test_accuracy_abs"};
  EXPECT_THAT(make_plan(request)->argv, Not(Contains("--level")));
}

TEST(Plan, ShapesPluginOnlyWhenShapesAreChosen) {
  PlanRequest request = corpus_request(*corpus_backends().front());
  EXPECT_FALSE(plugin(*make_plan(request), "shapes").loaded);
  request.options.shapes = {ShapeChoice::Mode::small, 1024, ""};
  Plan const plan = *make_plan(request);
  EXPECT_TRUE(plugin(plan, "shapes").loaded);
  EXPECT_THAT(plan.argv, Contains("zlbench_plugins.shapes"));
  EXPECT_EQ((*parse_json(to_json_text(plan)))["shapes"],
            Json({{"mode", "small"}, {"max_elements", 1024}}));
}

TEST(Plan, CachesAreTheBatchsOwnAndForeignPytestSettingsAreRemoved) {
  PlanRequest request = corpus_request(*corpus_backends().front());
  request.caller["PYTEST_ADDOPTS"] = "-x";
  request.caller["FLAGGEMS_DB_URL"] = "sqlite:///x";
  request.caller["PYTHONPATH"] = "/mine";
  Plan const plan = *make_plan(request);
  EXPECT_EQ(change_of(plan, "TRITON_CACHE_DIR")->value, "/runs/b/cache/triton");
  EXPECT_EQ(change_of(plan, "FLAGGEMS_CACHE_DIR")->value, "/runs/b/abs/tuning");
  EXPECT_EQ(change_of(plan, "PYTHONPATH")->value, "/plugins:/mine");
  EXPECT_EQ(change_of(plan, "PYTEST_ADDOPTS")->value, std::nullopt);
  EXPECT_EQ(change_of(plan, "FLAGGEMS_DB_URL")->value, std::nullopt);
}

TEST(Plan, ADeviceIsPinnedByTheBackendsVariable) {
  for (backend::Descriptor const* backend : corpus_backends()) {
    PlanRequest request = corpus_request(*backend);
    backend::Device device;
    device.index = 3;
    request.device = device;
    Plan const plan = *make_plan(request);
    bool is_pinned = false;
    for (auto const& variable : backend->visibility) {
      auto const change = change_of(plan, variable.name);
      is_pinned = is_pinned || (change && change->value == "3");
    }
    EXPECT_EQ(is_pinned, !backend->visibility.empty()) << backend->name;
  }
}

TEST(Plan, ATimerThatTheProviderLacksIsAUsageError) {
  PlanRequest request = corpus_request(*corpus_backends().front());
  request.options.timer = "stopwatch";
  Result<Plan> const plan = make_plan(request);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::usage);
  EXPECT_THAT(plan.error().text, HasSubstr("--timer stopwatch: a corpus is measured with 'graph'"));
}

TEST(Plan, ABackendWithoutAVendorCannotRunTheCorpus) {
  Result<Plan> const plan = make_plan(corpus_request(host_backend()));
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().text, HasSubstr("has no vendor in the corpus"));
}

TEST(Plan, TheNativeRunnerIsThisProgramAndNeedsNoPlugins) {
  Plan const plan = *make_plan(fake_request("good", "/runs/b/good"));
  EXPECT_THAT(plan.argv,
              testing::ElementsAre(HasSubstr("child.py"), "native-runner", "library.so", "good"));
  EXPECT_TRUE(plan.plugins.empty());
  EXPECT_EQ(plan.timer, "host");
}

TEST(Plan, TheTextNamesEveryPluginAndEveryChange) {
  Plan const plan = *make_plan(corpus_request(*corpus_backends().front()));
  std::string const text = to_text(plan);
  for (PluginChoice const& choice : plan.plugins) {
    EXPECT_THAT(text, HasSubstr((choice.loaded ? "load " : "omit ") + choice.name));
  }
  for (VariableChange const& change : plan.environment) EXPECT_THAT(text, HasSubstr(change.name));
}

}  // namespace
}  // namespace zl::run
