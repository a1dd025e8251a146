#include "native/channel.h"

#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace zl::native {

namespace {
// As docs/child-protocol.md says; a parent's lines are some twenty bytes long.
constexpr std::size_t kMaxLineBytes = 1u << 20;
}  // namespace

Channel::Channel(Fd fd) : fd_(std::move(fd)) {}

Channel Channel::from_environment(Environment const& environment) {
  auto const text = lookup(environment, "ZL_CHANNEL_FD");
  auto const number = parse_integer(text.value_or(""));
  bool const is_open = number && *number >= 0 && *number <= INT_MAX &&
                       ::fcntl(static_cast<int>(*number), F_SETFD, FD_CLOEXEC) == 0;
  if (!is_open) {
    fmt::print(stderr, "native-runner: ZL_CHANNEL_FD names no open channel: nothing is timed\n");
    return Channel(Fd());
  }
  return Channel(Fd(static_cast<int>(*number)));
}

void Channel::send(nlohmann::json const& message) {
  std::string const line = to_line(message) + "\n";
  std::size_t sent = 0;
  while (fd_.is_open() && sent < line.size()) {
    ssize_t const count = ::send(fd_.get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      fd_.reset();
    }
  }
}

bool Channel::ask(std::string const& what) {
  put_down();
  granted_.clear();
  send({{"type", what + "_wanted"}});
  while (has_parent() && !is_stopped_ && granted_ != what) receive(true);
  bool const is_granted = granted_ == what && !should_end();
  if (is_granted) {
    held_ = what;
    board_.note();
  }
  return is_granted;
}

void Channel::put_down() {
  if (!held_.empty()) board_.note();
  held_.clear();
}

void Channel::leave_device() {
  if (held_.empty()) return;
  std::string const held = held_;
  put_down();
  send({{"type", held + "_released"}});
}

bool Channel::should_end() {
  receive(false);
  return is_stopped_ || !has_parent();
}

void Channel::receive(bool wait) {
  while (fd_.is_open()) {
    char bytes[4096];
    ssize_t const count = ::recv(fd_.get(), bytes, sizeof(bytes), wait ? 0 : MSG_DONTWAIT);
    if (count > 0) {
      pending_.append(bytes, static_cast<std::size_t>(count));
      take_lines();
      wait = false;
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return;
    } else {
      fd_.reset();
    }
  }
}

void Channel::take_lines() {
  std::size_t begin = 0;
  for (std::size_t end; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    take_line(pending_.substr(begin, end - begin));
  }
  pending_.erase(0, begin);
  if (pending_.size() > kMaxLineBytes) pending_.clear();
}

// Whatever this child does not know is skipped, as the protocol says.
void Channel::take_line(std::string const& line) {
  auto const message = parse_json(line);
  if (!message) return;
  auto const type = string_field(*message, "type");
  if (type == "lease_granted") granted_ = "lease";
  if (type == "device_granted") granted_ = "device";
  if (type == "stop") is_stopped_ = true;
}

}  // namespace zl::native
