#pragma once

#include <cstddef>
#include <string>

#include "results/state.h"

namespace zl::cli {

// How far the numbers of a batch are those that its stored samples give, here and now.
struct Recomputed {
  std::size_t records = 0;
  std::size_t numbers = 0;       // that are stored and shown
  std::size_t agreeing = 0;      // the same to the last bit
  std::string first_difference;  // "add a: candidate median_ns is 5.0, its samples give 5.5"
};

// Of every measurement that has a record, in every operator or in `op` alone: its summary, its own
// fields that repeat the summary, and the interval of the speedup where both sides have a record.
Recomputed recompute(results::BatchState const& batch, std::string const& op);

// One line for people; the fields for programs.
std::string to_text(Recomputed const& result);
std::string to_json_text(Recomputed const& result);

}  // namespace zl::cli
