#include "backend/choice.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "backend/file_sources.h"
#include "backend/source.h"
#include "base/text.h"

namespace zl::backend {

namespace {

// 0: files that prove a usable device, 1: what may hang, 2: what only looks at a bus.
int cost_rank(Source const& source) {
  SourceKind const* kind = find_source_kind(source.kind);
  if (kind->proof == SourceKind::Proof::bus_only) return 2;
  return kind->cost == SourceKind::Cost::guarded ? 1 : 0;
}

// Those that look for an accelerator, cheap ones first.
std::vector<Source> by_cost(std::vector<Source> const& all) {
  std::vector<Source> sources;
  std::copy_if(all.begin(), all.end(), std::back_inserter(sources), [](Source const& source) {
    return find_source_kind(source.kind)->proof != SourceKind::Proof::host;
  });
  std::stable_sort(sources.begin(), sources.end(),
                   [](Source const& a, Source const& b) { return cost_rank(a) < cost_rank(b); });
  return sources;
}

std::string count_text(Presence const& presence) {
  return fmt::format("{} {} device{}", presence.devices, presence.backend,
                     presence.devices == 1 ? "" : "s");
}

Result<Choice> choose_host(Registry const& registry, std::vector<std::string> notes) {
  auto const& all = registry.all();
  auto const host = std::find_if(all.begin(), all.end(),
                                 [](Descriptor const& each) { return each.is_plain_host(); });
  if (host == all.end()) {
    return fail(ErrorKind::usage,
                fmt::format("no accelerator found here; set ZL_BACKEND to one of {}",
                            join(registry.names(), ", ")));
  }
  notes.insert(notes.begin(),
               fmt::format("chosen: {}, since no accelerator was found here", host->name));
  return Choice{&*host, false, std::move(notes)};
}

bool is_set(std::optional<std::string> const& requested) {
  return requested && !trim(*requested).empty();
}

}  // namespace

std::vector<Presence> present_backends(Registry const& registry, ProbeOptions const& options) {
  std::vector<Presence> result;
  std::vector<std::vector<Source>> sources;
  for (Descriptor const& descriptor : registry.all()) {
    if (descriptor.is_host()) continue;
    result.push_back({descriptor.name, 0, false, "", {}, {}});
    sources.push_back(by_cost(descriptor.sources));
  }
  std::vector<Enumeration> found = ask_sources(sources, options);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].devices = static_cast<int>(found[i].devices.size());
    result[i].reachable = found[i].reachable;
    result[i].source = std::move(found[i].source);
    result[i].notes = std::move(found[i].notes);
    result[i].failures = std::move(found[i].failures);
  }
  return result;
}

Result<Choice> choose_backend(Registry const& registry, std::optional<std::string> const& requested,
                              std::vector<Presence> const& presence) {
  if (is_set(requested)) {
    auto const found = registry.find(*requested);
    if (!found) return tl::unexpected(found.error());
    return Choice{*found, true, {}};
  }
  std::vector<Presence> here;
  std::vector<std::string> notes;
  for (Presence const& each : presence) {
    notes.insert(notes.end(), each.failures.begin(), each.failures.end());
    if (each.devices == 0) continue;
    if (each.reachable) {
      here.push_back(each);
    } else {
      notes.push_back(
          fmt::format("{} on the bus, but no driver or device node answers: not chosen; "
                      "set ZL_BACKEND={} to insist",
                      count_text(each), each.backend));
    }
  }
  if (here.empty()) return choose_host(registry, std::move(notes));
  if (here.size() > 1) {
    std::vector<std::string> counts;
    for (Presence const& each : here) counts.push_back(count_text(each));
    return fail(ErrorKind::usage,
                fmt::format("several kinds of accelerators are here: {}; set ZL_BACKEND (or "
                            "--backend) to the one that is meant",
                            join(counts, " and ")));
  }
  auto const found = registry.find(here.front().backend);
  if (!found) return tl::unexpected(found.error());
  notes.insert(notes.begin(), fmt::format("chosen: {} here", count_text(here.front())));
  return Choice{*found, false, std::move(notes)};
}

Result<Choice> choose_backend(Registry const& registry, std::optional<std::string> const& requested,
                              ProbeOptions const& options) {
  std::vector<Presence> presence;
  if (!is_set(requested)) presence = present_backends(registry, options);
  return choose_backend(registry, requested, presence);
}

}  // namespace zl::backend
