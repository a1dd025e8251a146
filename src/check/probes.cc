#include "check/probes.h"

#include <fmt/format.h>

#include "backend/field_reader.h"
#include "base/embedded.h"
#include "base/text.h"

namespace zl::check {

namespace {

using backend::FieldReader;
using backend::FirstError;
using backend::Need;

constexpr char const* kTable = "probes.yaml";

Probe read_probe(FieldReader const& reader) {
  Probe probe;
  probe.id = reader.text("id", Need::required);
  probe.what = reader.text("what", Need::required);
  probe.script = reader.has("script") ? reader.text("script", Need::required) : "";
  probe.is_smallest = reader.has("smallest") && reader.yes_no("smallest", Need::required);
  probe.is_accuracy = reader.has("accuracy") && reader.yes_no("accuracy", Need::required);
  probe.timer = reader.has("timer") ? reader.text("timer", Need::required) : "";
  probe.corpus_arguments = reader.texts("corpus_arguments", Need::optional);
  for (std::string const& setting : reader.texts("environment", Need::optional)) {
    std::size_t const equal = setting.find('=');
    if (equal == std::string::npos) reader.refuse("environment", "needs NAME=value");
    probe.environment[setting.substr(0, equal)] =
        equal == std::string::npos ? "" : setting.substr(equal + 1);
  }
  probe.in_class = find_class(reader.text("class", Need::required));
  if (probe.in_class == nullptr) reader.refuse("class", "is no class of cause");
  probe.says = reader.text("says", Need::required);
  return probe;
}

}  // namespace

std::string probe_script(std::string const& name) {
  for (EmbeddedFile const& file : embedded::probes()) {
    if (file.name == name) return std::string(file.text);
  }
  return "";
}

Result<std::vector<Probe>> load_probes() {
  Result<backend::YamlNode> const root = backend::read_yaml(probe_script(kTable), kTable);
  if (!root) return tl::unexpected<Error>(root.error());
  FirstError error(kTable);
  FieldReader const file(*root, "", {"probes"}, error);
  std::vector<Probe> probes;
  for (FieldReader const& reader :
       file.groups("probes", Need::required,
                   {"id", "what", "script", "smallest", "accuracy", "timer", "corpus_arguments",
                    "environment", "class", "says"})) {
    probes.push_back(read_probe(reader));
  }
  if (error.get()) return tl::unexpected<Error>(*error.get());
  return probes;
}

bool changes_failure(Probe const& probe, ProbeOutcome const& reference,
                     ProbeOutcome const& outcome) {
  if (!probe.script.empty()) return !outcome.is_ok;
  return outcome.is_ok || outcome.signature != reference.signature;
}

}  // namespace zl::check
