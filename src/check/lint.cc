#include "check/lint.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "base/embedded.h"
#include "base/host.h"
#include "base/json.h"
#include "check/lint_cache.h"
#include "check/lint_rules.h"
#include "provider/catalogue.h"
#include "provider/corpus_files.h"
#include "provider/flaggems.h"
#include "provider/python_helper.h"

namespace zl::check {

namespace {

constexpr double kLimit_s = 300;  // 4,000 files take a few seconds

bool is_wanted(std::string_view name) {
  return ends_with(name, ".py") || name == "tune_configs.yaml";
}

// The linter's modules by name, and the indexer, whose reading of marks it shares.
Json linter_modules() {
  Json modules = Json::object();
  for (auto const files : {embedded::python_linter(), embedded::python_indexer()}) {
    for (EmbeddedFile const& file : files) {
      std::string const name(
          file.name.substr(0, file.name.size() - std::string_view(".py").size()));
      modules[name] = std::string(file.text);
    }
  }
  return modules;
}

Severity severity_of(std::string const& word) {
  if (word == "error") return Severity::error;
  return word == "warning" ? Severity::warning : Severity::note;
}

std::vector<std::string> texts_of(Json const& list) {
  std::vector<std::string> texts;
  for (Json const& item : list) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::string text_of(Json const& object, char const* name) {
  return string_field(object, name).value_or("");
}

LintFinding finding_from(Json entry) {
  LintFinding finding;
  finding.rule = text_of(entry, "rule");
  finding.severity = severity_of(text_of(entry, "level"));
  finding.file = text_of(entry, "file");
  finding.line = static_cast<int>(integer_field(entry, "line").value_or(1));
  finding.message = text_of(entry, "message");
  finding.fix = text_of(entry, "fix");
  finding.suppressed = string_field(entry, "suppressed");
  if (Json const* const vendors = find_field(entry, "vendors"))
    finding.vendors = texts_of(*vendors);
  for (char const* const known :
       {"rule", "level", "file", "line", "message", "fix", "suppressed", "vendors"}) {
    entry.erase(known);
  }
  if (!entry.empty()) finding.more_json = to_line(entry);
  return finding;
}

void add_entry(Json const& entry, LintReport& report) {
  if (find_field(entry, "rule")) {
    report.findings.push_back(finding_from(entry));
  } else if (Json const* const site = find_field(entry, "foreign_import")) {
    report.foreign_imports.push_back(
        {text_of(*site, "file"), static_cast<int>(integer_field(*site, "line").value_or(0)),
         text_of(*site, "module"), text_of(*site, "vendor"), text_of(*site, "verdict")});
  } else if (Json const* const facts = find_field(entry, "facts")) {
    if (Json const* const vendors = find_field(*facts, "vendors"))
      report.vendors = texts_of(*vendors);
    report.files = static_cast<std::size_t>(integer_field(*facts, "files").value_or(0));
  } else if (auto const note = string_field(entry, "note")) {
    report.notes.push_back(*note);
  }
}

// Nothing when the answer is not whole or not ours: a worker died, or another program answered.
std::optional<LintReport> report_from(std::string_view answer) {
  LintReport report;
  bool is_done = false;
  while (!answer.empty()) {
    std::size_t const end = std::min(answer.find('\n'), answer.size());
    std::optional<Json> const entry = parse_json(answer.substr(0, end));
    answer.remove_prefix(std::min(end + 1, answer.size()));
    if (!entry) continue;  // a site's start-up chatter
    if (find_field(*entry, "done")) is_done = true;
    auto const rule = string_field(*entry, "rule");
    if (rule && find_lint_rule(*rule) == nullptr) return std::nullopt;
    add_entry(*entry, report);
  }
  if (!is_done) return std::nullopt;
  auto const place = [](auto const& one) { return std::tie(one.file, one.line); };
  std::sort(report.findings.begin(), report.findings.end(), [&](auto const& a, auto const& b) {
    return std::tuple(place(a), a.rule, a.message) < std::tuple(place(b), b.rule, b.message);
  });
  std::sort(report.foreign_imports.begin(), report.foreign_imports.end(),
            [&](auto const& a, auto const& b) { return place(a) < place(b); });
  return report;
}

Result<Json> read_operators(fs::path const& root) {
  Result<std::string> const text = read_file(root / provider::kCatalogueFile);
  if (!text) return tl::unexpected<Error>(text.error());
  Result<std::vector<provider::Operator>> const operators = provider::parse_catalogue(*text);
  if (!operators) return in_context(root.string(), operators.error());
  Json names = Json::object();
  for (provider::Operator const& op : *operators) names[op.id] = op.aliases;
  return names;
}

Result<std::string> ask_python(LintOptions const& options, Json const& modules,
                               std::vector<provider::FoundFile> const& files) {
  Result<Json> const operators = read_operators(options.root);
  if (!operators) return tl::unexpected<Error>(operators.error());
  Json request{{"root", "."}, {"modules", modules}, {"operators", *operators}};
  for (provider::FoundFile const& file : files) {
    if (file.path != provider::kCatalogueFile)
      request["files"].push_back(Json::array({file.path, file.stamp.size}));
  }
  for (LintRule const& rule : lint_rules()) request["rules"].push_back(std::string(rule.id));
  provider::PythonHelper const helper{"read the corpus", modules.at("launch").get<std::string>(),
                                      kLimit_s};
  Result<std::string> out = provider::run_python(helper, to_line(request), options.root,
                                                 options.python, options.environment);
  if (out && !report_from(*out)) {
    return provider::python_failed(
        helper, options.python,
        fmt::format("its answer is not whole ({})", provider::last_line(*out)));
  }
  return out;
}

// The catalogue counts as a file of the corpus: names of operators are in it.
provider::FoundFiles find_corpus_files(fs::path const& root) {
  provider::FoundFiles found =
      provider::find_files(root, {"benchmark", "src/flag_gems", "tests"}, is_wanted);
  fs::path const catalogue = root / provider::kCatalogueFile;
  if (auto const stamp = provider::stamp_of(catalogue))
    found.files.push_back({provider::kCatalogueFile, *stamp});
  return found;
}

}  // namespace

char const* to_text(Severity severity) {
  if (severity == Severity::error) return "error";
  return severity == Severity::warning ? "warning" : "note";
}

Result<LintReport> lint(LintOptions const& options) {
  Result<void> const checked = provider::check_corpus(options.root);
  if (!checked) return tl::unexpected<Error>(checked.error());
  std::int64_t const taken_ns = provider::file_clock_ns();
  provider::FoundFiles found = find_corpus_files(options.root);
  Json const modules = linter_modules();
  LintCache const cache(options.cache_folder, options.root,
                        fmt::format("zlbench lint 1 {} {}", content_hash(to_line(modules)),
                                    to_line(Json(options.python))));
  std::optional<std::string> answer = cache.find(found.files);
  bool const is_from_cache = answer.has_value();
  std::string store_note;
  if (!answer) {
    Result<std::string> const asked = ask_python(options, modules, found.files);
    if (!asked) return tl::unexpected<Error>(asked.error());
    answer = *asked;
    Result<void> const stored = cache.store(found.files, taken_ns, *answer);
    if (!stored) {
      store_note = fmt::format("the findings were not kept, so the next call reads all again: {}",
                               stored.error().text);
    }
  }
  std::optional<LintReport> report = report_from(*answer);
  ZL_CHECK(report.has_value(), "an answer is looked at before it is kept");
  report->is_from_cache = is_from_cache;
  report->notes.insert(report->notes.begin(), found.notes.begin(), found.notes.end());
  if (!store_note.empty()) report->notes.push_back(store_note);
  return *std::move(report);
}

}  // namespace zl::check
