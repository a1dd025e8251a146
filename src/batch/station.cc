#include "batch/station.h"

namespace zl::batch {

namespace {

// A device that another process uses is asked for again this often.
constexpr std::chrono::milliseconds kLockPause{500};

}  // namespace

Result<Station> Station::create(std::optional<backend::Device> device, int seats) {
  Result<Board> board = Board::create(seats);
  if (!board) return tl::unexpected<Error>(board.error());
  return Station(std::move(device), seats, std::move(*board));
}

Station::Station(std::optional<backend::Device> device, int seats, Board board)
    : device_(std::move(device)),
      board_(std::move(board)),
      lease_(seats + 1),
      occupants_(static_cast<std::size_t>(seats)) {}

std::string Station::label() const {
  return device_ ? std::to_string(device_->index) : "-";
}

int Station::children() const {
  int count = 0;
  for (std::optional<Occupant> const& occupant : occupants_) count += occupant ? 1 : 0;
  return count;
}

std::optional<int> Station::free_seat() const {
  for (int seat = 0; seat < seats(); ++seat) {
    if (!occupants_[static_cast<std::size_t>(seat)]) return seat;
  }
  return std::nullopt;
}

bool Station::has_loner() const {
  for (std::optional<Occupant> const& occupant : occupants_) {
    if (occupant && occupant->facts.trial.is_alone) return true;
  }
  return false;
}

Result<bool> Station::take_lock(fs::path const& folder, std::string const& backend,
                                std::string const& held_for) {
  if (lock_ || !device_) return true;
  run::Clock::time_point const now = run::Clock::now();
  if (!waits_for_.empty() && now - asked_ < kLockPause) return false;
  asked_ = now;
  Result<DeviceLock::Attempt> attempt =
      DeviceLock::try_take(folder, lock_name(backend, *device_), held_for);
  if (!attempt) return tl::unexpected<Error>(attempt.error());
  lock_ = std::move(attempt->lock);
  waits_for_ = attempt->holder;
  return lock_.has_value();
}

void Station::sit_down(int seat, Occupant occupant) {
  bool const has_company = children() > 0;
  for (std::optional<Occupant>& other : occupants_) {
    if (other) other->facts.was_beside_others = true;
  }
  occupant.facts.was_beside_others = has_company;
  occupants_[static_cast<std::size_t>(seat)] = std::move(occupant);
}

Occupant Station::stand_up(int seat) {
  std::optional<Occupant>& place = occupants_[static_cast<std::size_t>(seat)];
  Occupant occupant = std::move(*place);
  place.reset();
  board_.settle(seat);
  lease_.give_back(seat);
  return occupant;
}

void Station::settle_wishes() {
  for (int seat = 0; seat < seats(); ++seat) {
    std::optional<Occupant>& occupant = occupants_[static_cast<std::size_t>(seat)];
    if (!occupant) continue;
    if (auto const wish = occupant->child->take_wish()) lease_.want(seat, *wish);
  }
  for (Lease::Grant const& grant : lease_.take_grants()) {
    if (grant.seat == check_seat()) continue;  // check_health() sees it
    occupants_[static_cast<std::size_t>(grant.seat)]->child->grant(grant.access);
  }
}

bool Station::is_in_the_way(int seat) const {
  return lease_.held_by(seat) != Access::none && lease_.has_waiting();
}

void Station::suspect(Suspect suspect) {
  suspects_.push_back(std::move(suspect));
}

std::vector<Suspect> Station::take_suspects() {
  return std::exchange(suspects_, {});
}

std::optional<HealthCheck::Verdict> Station::check_health(run::PlanRequest const& plan) {
  int const seat = check_seat();
  if (lease_.held_by(seat) == Access::none) {
    if (lease_.wanted_by(seat) == Access::none) lease_.want(seat, Access::shared);
    settle_wishes();
    if (lease_.held_by(seat) == Access::none) return std::nullopt;
  }
  if (!check_) {
    run::PlanRequest request = plan;
    request.device = device_;
    request.operation = suspects_.front().occupant.operation;
    check_ = HealthCheck::start(request);
  }
  std::optional<HealthCheck::Verdict> verdict = check_->poll();
  if (!verdict) return std::nullopt;
  check_.reset();
  lease_.give_back(seat);
  settle_wishes();
  return verdict;
}

}  // namespace zl::batch
