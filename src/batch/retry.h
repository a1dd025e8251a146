#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/state.h"
#include "run/plan.h"

namespace zl::batch {

// How an attempt differs from the first one of its operator.
struct Trial {
  bool is_alone = false;           // no other child on its device
  bool has_private_cache = false;  // compile caches that nobody else writes
  bool has_direct_timer = false;   // no graph is captured
};

// What the attempt was that has just ended.
struct AttemptFacts {
  Trial trial;
  bool was_beside_others = false;  // other children were on the device while it ran
  bool is_corpus = false;          // of a provider that compiles into caches
  bool could_capture = false;      // it ran with graphs that the user did not ask for by name
  bool is_killed_by_system = false;
  bool has_lost_device = false;  // and the device did not come back
};

struct Retry {
  std::string cause;
  std::vector<std::string> changes;  // words of docs/batches.md: alone, private_cache, ...
};

// Whether another attempt could end differently, and with what change. Pure. Empty for everything
// that would only be the same again: a wrong result, a time limit, an operator without a node.
std::optional<Retry> retry_of(results::OpResult const& result, results::OpState const& state,
                              AttemptFacts const& facts);

// What the log says that the next attempt is to be like.
Trial next_trial(std::vector<results::AttemptEnded> const& earlier);

// For the result: "attempt 1 crashed: signal 11 (...), then again with a private cache".
std::string told(std::vector<results::AttemptEnded> const& earlier);

}  // namespace zl::batch
