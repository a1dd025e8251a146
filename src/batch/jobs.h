#pragma once

#include <cstddef>
#include <cstdint>

namespace zl::batch {

// What this process may use of its host: affinity and control groups counted in.
struct HostShare {
  int cores = 1;
  std::uint64_t memory_bytes = 0;  // 0: not known
};
HostShare host_share();

// How many children prepare side by side on each of `devices` devices, where nobody says. Pure. One
// where the device is the processor itself: there the others' work would be in every number.
int default_jobs_per_device(HostShare const& share, std::size_t devices, bool is_host_backend);

}  // namespace zl::batch
