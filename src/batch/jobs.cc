#include "batch/jobs.h"

#include <algorithm>
#include <sched.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"

namespace zl::batch {

namespace {

// A child imports and compiles on two to three cores at a time, and a measuring one wants its own.
constexpr int kCoresPerJob = 4;
// The framework, a compiler and the inputs of a large shape on the host.
constexpr std::uint64_t kBytesPerJob = 8ull << 30;
constexpr int kMostJobs = 8;  // beyond that they wait for each other's measurements

int affinity_cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

// The first two words of a control group's file of limits; "max" is none.
std::optional<long long> number_in(char const* path, std::size_t word) {
  Result<std::string> const text = read_file(path);
  if (!text) return std::nullopt;
  std::vector<std::string> const words = split(trim(*text), ' ');
  return word < words.size() ? parse_integer(words[word]) : std::nullopt;
}

}  // namespace

HostShare host_share() {
  HostShare share{affinity_cores(), 0};
  auto const quota = number_in("/sys/fs/cgroup/cpu.max", 0);
  auto const period = number_in("/sys/fs/cgroup/cpu.max", 1);
  if (quota && period && *period > 0)
    share.cores = std::min(share.cores, std::max(1, static_cast<int>(*quota / *period)));
  share.memory_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (auto const limit = number_in("/sys/fs/cgroup/memory.max", 0); limit && *limit > 0)
    share.memory_bytes = std::min(share.memory_bytes, static_cast<std::uint64_t>(*limit));
  return share;
}

int default_jobs_per_device(HostShare const& share, std::size_t devices, bool is_host_backend) {
  if (is_host_backend || devices == 0) return 1;
  int const by_cores = share.cores / kCoresPerJob / static_cast<int>(devices);
  int const by_memory = share.memory_bytes == 0
                            ? kMostJobs
                            : static_cast<int>(share.memory_bytes / kBytesPerJob / devices);
  return std::clamp(std::min(by_cores, by_memory), 1, kMostJobs);
}

}  // namespace zl::batch
