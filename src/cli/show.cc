// show: results of one batch or two; with --identity what two runs were made with that differs,
// with --recompute whether the numbers are those of the stored samples.
#include "report/show.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/json.h"
#include "batch/batch_folder.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/recompute.h"
#include "report/cases.h"
#include "results/identity.h"

namespace zl::cli {

namespace {

std::string formatted(report::Table const& table, report::Format format) {
  if (format == report::Format::md) return report::to_markdown(table);
  if (format == report::Format::csv) return report::to_csv(table);
  return report::to_text(table);
}

void print_log_facts(batch::StoredBatch const& stored) {
  std::vector<std::string> notes;
  if (stored.log.skipped_lines > 0) {
    notes.push_back(std::to_string(stored.log.skipped_lines) + " lines of " +
                    stored.paths.events().string() + " were not understood and left out");
  }
  if (!stored.state.ended())
    notes.push_back("the batch has not ended: it runs, or was killed (batch --resume goes on)");
  print_notes(notes);
}

// A run's own folder: that operator alone.
std::string operator_of(std::string const& folder, batch::StoredBatch const& stored) {
  std::error_code code;
  fs::path const path = fs::weakly_canonical(folder, code);
  return path == stored.paths.folder ? "" : path.filename().string();
}

Result<int> show_one(Context const& context, report::Format format) {
  std::string const& folder = context.options.folders.front();
  Result<batch::StoredBatch> const stored = batch::open_batch(folder);
  if (!stored) return tl::unexpected<Error>(stored.error());
  print_log_facts(*stored);
  if (format == report::Format::json) {
    print_out(report::to_json_text(stored->state, stored->paths.folder.string()));
    return kOk;
  }
  std::string const op = operator_of(folder, *stored);
  if (!op.empty() || context.options.cases) {
    print_out(formatted(report::case_table(stored->state, op), format));
    return kOk;
  }
  print_out(formatted(report::operator_table(stored->state), format));
  if (format == report::Format::table) print_out("\n" + report::summary_line(stored->state) + "\n");
  return kOk;
}

Result<int> show_two(Context const& context, report::Format format) {
  Result<batch::StoredBatch> const before = batch::open_batch(context.options.folders[0]);
  if (!before) return tl::unexpected<Error>(before.error());
  Result<batch::StoredBatch> const after = batch::open_batch(context.options.folders[1]);
  if (!after) return tl::unexpected<Error>(after.error());
  if (format == report::Format::json)
    return fail(ErrorKind::usage, "two batches are shown as table, csv or md");
  print_out(formatted(report::pair_table(before->state, after->state), format));
  return kOk;
}

Result<int> show_recomputed(Context const& context, report::Format format) {
  if (context.options.folders.size() != 1)
    return fail(ErrorKind::usage, "show --recompute takes one run or batch");
  std::string const& folder = context.options.folders.front();
  Result<batch::StoredBatch> const stored = batch::open_batch(folder);
  if (!stored) return tl::unexpected<Error>(stored.error());
  Recomputed const result = recompute(stored->state, operator_of(folder, *stored));
  if (result.records == 0) {
    return fail(ErrorKind::nothing_selected,
                fmt::format("{}: no number here has stored samples; they come with the engine's "
                            "timers, not with the corpus' own",
                            folder));
  }
  print_out(format == report::Format::json ? to_json_text(result) : to_text(result));
  if (result.first_difference.empty()) return kOk;
  if (format != report::Format::json) print_out("first: " + result.first_difference + "\n");
  return kOperatorsFailed;
}

using Differences = std::vector<results::IdentityDifference>;

std::string identity_json(std::vector<fs::path> const& files, Differences const& differences,
                          bool is_comparable) {
  Json list = Json::array();
  for (results::IdentityDifference const& one : differences) {
    list.push_back({{"field", one.field},
                    {"effect", results::to_text(one.effect)},
                    {"a", parse_json(one.a).value_or(Json())},
                    {"b", parse_json(one.b).value_or(Json())},
                    {"reason", one.reason}});
  }
  Json const object{{"format", 1},
                    {"a", files[0].string()},
                    {"b", files[1].string()},
                    {"comparable", is_comparable},
                    {"differences", list}};
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// What changes with every run is counted for people and listed for programs.
std::string identity_text(Differences const& differences, long long breaking,
                          report::Format format) {
  constexpr std::size_t kWidest = 60;
  bool const is_for_people = format == report::Format::table;
  report::Table table{{{"effect"}, {"field"}, {"a"}, {"b"}, {"reason"}}, {}};
  for (results::IdentityDifference const& one : differences) {
    if (is_for_people && one.effect == results::Effect::every_run) continue;
    std::size_t const width = is_for_people ? kWidest : std::string::npos;
    table.rows.push_back({std::string(results::to_text(one.effect)), one.field,
                          printable(one.a, width), printable(one.b, width), one.reason});
  }
  if (!is_for_people) return formatted(table, format);
  std::size_t const hidden = differences.size() - table.rows.size();
  std::string const verdict =
      breaking > 0 ? fmt::format("{} of them make the numbers incomparable", breaking)
                   : std::string("none of them makes the numbers incomparable");
  std::string text = table.rows.empty() ? "" : formatted(table, format) + "\n";
  return text + fmt::format("fields that differ: {}; {}; {} more change with every run\n",
                            table.rows.size(), verdict, hidden);
}

Result<int> show_identity(Context const& context, report::Format format) {
  std::vector<fs::path> files;
  std::vector<std::string> records;
  if (context.options.folders.size() != 2)
    return fail(ErrorKind::usage, "show --identity compares two runs: name both");
  for (std::string const& folder : context.options.folders) {
    Result<fs::path> const file = results::find_identity_file(folder);
    if (!file) return tl::unexpected<Error>(file.error());
    Result<std::string> record = read_file(*file);
    if (!record) return tl::unexpected<Error>(record.error());
    files.push_back(*file);
    records.push_back(std::move(*record));
  }
  Result<Differences> const differences = results::diff_identities(records[0], records[1]);
  if (!differences) return in_context("show --identity", differences.error());
  auto const breaking =
      std::count_if(differences->begin(), differences->end(),
                    [](auto const& one) { return one.effect == results::Effect::breaks; });
  print_out(format == report::Format::json ? identity_json(files, *differences, breaking == 0)
                                           : identity_text(*differences, breaking, format));
  return kOk;
}

}  // namespace

Result<int> run_show(Context const& context) {
  Result<report::Format> const format =
      report::parse_format(context.options.json ? "json" : context.options.format);
  if (!format) return tl::unexpected<Error>(format.error());
  if (context.options.identity) return show_identity(context, *format);
  if (context.options.recompute) return show_recomputed(context, *format);
  return context.options.folders.size() == 2 ? show_two(context, *format)
                                             : show_one(context, *format);
}

}  // namespace zl::cli
