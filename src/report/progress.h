#pragma once

#include <chrono>

#include "base/terminal.h"
#include "results/observer.h"

namespace zl::report {

// Live progress on one stream: a line for every operator that ended; on a terminal also status
// lines that are printed over: how far the batch is, and what each device does.
class Progress : public results::Observer {
 public:
  enum class Detail { lines, quiet };  // quiet: warnings and failures only
  Progress(Terminal& terminal, Detail detail, int total, int done);

  void on_event(results::Event const& event) override;
  void on_activity(std::vector<results::Activity> const& activities) override;
  void on_pause() override { terminal_.clear_status(); }

 private:
  void print_result(results::OpResult const& result);
  void print_note(results::Noted const& note);
  std::string head_line() const;

  Terminal& terminal_;
  Detail detail_;
  int total_;
  int done_;
  int done_before_;
  int failed_ = 0;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace zl::report
