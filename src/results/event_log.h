#pragma once

#include <functional>
#include <vector>

#include "base/files.h"
#include "results/event.h"

namespace zl::results {

// The batch's append-only log (docs/event-log.md). One event a line, handed to the kernel at once,
// so that a killed scheduler loses nothing that it has logged.
class EventLog {
 public:
  // Opens for appending, makes the file if needed. A half line at the end (the writer was killed in
  // the middle) is cut off first. A log of a newer format is refused: it is never written over.
  // Another process that has the log open is an error that names it.
  static Result<EventLog> open(fs::path const& path);

  // A full disk is an error here, at the event that did not fit.
  Result<void> append(Event const& event);

 private:
  EventLog(Fd fd, fs::path path) : fd_(std::move(fd)), path_(std::move(path)) {}
  Fd fd_;
  fs::path path_;
};

struct LogFacts {
  std::size_t events = 0;
  std::size_t skipped_lines = 0;  // unknown kinds and broken lines
  bool has_half_line = false;     // the last line has no newline
};

// Calls `consume` for each event in order. Unknown kinds and broken lines are skipped and counted.
Result<LogFacts> read_events(fs::path const& path,
                             std::function<void(Event const&)> const& consume);

}  // namespace zl::results
