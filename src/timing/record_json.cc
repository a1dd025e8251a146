#include "timing/record_json.h"

#include <cmath>

#include "base/json.h"
#include "timing/packing.h"
#include "timing/record_form.h"

namespace zl::timing {

namespace {

constexpr int kFormat = 1;
constexpr Rejection kRejections[] = {Rejection::early_release, Rejection::host_bound,
                                     Rejection::epoch,         Rejection::preempted,
                                     Rejection::slowdown,      Rejection::clock};
constexpr BurstStop kStops[] = {BurstStop::none, BurstStop::interval, BurstStop::max_device,
                                BurstStop::max_wall};
// Of what a text may claim: far beyond what is measured, and nothing computed of it overflows.
constexpr double kMostNs = 1e15;
constexpr double kMostTick_ns = 1e9;
constexpr long long kMostCalls = 1'000'000'000;

using Steps = std::vector<std::int64_t>;

template <class T, std::size_t N>
std::optional<T> from_text(T const (&values)[N], std::string const& text) {
  for (T const value : values) {
    if (to_text(value) == text) return value;
  }
  return std::nullopt;
}

// Every burst of the record, in order.
template <class RecordLike>
auto all_bursts(RecordLike& record) {
  std::vector<decltype(record.visits[0].bursts.data())> bursts;
  for (auto& visit : record.visits) {
    for (auto& burst : visit.bursts) bursts.push_back(&burst);
  }
  return bursts;
}

// ---- the packed numbers: the sizes of the bursts, then column by column ----

void pack_sizes(std::vector<Burst const*> const& bursts, Packer* packer) {
  for (std::size_t i = 0; i < bursts.size();) {
    std::size_t const size = bursts[i]->intervals_ns.size();
    std::size_t end = i;
    while (end < bursts.size() && bursts[end]->intervals_ns.size() == size) ++end;
    packer->put(size);
    packer->put(end - i);
    i = end;
  }
}

// One number a burst, each as its difference to the one before; a column of zeros is one byte.
void pack_column(Steps const& column, Packer* packer) {
  bool const is_empty =
      std::all_of(column.begin(), column.end(), [](std::int64_t value) { return value == 0; });
  packer->put(is_empty ? 0 : 1);
  std::int64_t before = 0;
  for (std::int64_t const value : column) {
    if (!is_empty) packer->put_signed(value - before);
    before = value;
  }
}

std::string pack(Record const& record, double unit_ns) {
  std::vector<Burst const*> const bursts = all_bursts(record);
  Packer packer;
  pack_sizes(bursts, &packer);
  Steps starts, clocks, hosts;
  for (Burst const* const burst : bursts) {
    starts.push_back(to_steps(burst->start_ns, kStart_ns));
    clocks.push_back(to_steps(burst->evidence.clock_mhz, kClock_mhz));
    // One more, so that 0 is none.
    bool const has_host = !burst->host_ns.empty();
    hosts.push_back(has_host ? to_steps(median(burst->host_ns), kHost_ns) + 1 : 0);
  }
  for (Steps const* const column : {&starts, &clocks, &hosts}) pack_column(*column, &packer);
  std::int64_t before = 0;
  for (Burst const* const burst : bursts) {
    for (double const interval : burst->intervals_ns) {
      std::int64_t const value = to_steps(interval, unit_ns);
      packer.put_signed(value - before);
      before = value;
    }
  }
  return packer.text();
}

class Unpacking {
 public:
  explicit Unpacking(Unpacker unpacker) : unpacker_(std::move(unpacker)) {}

  // Fills the bursts, whose visits are there; false when the numbers are not theirs. Memory is
  // taken for a sample once it is read, whatever the sizes claim.
  bool fill(double unit_ns, Record* record) {
    std::vector<Burst*> const bursts = all_bursts(*record);
    std::vector<std::size_t> sizes;
    if (!read_sizes(bursts.size(), &sizes)) return false;
    auto const starts = read_column(bursts.size());
    auto const clocks = read_column(bursts.size());
    auto const hosts = read_column(bursts.size());
    std::int64_t value = 0;
    for (std::size_t i = 0; is_good_ && i < bursts.size(); ++i) {
      Burst& burst = *bursts[i];
      burst.start_ns = from_steps(starts[i], kStart_ns);
      is_good_ = is_good_ && clocks[i] >= 0 && hosts[i] >= 0;
      burst.evidence.clock_mhz = from_steps(clocks[i], kClock_mhz);
      if (hosts[i] > 0) burst.host_ns = {from_steps(hosts[i] - 1, kHost_ns)};
      for (std::size_t n = 0; n < sizes[i] && is_good_; ++n) {
        read_next(&value);
        burst.intervals_ns.push_back(from_steps(value, unit_ns));
        is_good_ = is_good_ && std::abs(burst.intervals_ns.back()) <= kMostNs;
      }
    }
    return is_good_ && unpacker_.left() == 0;
  }

 private:
  bool read_sizes(std::size_t bursts, std::vector<std::size_t>* sizes) {
    while (sizes->size() < bursts) {
      std::uint64_t const size = unpacker_.next();
      std::uint64_t const repeats = unpacker_.next();
      bool const is_sane =
          unpacker_.is_good() && size >= 1 && repeats >= 1 && repeats <= bursts - sizes->size();
      if (!is_sane) return false;
      sizes->insert(sizes->end(), repeats, size);
    }
    return true;
  }

  // The number after `value` of the same column, in its place.
  void read_next(std::int64_t* value) {
    bool const is_too_far = __builtin_add_overflow(*value, unpacker_.next_signed(), value);
    is_good_ = is_good_ && !is_too_far && unpacker_.is_good();
  }

  Steps read_column(std::size_t bursts) {
    Steps column(bursts, 0);
    std::uint64_t const kind = unpacker_.next();
    is_good_ = is_good_ && unpacker_.is_good() && kind <= 1;
    std::int64_t value = 0;
    for (std::size_t i = 0; kind == 1 && is_good_ && i < bursts; ++i) {
      read_next(&value);
      is_good_ = is_good_ && std::abs(from_steps(value, 1)) <= kMostNs;
      column[i] = value;
    }
    return column;
  }

  Unpacker unpacker_;
  bool is_good_ = true;
};

// ---- the fields around them ----

Json visits_json(Record const& record) {
  Json visits = Json::array();
  for (Visit const& visit : record.visits) {
    Json json{{"stop", to_text(visit.why)}, {"bursts", visit.bursts.size()}};
    if (visit.is_discarded) json["discarded"] = true;
    if (visit.is_drifting) json["drifting"] = true;
    if (visit.is_power_capped) json["power_capped"] = true;
    if (visit.temperature_c) json["temperature_c"] = *visit.temperature_c;
    visits.push_back(std::move(json));
  }
  return visits;
}

Json rejected_json(Record const& record) {
  Json rejected = Json::object();
  std::vector<Burst const*> const bursts = all_bursts(record);
  for (std::size_t i = 0; i < bursts.size(); ++i) {
    if (bursts[i]->rejection == Rejection::none) continue;
    rejected[std::string(to_text(bursts[i]->rejection))].push_back(i);
  }
  return rejected;
}

// `most_bursts` in the whole record; empty when it is more or a visit is none.
std::optional<std::vector<Visit>> parse_visits(Json const& json, std::size_t most_bursts) {
  if (!json.is_array()) return std::nullopt;
  std::vector<Visit> visits;
  for (Json const& one : json) {
    auto const why = from_text(kStops, string_field(one, "stop").value_or(""));
    long long const bursts = integer_field(one, "bursts").value_or(-1);
    if (!why || bursts < 0 || static_cast<std::size_t>(bursts) > most_bursts) return std::nullopt;
    most_bursts -= static_cast<std::size_t>(bursts);
    Visit visit;
    visit.why = *why;
    visit.is_discarded = bool_field(one, "discarded").value_or(false);
    visit.is_drifting = bool_field(one, "drifting").value_or(false);
    visit.is_power_capped = bool_field(one, "power_capped").value_or(false);
    visit.temperature_c = number_field(one, "temperature_c");
    visit.bursts.resize(static_cast<std::size_t>(bursts));
    visits.push_back(std::move(visit));
  }
  return visits;
}

bool mark_rejected(Json const& rejected, Record* record) {
  std::vector<Burst*> const bursts = all_bursts(*record);
  if (!rejected.is_object()) return false;
  for (auto const& [word, indexes] : rejected.items()) {
    auto const rejection = from_text(kRejections, word);
    if (!rejection || !indexes.is_array()) return false;
    for (Json const& index : indexes) {
      bool const is_burst = index.is_number_unsigned() && index.get<std::size_t>() < bursts.size();
      if (!is_burst) return false;
      bursts[index.get<std::size_t>()]->rejection = *rejection;
    }
  }
  return true;
}

bool is_within(std::optional<double> const& value, double low, double high) {
  return value && *value >= low && *value <= high;
}

std::optional<Record> parse_fields(Json const& json) {
  auto const id = string_field(json, "id");
  auto const tick_ns = number_field(json, "tick_ns");
  auto const null_ns = number_field(json, "null_ns");
  auto const tau = number_field(json, "tau");
  long long const calls = integer_field(json, "calls_per_sample").value_or(0);
  double const quantile = number_field(json, "quantile").value_or(0.5);
  bool const is_sane = integer_field(json, "format") == kFormat && id &&
                       is_within(quantile, 0, 1) && is_within(tick_ns, 0, kMostTick_ns) &&
                       is_within(null_ns, -kMostNs, kMostNs) && is_within(tau, 0, 1) &&
                       calls >= 1 && calls <= kMostCalls;
  if (!is_sane) return std::nullopt;
  return Record{*id, *tick_ns, *null_ns, static_cast<std::size_t>(calls), *tau, {}, quantile};
}

}  // namespace

std::string to_json_line(Record const& record) {
  double const unit_ns = interval_unit_ns(record);
  Json json{{"format", kFormat},
            {"id", record.id},
            {"tick_ns", record.tick_ns},
            {"null_ns", record.null_ns},
            {"calls_per_sample", record.calls_per_sample},
            {"tau", record.tau},
            {"unit_ns", unit_ns},
            {"visits", visits_json(record)},
            {"data", pack(record, unit_ns)}};
  if (record.quantile != 0.5) json["quantile"] = record.quantile;
  Json rejected = rejected_json(record);
  if (!rejected.empty()) json["rejected"] = std::move(rejected);
  return to_line(json);
}

std::optional<Record> parse_record(std::string_view text) {
  auto const json = parse_json(text);
  if (!json) return std::nullopt;
  std::optional<Record> record = parse_fields(*json);
  auto const unit_ns = number_field(*json, "unit_ns");
  auto unpacker = Unpacker::open(string_field(*json, "data").value_or(""));
  Json const* const visits = find_field(*json, "visits");
  if (!record || !unit_ns || !unpacker || visits == nullptr) return std::nullopt;
  bool const is_known_unit = *unit_ns == record->tick_ns || *unit_ns == 1 || *unit_ns == kFine_ns;
  auto parsed = parse_visits(*visits, unpacker->left());
  if (!is_known_unit || *unit_ns <= 0 || !parsed) return std::nullopt;
  record->visits = std::move(*parsed);
  if (!Unpacking(std::move(*unpacker)).fill(*unit_ns, &*record)) return std::nullopt;
  Json const* const rejected = find_field(*json, "rejected");
  if (rejected != nullptr && !mark_rejected(*rejected, &*record)) return std::nullopt;
  return record;
}

std::string to_json_line(Summary const& summary) {
  auto const known = [](std::optional<double> const& value) {
    return value ? Json(*value) : Json();
  };
  Json json{{"value_ns", summary.value_ns},
            {"median_ns", summary.median_ns},
            {"ci95_relative", known(summary.ci95_relative)},
            {"ci95_rep_ns", known(summary.ci95_rep_ns)},
            {"iqr_ns", summary.iqr_ns},
            {"min_ns", summary.min_ns},
            {"p5_ns", summary.p5_ns},
            {"p25_ns", summary.p25_ns},
            {"p75_ns", summary.p75_ns},
            {"p95_ns", summary.p95_ns},
            {"p99_ns", summary.p99_ns},
            {"max_ns", summary.max_ns},
            {"far_out", summary.far_out},
            {"samples", summary.samples},
            {"bursts", summary.bursts},
            {"visits", summary.visits},
            {"rejected_bursts", summary.rejected_bursts},
            {"host_ns", known(summary.host_ns)},
            {"visit_values_ns", summary.visit_values_ns},
            {"flags", summary.flags}};
  json["ci95_ns"] = nullptr;
  if (summary.interval_ns) json["ci95_ns"] = {summary.interval_ns->low, summary.interval_ns->high};
  json["clock_mhz"] = summary.clock_mhz > 0 ? Json(summary.clock_mhz) : Json();
  json["cycles"] = known(summary.cycles);
  return to_line(json);
}

}  // namespace zl::timing
