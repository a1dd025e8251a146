#include "report/progress.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/show.h"

namespace zl::report {

namespace {

// Often enough to look alive, seldom enough to cost nothing.
constexpr std::chrono::milliseconds kRefresh{150};

Color color_of(results::Status status) {
  if (status == results::Status::passed) return Color::green;
  if (status == results::Status::skipped) return Color::yellow;
  return Color::red;
}

}  // namespace

Progress::Progress(Terminal& terminal, Detail detail, int total, int done)
    : terminal_(terminal), detail_(detail), total_(total), done_(done), done_before_(done) {}

void Progress::on_event(results::Event const& event) {
  if (auto const* ended = std::get_if<results::RunEnded>(&event)) {
    ++done_;
    if (results::is_failure(ended->result.status)) ++failed_;
    print_result(ended->result);
  } else if (auto const* note = std::get_if<results::Noted>(&event)) {
    bool const is_plan_note = note->code == "PLAN";
    if (note->level == "warning" || note->level == "error") {
      terminal_.print_line(terminal_.paint(
          fmt::format("{}: {}: {}", note->op, note->level, printable(note->text)), Color::yellow));
    } else if (is_plan_note && detail_ == Detail::lines) {
      terminal_.print_line(fmt::format("{}: note: {}", note->op, printable(note->text)));
    }
  }
}

void Progress::print_result(results::OpResult const& result) {
  bool const is_failure = results::is_failure(result.status);
  if (detail_ == Detail::quiet && !is_failure) return;
  std::string line = fmt::format("[{}/{}] ", done_, total_);
  line += terminal_.paint(fmt::format("{:<11}", results::to_text(result.status)),
                          color_of(result.status));
  line += fmt::format(" {:<24} {}", result.op, kernel_text(result));
  if (result.speedup) line += fmt::format(", speedup {:.3f}", *result.speedup);
  line += fmt::format(", {}", duration_text(result.duration_s));
  std::string const reason = results::reason_text(result);
  if (!reason.empty()) line += ": " + printable(reason, 300);
  terminal_.print_line(line);
}

void Progress::on_activity(std::vector<results::Activity> const& activities) {
  auto const now = std::chrono::steady_clock::now();
  if (detail_ == Detail::quiet || now - shown_ < kRefresh) return;
  shown_ = now;
  terminal_.show_status(status_line(activities));
}

std::string Progress::status_line(std::vector<results::Activity> const& activities) const {
  double const elapsed_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  std::string line = fmt::format("[{}/{}]", done_, total_);
  if (failed_ > 0) line += fmt::format(" {} failed", failed_);
  int const done_here = done_ - done_before_;
  if (done_here > 0 && done_ < total_) {
    line += fmt::format(", {} left", duration_text(elapsed_s / done_here * (total_ - done_)));
  }
  for (results::Activity const& activity : activities) {
    line += fmt::format(" | {}: {} {} {}", activity.device, activity.op, activity.phase,
                        duration_text(activity.running_s));
  }
  return line;
}

}  // namespace zl::report
