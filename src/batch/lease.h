#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "run/access.h"

namespace zl::batch {

using run::Access;

// Who may touch one device, and when. Pure: no clock, no process. A child sits on a seat; it asks,
// is granted, and gives back. Exclusive is granted when nobody else holds anything: the holder of
// the lease measures on a device that is quiet.
//
// In turns: those who want the lease when the device falls quiet get it one after the other, then
// all who want to work beside each other do, and so on. So a wish waits for at most one turn of the
// other kind and for those of its own turn, however often the others come back.
class Lease {
 public:
  explicit Lease(int seats) : seats_(static_cast<std::size_t>(seats)) {}

  struct Grant {
    int seat = 0;
    Access access = Access::none;
    bool operator==(Grant const&) const = default;
  };

  // Asking gives back what the seat held: who wants the lease has left the device before it says
  // so. `none` is no wish.
  void want(int seat, Access access);
  // What it holds, and what it wished for: also when its child has died.
  void give_back(int seat);
  // What has become possible, in the order in which it is to be told; held from now on.
  std::vector<Grant> take_grants();

  Access held_by(int seat) const { return at(seat).held; }
  Access wanted_by(int seat) const { return at(seat).wanted; }
  std::optional<int> holder() const;  // of the lease
  bool has_waiting() const;

 private:
  struct Seat {
    Access held = Access::none;
    Access wanted = Access::none;
    std::uint64_t ticket = 0;  // of the wish: the order in which they came
  };
  Seat const& at(int seat) const { return seats_.at(static_cast<std::size_t>(seat)); }
  bool holds_any(Access access) const;
  std::optional<int> first_waiting(Access access) const;
  void grant(int seat, std::vector<Grant>& grants);
  void grant_shared(std::vector<Grant>& grants);

  std::vector<Seat> seats_;
  std::uint64_t next_ticket_ = 1;
  // Of the turn of the lease that runs: who asked later waits for the next one. 0: none runs.
  std::uint64_t turn_ends_before_ = 0;
};

}  // namespace zl::batch
