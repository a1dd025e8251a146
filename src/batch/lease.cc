#include "batch/lease.h"

namespace zl::batch {

void Lease::want(int seat, Access access) {
  give_back(seat);
  if (access == Access::none) return;
  Seat& own = seats_.at(static_cast<std::size_t>(seat));
  own.wanted = access;
  own.ticket = next_ticket_++;
}

void Lease::give_back(int seat) {
  seats_.at(static_cast<std::size_t>(seat)) = {};
}

std::vector<Lease::Grant> Lease::take_grants() {
  std::vector<Grant> grants;
  if (holds_any(Access::exclusive)) return grants;
  if (!first_waiting(Access::exclusive)) {
    turn_ends_before_ = 0;
    grant_shared(grants);
    return grants;
  }
  // Nobody comes in any more; the device falls quiet as those leave who work on it.
  if (holds_any(Access::shared)) return grants;
  if (turn_ends_before_ == 0) turn_ends_before_ = next_ticket_;
  int const first = *first_waiting(Access::exclusive);
  bool const is_of_this_turn = at(first).ticket < turn_ends_before_;
  if (is_of_this_turn || !first_waiting(Access::shared)) {
    grant(first, grants);
    return grants;
  }
  turn_ends_before_ = 0;
  grant_shared(grants);
  return grants;
}

std::optional<int> Lease::holder() const {
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    if (seats_[i].held == Access::exclusive) return static_cast<int>(i);
  }
  return std::nullopt;
}

bool Lease::has_waiting() const {
  return first_waiting(Access::shared) || first_waiting(Access::exclusive);
}

bool Lease::holds_any(Access access) const {
  for (Seat const& seat : seats_) {
    if (seat.held == access) return true;
  }
  return false;
}

std::optional<int> Lease::first_waiting(Access access) const {
  std::optional<int> first;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    bool const is_earlier = !first || seats_[i].ticket < at(*first).ticket;
    if (seats_[i].wanted == access && is_earlier) first = static_cast<int>(i);
  }
  return first;
}

void Lease::grant(int seat, std::vector<Grant>& grants) {
  Seat& own = seats_.at(static_cast<std::size_t>(seat));
  grants.push_back({seat, own.wanted});
  own = {own.wanted, Access::none, 0};
}

void Lease::grant_shared(std::vector<Grant>& grants) {
  while (std::optional<int> const seat = first_waiting(Access::shared)) grant(*seat, grants);
}

}  // namespace zl::batch
