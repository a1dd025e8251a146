#pragma once

#include <optional>
#include <string>

#include "backend/device.h"
#include "base/environment.h"
#include "base/fd.h"
#include "base/files.h"

namespace zl::batch {

// The folder that every zlbench process of this host agrees on, whoever runs it: ZL_LOCKS, else
// /run/lock/zlbench where anybody may write into /run/lock, else /tmp/zlbench-locks.
fs::path lock_folder(Environment const& environment);

// The name of a device's lock: its UUID where it has one, so that two backends that see one device
// mean one lock.
std::string lock_name(std::string const& backend, backend::Device const& device);

// The right of this process to use one device of this host: an flock on a file of that name. It is
// given back with the object, or by the kernel when the process dies, however that happens.
class DeviceLock {
 public:
  struct Attempt;
  // Does not wait. Users of one host share the folder: it is made for all of them, links and other
  // things that are no plain file are refused. `held_for` is what a waiting process is told of us.
  static Result<Attempt> try_take(fs::path const& folder, std::string const& name,
                                  std::string const& held_for);

 private:
  explicit DeviceLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

struct DeviceLock::Attempt {
  std::optional<DeviceLock> lock;
  std::string holder;  // without the lock: "process 123 (batch /runs/x)", as far as it is known
};

}  // namespace zl::batch
