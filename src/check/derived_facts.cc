// Facts that the texts themselves give.
#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "check/explain.h"

namespace zl::check {

namespace {

Failure const* first_failure(Reading const& reading) {
  int const index = reading.shape.first_failure();
  return index < 0 ? nullptr : &reading.shape.failures[static_cast<std::size_t>(index)];
}

bool has_exception(std::vector<Reading> const& readings) {
  return std::any_of(readings.begin(), readings.end(), [](Reading const& reading) {
    Failure const* const failure = first_failure(reading);
    return failure != nullptr && !failure->chain.empty();
  });
}

void describe_log(Facts& facts, Reading const& log, bool is_explained_elsewhere) {
  LogSummary const& summary = log.summary;
  std::vector<std::string> words;
  if (log.is_missing) {
    words.emplace_back("missing");
  } else if (summary.lines == 0) {
    words.emplace_back("empty");
  } else if (summary.is_binary()) {
    words.emplace_back("binary");
    if (!summary.packed.empty()) words.emplace_back("packed");
  } else if (log.shape.hides_tracebacks && !is_explained_elsewhere) {
    words.emplace_back("no-traceback");
  } else {
    words.emplace_back("usable");
  }
  if (summary.is_cut && words.front() == "usable") words.emplace_back("cut");
  for (std::string const& word : words) facts.add("log", word);
}

void describe_frames(Facts& facts, Failure const& failure) {
  if (!failure.chain.empty() && !failure.chain.front().place.empty())
    facts.set("corpus_frames", failure.has_corpus_frame ? "yes" : "no");
  if (failure.side.size() > 0 && facts.find("phase") == nullptr) facts.set("phase", failure.side);
  if (facts.find("phase") == nullptr && starts_with(failure.title, "ERROR collecting"))
    facts.set("phase", "collect");
  if (facts.find("phase") == nullptr && failure.title == kConftestTitle)
    facts.set("phase", "import");
  std::string const active = facts.text("vendor");
  if (active.empty()) return;
  for (std::string const& vendor : failure.vendor_packages) {
    if (vendor != active) facts.add("foreign_frames", vendor);
  }
}

void describe_ask(Facts& facts, double asked) {
  auto const bytes = [&](char const* name) { return std::atof(facts.text(name).c_str()); };
  double const total = bytes("memory_total_bytes");
  double const free = bytes("memory_free_bytes");
  if (asked <= 0 || total <= 0) return;
  bool const is_over_free = free > 0 && asked > free;
  facts.set("ask", asked > total ? "over-device" : is_over_free ? "over-free" : "fits");
}

// Ends that say by themselves why there is nothing to read.
bool end_says_why(Facts const& facts) {
  if (facts.find("signal") != nullptr) return true;
  std::string const status = facts.text("status");
  return !status.empty() && status != "failed" && status != "partial";
}

}  // namespace

Facts derived_facts(Facts facts, std::vector<Reading> const& readings) {
  double asked = 0;
  bool const is_explained = has_exception(readings);
  for (Reading const& reading : readings) {
    asked = std::max(asked, reading.largest_ask_bytes);
    if (Failure const* const failure = first_failure(reading)) describe_frames(facts, *failure);
  }
  if (!readings.empty()) describe_log(facts, readings.back(), is_explained);
  describe_ask(facts, asked);
  std::string const log = facts.text("log");
  bool const is_readable = log == "usable" || log == "usable, cut";
  bool const is_some = is_explained || is_readable || end_says_why(facts);
  facts.set("evidence", is_some ? "some" : "none");
  return facts;
}

}  // namespace zl::check
