#include "timing/engine_c.h"

#include <span>

#include "timing/engine_json.h"
#include "timing/epochs.h"
#include "timing/host_engine.h"
#include "timing/record_json.h"

namespace timing = zl::timing;

struct zl_timing_engine {
  std::unique_ptr<timing::Engine> engine;
  std::unique_ptr<timing::HostEngine> host;  // in the place of `engine`
  std::string failure;                       // why there is neither
  std::string answer;                        // of the last call
  timing::Epochs epochs;
};

namespace {

timing::DeviceResult<void> open_engine(zl_timing_engine* self, std::string_view family,
                                       std::vector<std::string> const& libraries, int device) {
  timing::HostEnvironment host = timing::real_host();
  host.epoch = [self] { return self->epochs.read(); };
  if (family == zl::backend::kHostFamily) {
    self->host = std::make_unique<timing::HostEngine>(host, timing::real_watch());
    return {};
  }
  auto runtime = zl::backend::open_runtime(family, libraries, zl::current_environment());
  if (!runtime) return timing::device_fail("runtime", runtime.error().text);
  auto engine = timing::Engine::open(std::move(*runtime), host, device, {}, {});
  if (!engine) return tl::unexpected<timing::DeviceError>(engine.error());
  self->engine = std::move(*engine);
  return {};
}

char const* answer(zl_timing_engine* self, std::string text) {
  self->answer = std::move(text);
  return self->answer.c_str();
}

template <class Action>
char const* answer_with(zl_timing_engine* self, Action const& action) {
  if (!self->failure.empty()) return self->failure.c_str();
  auto const result = action();
  return answer(self,
                result ? timing::to_json_line(*result) : timing::to_json_line(result.error()));
}

timing::Work to_work(zl_timing_work const& work) {
  auto const call = [&](zl_timing_call function) {
    return timing::TimedCall{function, work.state};
  };
  return {work.id,
          work.graph,
          work.restore_graph,
          work.no_graph == nullptr ? "" : work.no_graph,
          {call(work.call), call(work.prepare), call(work.enter), call(work.leave)},
          work.escape == nullptr ? std::nullopt : std::optional<std::string>(work.escape)};
}

}  // namespace

#define ZL_TIMING_API extern "C" __attribute__((visibility("default")))

ZL_TIMING_API zl_timing_engine* zl_timing_open(char const* family, char const* const* libraries,
                                               size_t count, int device) {
  auto* const self = new zl_timing_engine;
  auto const opened = open_engine(self, family, {libraries, libraries + count}, device);
  if (!opened) self->failure = timing::to_json_line(opened.error());
  return self;
}

ZL_TIMING_API void zl_timing_close(zl_timing_engine* engine) {
  delete engine;
}

ZL_TIMING_API char const* zl_timing_describe(zl_timing_engine* engine) {
  if (!engine->failure.empty()) return engine->failure.c_str();
  return answer(engine, engine->host ? timing::describe_host_json_line()
                                     : timing::describe_json_line(engine->engine->session()));
}

ZL_TIMING_API void zl_timing_watch_epoch(zl_timing_engine* engine, uint64_t const* counter) {
  engine->epochs.watch(counter);
}

ZL_TIMING_API void zl_timing_watch_others(zl_timing_engine* engine, uint64_t const* first,
                                          size_t count, size_t stride, size_t own) {
  engine->epochs.watch_others(first, count, stride, own);
}

ZL_TIMING_API char const* zl_timing_calibrate(zl_timing_engine* engine, void* stream) {
  return answer_with(engine, [&]() -> timing::DeviceResult<timing::Calibration> {
    if (engine->engine) return engine->engine->calibrate(stream);
    return timing::device_fail("no_device", "a host has no events and no graphs to calibrate");
  });
}

ZL_TIMING_API char const* zl_timing_audit(zl_timing_engine* engine, zl_timing_work const* work,
                                          void* stream) {
  if (!engine->failure.empty()) return engine->failure.c_str();
  if (engine->host) return answer(engine, timing::escape_json_line(""));
  auto const escape = engine->engine->audit(to_work(*work).calls, stream);
  return answer(engine,
                escape ? timing::escape_json_line(*escape) : timing::to_json_line(escape.error()));
}

ZL_TIMING_API char const* zl_timing_measure(zl_timing_engine* engine, zl_timing_work const* works,
                                            size_t count, void* stream, int is_cold, double tau) {
  std::vector<timing::Work> own;
  for (zl_timing_work const& work : std::span(works, count)) own.push_back(to_work(work));
  timing::MeasureRequest const request{is_cold != 0, tau};
  return answer_with(engine, [&] {
    return engine->host ? engine->host->measure(own, request)
                        : engine->engine->measure(own, stream, request);
  });
}

ZL_TIMING_API char const* zl_timing_summarise(zl_timing_engine* engine, char const* record) {
  auto const parsed = timing::parse_record(record);
  auto const summary = parsed ? timing::summarise(*parsed) : std::nullopt;
  if (summary) return answer(engine, timing::to_json_line(*summary));
  return answer(engine, timing::to_json_line(timing::DeviceError{
                            "the text is not a record with a burst that counts", "record"}));
}
