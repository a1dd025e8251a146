// show: results of one batch or two.
#include "report/show.h"

#include "batch/batch_folder.h"
#include "cli/commands.h"
#include "cli/exit_code.h"

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
    notes.push_back(std::to_string(stored.log.skipped_lines) + " lines of " + stored.paths.events().string() +
                    " were not understood and left out");
  }
  if (!stored.state.ended()) notes.push_back("the batch has not ended: it runs, or was killed (batch --resume goes on)");
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
  if (format == report::Format::json) return fail(ErrorKind::usage, "two batches are shown as table, csv or md");
  print_out(formatted(report::pair_table(before->state, after->state), format));
  return kOk;
}

}  // namespace

Result<int> run_show(Context const& context) {
  Result<report::Format> const format = report::parse_format(context.options.json ? "json" : context.options.format);
  if (!format) return tl::unexpected<Error>(format.error());
  return context.options.folders.size() == 2 ? show_two(context, *format) : show_one(context, *format);
}

}  // namespace zl::cli
