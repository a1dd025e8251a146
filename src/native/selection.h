#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "native/library.h"

namespace zl::native {

// What the plan file asks of this child.
struct Selection {
  std::vector<std::string> dtypes;     // as zlbench/operator.h's names; empty: all
  std::optional<double> max_elements;  // small mode: cases with more elements are left out
  std::size_t seat = 0;                // of the children that share the device
  std::size_t seats = 0;
  std::string node;  // the plan's name for the operator; may be empty
};

// Reads the file that ZL_PLAN names; without the variable, everything is selected.
Result<Selection> read_selection(Environment const& environment);

// The selected cases in their own order. Small mode keeps the smallest case of each dtype whatever
// its size: a quick run that measures nothing would be no use.
std::vector<Case> select_cases(std::vector<Case> const& cases, Selection const& selection);

}  // namespace zl::native
