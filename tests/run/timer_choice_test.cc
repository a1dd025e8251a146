#include "run/timer_choice.h"

#include <gmock/gmock.h>

#include "backend/runtime.h"

namespace zl::run {
namespace {

using testing::HasSubstr;

backend::Descriptor device_backend(bool has_graphs) {
  backend::Descriptor backend;
  backend.name = "chip";
  backend.runtime.family = backend::runtime_families().front().name;
  backend.capabilities["graph_capture"] = has_graphs;
  return backend;
}

Result<TimerChoice> chosen(backend::Descriptor const& backend, std::string const& timer,
                           std::string const& provider = "flaggems") {
  PlanRequest request;
  request.backend = &backend;
  request.operation.provider = provider;
  request.options.timer = timer;
  return choose_timer(request);
}

TEST(TimerChoice, TheCapabilityChoosesBetweenGraphAndDirect) {
  Result<TimerChoice> const graph = chosen(device_backend(true), "auto");
  EXPECT_EQ(graph->name, "graph");
  EXPECT_TRUE(graph->is_engine);
  EXPECT_EQ(graph->reason, "backend chip has capability graph_capture");
  Result<TimerChoice> const direct = chosen(device_backend(false), "auto");
  EXPECT_EQ(direct->name, "direct");
  EXPECT_TRUE(direct->is_engine);
}

TEST(TimerChoice, ARuntimeWithoutATableKeepsTheCorpusTimerAndSaysWhy) {
  backend::Descriptor backend = device_backend(true);
  backend.runtime.family = "no_such_family";
  Result<TimerChoice> const choice = chosen(backend, "auto");
  EXPECT_EQ(choice->name, "upstream");
  EXPECT_FALSE(choice->is_engine);
  EXPECT_THAT(choice->reason, HasSubstr("no table for the runtime of backend chip"));
}

TEST(TimerChoice, WhatIsAskedForIsTakenOrRefusedWithTheWayOut) {
  EXPECT_EQ(chosen(device_backend(true), "direct")->name, "direct");
  Result<TimerChoice> const upstream = chosen(device_backend(true), "upstream");
  EXPECT_EQ(upstream->name, "upstream");
  EXPECT_FALSE(upstream->is_engine);
  Result<TimerChoice> const graph = chosen(device_backend(false), "graph");
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().kind, ErrorKind::usage);
  EXPECT_EQ(graph.error().text,
            "--timer graph: backend chip lacks capability graph_capture; take 'direct'");
  backend::Descriptor without_table = device_backend(true);
  without_table.runtime.family = "no_such_family";
  EXPECT_THAT(chosen(without_table, "direct").error().text, HasSubstr("take 'upstream'"));
}

TEST(TimerChoice, ABackendWhoseDeviceIsTheHostIsMeasuredThere) {
  backend::Descriptor processor = device_backend(false);
  processor.runtime.family = "host";
  Result<TimerChoice> const choice = chosen(processor, "auto");
  EXPECT_EQ(choice->name, "host");
  EXPECT_TRUE(choice->is_engine);
  EXPECT_EQ(choice->reason, "the device of backend chip is the host");
  EXPECT_EQ(chosen(processor, "host")->name, "host");
  EXPECT_EQ(chosen(processor, "upstream")->name, "upstream");
  EXPECT_EQ(chosen(processor, "direct").error().text,
            "--timer direct: the device of backend chip is the host; take 'host'");
  EXPECT_EQ(chosen(device_backend(true), "host").error().text,
            "--timer host: the work of backend chip is not done on the host; take 'graph'");
}

TEST(TimerChoice, TheNativeProviderMeasuresOnTheHostOnly) {
  EXPECT_EQ(chosen(device_backend(true), "auto", "native")->name, "host");
  Result<TimerChoice> const graph = chosen(device_backend(true), "graph", "native");
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().text,
            "--timer graph: the native provider measures with 'host' (or 'auto')");
}

}  // namespace
}  // namespace zl::run
