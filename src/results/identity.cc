#include "results/identity.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/json.h"
#include "base/text.h"

namespace zl::results {

namespace {

struct Rule {
  char const* pattern;  // of a dotted field; * matches anything
  char const* reason;
};

// In the order in which they are told. Numbers of two runs may be set in a ratio only when none of
// these differ.
constexpr Rule kBreaking[] = {
    {"format", "the records are of different formats"},
    {"operator", "other operators"},
    {"provider", "other operators"},
    {"nodes", "other code is measured"},
    {"backend", "other hardware"},
    {"vendor", "the corpus runs other kernels for another vendor"},
    {"device", "other hardware"},
    {"device.name", "other hardware"},
    {"device.architecture", "other hardware, other compiled code"},
    {"device.uuid", "two devices of one model differ in clocks, cooling and memory"},
    {"device.memory_total_bytes", "a device of another size, or a part of one"},
    {"child.device_name", "other hardware"},
    {"child.device_uuid", "two devices of one model differ in clocks, cooling and memory"},
    {"child.device_architecture", "other hardware, other compiled code"},
    {"child.device_capability", "other compiled code"},
    {"child.device_multiprocessors", "other hardware, or a part of it"},
    {"child.device_shared_memory_*", "the tuner chooses other configurations"},
    {"child.device_compute_mode", "others may use the device meanwhile"},
    {"host.machine", "other processor instructions"},
    {"host.processor", "launches, and all work on the host, take other times"},
    {"host.cores", "work on the host takes other times"},
    {"child.cpu_affinity", "other processors of the host are used"},
    {"child.cpu_governor", "the processor's clock is governed otherwise"},
    {"timer", "numbers of different timers"},
    {"calibers", "numbers that were taken in different ways"},
    {"child.timer*", "numbers of different timers"},
    {"child.autotune*", "the tuner starts from other configurations"},
    {"level", "other shapes"},
    {"shapes*", "other shapes"},
    {"dtypes", "a mean over other cases"},
    {"corpus_arguments", "the corpus measures otherwise"},
    {"child.corpus_commit", "other code is measured"},
    {"child.corpus_version", "other code is measured"},
    {"child.corpus_vendor", "the corpus runs other kernels for another vendor"},
    {"child.corpus_device", "other hardware"},
    {"child.library*", "other code is measured"},
    {"child.torch_version", "other baseline, other launch times"},
    {"child.torch_build", "other baseline"},
    {"child.torch_commit", "other baseline"},
    {"child.torch_device", "other hardware"},
    {"child.torch_runtimes*", "other vendor libraries under the baseline"},
    {"child.torch_module_version", "other baseline"},
    {"child.triton_version", "another compiler"},
    {"child.triton_target*", "other compiled code"},
    {"child.packages.flagtree", "another compiler"},
    {"child.workarounds", "kernels are compiled or launched otherwise"},
    {"child.driver", "other launch times, another assembler"},
    {"device.driver", "other launch times, another assembler"},
    {"child.env.*_LAUNCH_BLOCKING", "every launch waits for its kernel"},
    {"child.env.OMP_NUM_THREADS", "work on the host takes other times"},
    {"child.env.USE_FLAGTUNE*", "other configurations"},
    {"child.runner_compiler", "other code is measured"},
    {"zlbench", "another version may measure otherwise"},
};

constexpr char const* kEveryRun[] = {
    "identity_cost_ms",          "child.identity_cost_ms", "child.device_contact_ms",
    "*memory_free_bytes",        "child.shm_free_bytes",   "device.busy_processes",
    "child.load_average_1min",   "child.env.*_CACHE_DIR",  "child.caches.*.path",
    "child.caches.*.free_bytes", "child.clock_tick_ns",
};

bool is_reason_of_unknown(std::string const& field) {
  return starts_with(field, "unknown.") || starts_with(field, "child.unknown.") ||
         field == "unknown" || field == "child.unknown";
}

using Fields = std::map<std::string, Json>;

// Objects become dotted fields, and so do lists of objects that have a name; other lists stay
// whole.
void flatten(Json const& value, std::string const& path, Fields& fields) {
  bool const is_named_list = value.is_array() && !value.empty() &&
                             std::all_of(value.begin(), value.end(), [](Json const& one) {
                               return string_field(one, "name").has_value();
                             });
  if (value.is_object()) {
    for (auto const& [key, inner] : value.items())
      flatten(inner, path.empty() ? key : path + "." + key, fields);
  } else if (is_named_list && path != "child.workarounds") {
    for (Json const& inner : value)
      flatten(inner, path + "." + *string_field(inner, "name"), fields);
  } else if (!is_reason_of_unknown(path)) {
    fields[path] = value;
  }
}

Result<Fields> fields_of(std::string const& json, char const* which) {
  std::optional<Json> const record = parse_json(json);
  if (!record || !record->is_object()) {
    return fail(ErrorKind::usage, std::string("the ") + which + " identity is no JSON object");
  }
  Fields fields;
  flatten(*record, "", fields);
  return fields;
}

std::size_t rank_of(std::string const& field) {
  auto const rule = std::find_if(std::begin(kBreaking), std::end(kBreaking),
                                 [&](Rule const& one) { return glob_matches(one.pattern, field); });
  return static_cast<std::size_t>(rule - std::begin(kBreaking));
}

bool changes_every_run(std::string const& field) {
  return std::any_of(std::begin(kEveryRun), std::end(kEveryRun),
                     [&](char const* pattern) { return glob_matches(pattern, field); });
}

bool is_unknown(Json const* value) {
  return value == nullptr || value->is_null();
}

IdentityDifference describe(std::string const& field, Json const* a, Json const* b) {
  IdentityDifference difference;
  difference.field = field;
  difference.a = a == nullptr ? "absent" : to_line(*a);
  difference.b = b == nullptr ? "absent" : to_line(*b);
  std::size_t const rank = rank_of(field);
  if (changes_every_run(field)) {
    difference.effect = Effect::every_run;
  } else if (rank < std::size(kBreaking)) {
    difference.effect = Effect::breaks;
    difference.reason = kBreaking[rank].reason;
    if (is_unknown(a) || is_unknown(b)) difference.reason += " (one side does not know it)";
  }
  return difference;
}

}  // namespace

std::string_view to_text(Effect effect) {
  switch (effect) {
    case Effect::breaks:
      return "breaks";
    case Effect::other:
      return "other";
    case Effect::every_run:
      break;
  }
  return "every run";
}

Result<std::vector<IdentityDifference>> diff_identities(std::string const& a_json,
                                                        std::string const& b_json) {
  Result<Fields> const a = fields_of(a_json, "first");
  if (!a) return tl::unexpected<Error>(a.error());
  Result<Fields> const b = fields_of(b_json, "second");
  if (!b) return tl::unexpected<Error>(b.error());
  std::set<std::string> names;
  for (auto const& [name, value] : *a) names.insert(name);
  for (auto const& [name, value] : *b) names.insert(name);
  std::vector<IdentityDifference> differences;
  for (std::string const& name : names) {
    auto const in_a = a->find(name);
    auto const in_b = b->find(name);
    Json const* const left = in_a == a->end() ? nullptr : &in_a->second;
    Json const* const right = in_b == b->end() ? nullptr : &in_b->second;
    bool const is_same = is_unknown(left) ? is_unknown(right) : right != nullptr && *left == *right;
    if (!is_same) differences.push_back(describe(name, left, right));
  }
  auto const order = [](IdentityDifference const& one) {
    return std::make_tuple(one.effect, rank_of(one.field), one.field);
  };
  std::sort(differences.begin(), differences.end(),
            [&](IdentityDifference const& x, IdentityDifference const& y) {
              return order(x) < order(y);
            });
  return differences;
}

}  // namespace zl::results
