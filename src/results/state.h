#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/event.h"

namespace zl::results {

// What is known of one operator's latest attempt.
struct OpState {
  std::string op;
  int attempts = 0;
  RunBegun begun;
  std::string identity_json = "{}";
  std::vector<Case> cases;
  std::vector<Kernel> kernels;
  std::vector<Noted> notes;
  std::vector<AttemptEnded> earlier;  // attempts that were followed by another one
  std::optional<OpResult> result;     // empty while it runs, or when the log ends before it

  Case* find_case(std::string const& id);

 private:
  friend class BatchState;
  std::map<std::string, std::size_t> index_by_case_;
};

// The fold of an event log: what `show`, `--resume` and the status file are made from.
class BatchState {
 public:
  void apply(Event const& event);

  std::optional<BatchBegun> const& begun() const { return begun_; }
  std::optional<BatchEnded> const& ended() const { return ended_; }
  std::vector<OpState> const& operators() const { return operators_; }  // in order of first start
  std::vector<Noted> const& notes() const { return notes_; }            // of the batch itself
  OpState* find(std::string const& op);
  OpState const* find(std::string const& op) const;
  // Forgets the cases of an operator: they are on disk by then, and a batch may have thousands.
  void drop_details(std::string const& op);

 private:
  OpState& at(std::string const& op);

  std::optional<BatchBegun> begun_;
  std::optional<BatchEnded> ended_;
  std::vector<OpState> operators_;
  std::vector<Noted> notes_;
  std::map<std::string, std::size_t> index_;
};

// Aggregates over cases: what a row of ops_status.csv says in numbers.
int shapes_with_numbers(std::vector<Case> const& cases);
// Over the cases whose two numbers are of the device.
std::optional<double> mean_speedup(std::vector<Case> const& cases);
// The timers that the calibers name, the most used one first: "graph", "graph+direct". Empty
// without a number.
std::string timers_used(std::vector<Case> const& cases);
struct KernelCount {
  int kernels = 0;
  std::optional<long long> convert_layouts;
};
// Distinct kernels that the candidate launched; empty when the child reported no kernel at all.
std::optional<KernelCount> count_kernels(std::vector<Kernel> const& kernels);

}  // namespace zl::results
