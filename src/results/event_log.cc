#include "results/event_log.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace zl::results {

namespace {

// The size of the log up to and with its last newline, and its first line.
struct Tail {
  off_t complete_bytes = 0;
  std::string first_line;
};

Result<Tail> inspect(fs::path const& path) {
  Result<std::string> const text = read_file(path);
  if (!text) return tl::unexpected<Error>(text.error());
  Tail tail;
  std::size_t const last = text->rfind('\n');
  tail.complete_bytes = last == std::string::npos ? 0 : static_cast<off_t>(last + 1);
  tail.first_line = text->substr(0, text->find('\n'));
  return tail;
}

}  // namespace

Result<EventLog> EventLog::open(fs::path const& path) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (!fd.is_open()) {
    return fail(ErrorKind::environment,
                fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return fail(ErrorKind::environment,
                fmt::format("{} is in use by another zlbench; wait for it or stop it first",
                            path.string()));
  }
  Result<Tail> const tail = inspect(path);
  if (!tail) return tl::unexpected<Error>(tail.error());
  if (tail->complete_bytes > 0) {
    Result<Event> const first = parse_event(tail->first_line);
    if (!first) return in_context(path.string(), first.error());
  }
  if (::ftruncate(fd.get(), tail->complete_bytes) != 0) {
    return fail(ErrorKind::environment, fmt::format("cannot cut the half line off {}: {}",
                                                    path.string(), std::strerror(errno)));
  }
  return EventLog(std::move(fd), path);
}

Result<void> EventLog::append(Event const& event) {
  return write_all(fd_.get(), to_json_line(event) + "\n", path_.string());
}

Result<LogFacts> read_events(fs::path const& path,
                             std::function<void(Event const&)> const& consume) {
  Result<std::string> const text = read_file(path);
  if (!text) return tl::unexpected<Error>(text.error());
  LogFacts facts;
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::size_t const end = rest.find('\n');
    facts.has_half_line = end == std::string_view::npos;
    if (facts.has_half_line) break;
    Result<Event> const event = parse_event(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    if (!event) {
      ++facts.skipped_lines;
      continue;
    }
    ++facts.events;
    consume(*event);
  }
  return facts;
}

}  // namespace zl::results
