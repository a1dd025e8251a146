#include "batch/health_check.h"

#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"

namespace zl::batch {

namespace {

constexpr std::chrono::seconds kLimit{60};

std::string last_line_of(int fd) {
  std::string text;
  char buffer[8192];
  ssize_t count = 0;
  while ((count = ::read(fd, buffer, sizeof(buffer))) > 0)
    text.append(buffer, static_cast<std::size_t>(count));
  std::string last;
  for (std::string const& line : split(text, '\n')) {
    if (!trim(line).empty()) last = trim(line);
  }
  return printable(to_valid_utf8(last), 300);
}

}  // namespace

HealthCheck HealthCheck::start(run::PlanRequest const& plan) {
  HealthCheck check;
  check.ends_at_ = std::chrono::steady_clock::now() + kLimit;
  bool const has_question = plan.operation.provider != "native" && !plan.backend->is_host();
  if (!has_question) {
    check.verdict_ = Verdict{};
    return check;
  }
  int ends[2];
  Result<run::Plan> const child = run::make_plan(plan);
  if (!child || ::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    check.verdict_ = Verdict{false, "the check could not be started"};
    return check;
  }
  check.output_ = Fd(ends[0]);
  Fd const theirs(ends[1]);
  SpawnRequest request;
  request.argv = {plan.places.python, "-m", "zlbench_plugins.health", plan.backend->torch_device};
  if (plan.backend->torch_module) request.argv.push_back(*plan.backend->torch_module);
  request.environment = with_changes(plan.caller, child->environment);
  request.working_directory = "/";
  request.output_fd = theirs.get();
  Result<Process> process = Process::spawn(request);
  if (process) {
    check.process_ = std::move(*process);
  } else {
    check.verdict_ = Verdict{false, process.error().text};
  }
  return check;
}

std::optional<HealthCheck::Verdict> HealthCheck::poll() {
  if (verdict_) return verdict_;
  std::optional<ExitStatus> const status = process_->try_wait();
  if (status) {
    verdict_ = status->code == 0
                   ? Verdict{}
                   : Verdict{false, fmt::format("the check ended with {}: {}", status->describe(),
                                                last_line_of(output_.get()))};
  } else if (std::chrono::steady_clock::now() > ends_at_) {
    process_->signal_group(SIGKILL);
    verdict_ = Verdict{false, "the check did not end within a minute"};
  }
  return verdict_;
}

}  // namespace zl::batch
