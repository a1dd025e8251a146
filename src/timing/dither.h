#pragma once

#include <cstdint>
#include <string_view>

namespace zl::timing {

// A number for a measurement's name, the same on every machine.
std::uint64_t measurement_seed(std::string_view id);

// Samples of a clock with a coarse tick are full of ties, and a median or an interval of ties sits
// on one tick however many there are. This is what to add to sample `index`: evenly spread within
// half a tick to both sides, and always the same for one seed and index, so that a result can be
// computed again from its samples. In the unit of `tick`.
double dither(std::uint64_t seed, std::uint64_t index, double tick);

}  // namespace zl::timing
