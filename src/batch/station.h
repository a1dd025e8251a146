#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batch/board.h"
#include "batch/device_lock.h"
#include "batch/health_check.h"
#include "batch/lease.h"
#include "batch/retry.h"
#include "provider/provider.h"
#include "run/child.h"

namespace zl::batch {

// One child at work, and what it was started for.
struct Occupant {
  std::unique_ptr<run::Child> child;
  provider::ProviderCase operation;
  AttemptFacts facts;
};

// A result that waits for what the health check of its device says.
struct Suspect {
  results::OpResult result;
  Occupant occupant;  // without its child
};

// One device of a batch: its lock against the other processes of the host, the lease that its
// children share, and the children. Passive, as they are.
class Station {
 public:
  static Result<Station> create(std::optional<backend::Device> device, int seats);

  std::optional<backend::Device> const& device() const { return device_; }
  std::string label() const;  // its index, "-" where none is pinned
  int seats() const { return static_cast<int>(occupants_.size()); }
  std::vector<std::optional<Occupant>>& occupants() { return occupants_; }
  std::vector<std::optional<Occupant>> const& occupants() const { return occupants_; }
  int children() const;
  std::optional<int> free_seat() const;
  bool has_loner() const;  // a child that wants no other beside it
  int board_fd() const { return board_.fd(); }

  // Whether the device is ours. Tries again where it is not, now and then.
  Result<bool> take_lock(fs::path const& folder, std::string const& backend,
                         std::string const& held_for);
  void drop_lock() { lock_.reset(); }
  std::string const& waits_for() const { return waits_for_; }  // who has the lock; empty: nobody

  void sit_down(int seat, Occupant occupant);
  Occupant stand_up(int seat);
  // Hands on what the child on this seat wishes, and tells all whose wishes can be granted.
  void settle_wishes();
  // Holds the device, or the lease, and keeps the others waiting.
  bool is_in_the_way(int seat) const;
  bool is_measuring(int seat) const { return lease_.held_by(seat) == Access::exclusive; }

  // After a child that lost the device: a check beside the children, as one of them.
  bool is_suspect() const { return !suspects_.empty(); }
  bool is_retired() const { return is_retired_; }
  void suspect(Suspect suspect);
  // Starts the check when the device may be touched; its verdict when it has one.
  std::optional<HealthCheck::Verdict> check_health(run::PlanRequest const& plan);
  std::vector<Suspect> take_suspects();
  void retire() { is_retired_ = true; }

 private:
  Station(std::optional<backend::Device> device, int seats, Board board);
  int check_seat() const { return seats(); }  // the one behind those of the children

  std::optional<backend::Device> device_;
  Board board_;
  Lease lease_;
  std::vector<std::optional<Occupant>> occupants_;
  std::optional<DeviceLock> lock_;
  std::string waits_for_;
  run::Clock::time_point asked_;
  std::vector<Suspect> suspects_;
  std::optional<HealthCheck> check_;
  bool is_retired_ = false;
};

}  // namespace zl::batch
