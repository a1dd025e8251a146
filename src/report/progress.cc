#include "report/progress.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

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

// Without tenths: a line that changes each second and not ten times.
std::string whole_text(double seconds) {
  return seconds < 100 ? fmt::format("{:.0f} s", std::floor(seconds)) : duration_text(seconds);
}

std::string phase_of(results::Activity const& activity) {
  return activity.is_waiting ? "waits" : activity.phase;
}

// The one that is worth a line: who measures, else who works, else who waits; of these the first.
results::Activity const& leading(std::vector<results::Activity const*> const& children) {
  auto const rank = [](results::Activity const* one) {
    return one->is_measuring ? 0 : one->is_waiting ? 2 : 1;
  };
  return **std::min_element(children.begin(), children.end(),
                            [&](auto const* a, auto const* b) { return rank(a) < rank(b); });
}

// "0 measure softmax 3 s +1 waits +2 import": the others of the device by what they do.
std::string device_line(std::vector<results::Activity const*> const& children) {
  results::Activity const& first = leading(children);
  if (first.op.empty()) return first.device + " " + printable(first.phase, 200);
  std::string line = fmt::format("{} {} {} {}", first.device, phase_of(first), first.op,
                                 whole_text(first.running_s));
  std::map<std::string, int> others;
  for (results::Activity const* const child : children) {
    if (child != &first) ++others[phase_of(*child)];
  }
  for (auto const& [phase, count] : others) line += fmt::format(" +{} {}", count, phase);
  return line;
}

// One a device, in the order in which they come.
std::vector<std::string> device_lines(std::vector<results::Activity> const& activities) {
  std::vector<std::string> lines;
  std::vector<results::Activity const*> children;
  for (std::size_t i = 0; i < activities.size(); ++i) {
    children.push_back(&activities[i]);
    bool const is_last =
        i + 1 == activities.size() || activities[i + 1].device != activities[i].device;
    if (!is_last) continue;
    lines.push_back(device_line(children));
    children.clear();
  }
  return lines;
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
    print_note(*note);
  } else if (auto const* attempt = std::get_if<results::AttemptEnded>(&event)) {
    if (detail_ == Detail::quiet) return;
    terminal_.print_line(terminal_.paint(
        fmt::format("{}: {}, once more with {}: {}", attempt->op, results::to_text(attempt->status),
                    join(attempt->changes, ", "), attempt->cause),
        Color::yellow));
  }
}

void Progress::print_note(results::Noted const& note) {
  std::string const whose = note.op.empty() ? "" : note.op + ": ";
  if (note.level == "warning" || note.level == "error") {
    terminal_.print_line(terminal_.paint(
        fmt::format("{}{}: {}", whose, note.level, printable(note.text)), Color::yellow));
  } else if (detail_ == Detail::lines && (note.code == "PLAN" || note.code == "DEVICE_IN_USE")) {
    terminal_.print_line(fmt::format("{}note: {}", whose, printable(note.text)));
  }
}

void Progress::print_result(results::OpResult const& result) {
  bool const is_failure = results::is_failure(result.status);
  if (detail_ == Detail::quiet && !is_failure) return;
  std::string const count = fmt::format("[{}/{}] ", done_, total_);
  std::string const status = fmt::format("{:<11}", results::to_text(result.status));
  std::string rest = fmt::format(" {:<24} {}", result.op, kernel_text(result));
  if (result.speedup) rest += fmt::format(", speedup {:.3f}", *result.speedup);
  rest += fmt::format(", {}", duration_text(result.duration_s));
  std::string const reason = results::reason_text(result);
  if (!reason.empty()) rest += ": " + printable(reason, 300);
  // On a terminal one row; the whole reason stands in the summary and in ops_status.csv.
  std::size_t const taken = count.size() + status.size() + 1;
  std::size_t const columns = std::max(terminal_.columns(), taken + 10);
  if (terminal_.is_terminal()) rest = elide_middle(rest, columns - taken);
  terminal_.print_line(count + terminal_.paint(status, color_of(result.status)) + rest);
}

void Progress::on_activity(std::vector<results::Activity> const& activities) {
  auto const now = std::chrono::steady_clock::now();
  if (detail_ == Detail::quiet || now - shown_ < kRefresh) return;
  shown_ = now;
  std::vector<std::string> lines{head_line()};
  // Half of the screen stays for the results.
  std::size_t const room = std::max<std::size_t>(1, terminal_.rows() / 2);
  std::vector<std::string> const devices = device_lines(activities);
  std::size_t const shown = devices.size() > room ? room - 1 : devices.size();
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(devices[i]);
  if (shown < devices.size())
    lines.push_back(fmt::format("and {} more devices", devices.size() - shown));
  terminal_.show_status(lines);
}

std::string Progress::head_line() const {
  double const elapsed_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  std::string line = fmt::format("[{}/{}]", done_, total_);
  if (failed_ > 0) line += fmt::format(" {} failed", failed_);
  int const done_here = done_ - done_before_;
  if (done_here == 0 || done_ >= total_) return line;
  line += fmt::format(" {:.1f}/min", done_here / elapsed_s * 60);
  return line + fmt::format(" {} left", whole_text(elapsed_s / done_here * (total_ - done_)));
}

}  // namespace zl::report
