#include "check/probes.h"

#include <gmock/gmock.h>

namespace zl::check {
namespace {

TEST(Probes, EveryProbeOfTheTableCanBeRun) {
  Result<std::vector<Probe>> const probes = load_probes();
  ASSERT_TRUE(probes) << probes.error().text;
  ASSERT_EQ(probes->size(), 7u);
  for (Probe const& probe : *probes) {
    bool const varies = !probe.script.empty() || probe.is_smallest || probe.is_accuracy;
    EXPECT_TRUE(varies) << probe.id;
    EXPECT_EQ(probe.script.empty(), probe_script(probe.script).empty()) << probe.id;
    EXPECT_NE(probe.in_class, nullptr) << probe.id;
  }
  EXPECT_EQ(probes->front().id, "device");
}

TEST(Probes, AScriptIsHeldAgainstSuccessAndARunAgainstTheFailure) {
  Probe script;
  script.script = "device.py";
  ProbeOutcome const reference{false, "F23"};
  EXPECT_TRUE(changes_failure(script, reference, {false, "F23"}));
  EXPECT_FALSE(changes_failure(script, reference, {true, ""}));
  Probe const run;
  EXPECT_FALSE(changes_failure(run, reference, {false, "F23"}));
  EXPECT_TRUE(changes_failure(run, reference, {false, "F13"}));
  EXPECT_TRUE(changes_failure(run, reference, {true, ""}));
}

}  // namespace
}  // namespace zl::check
