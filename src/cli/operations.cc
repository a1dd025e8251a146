#include "cli/operations.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "provider/native.h"

namespace zl::cli {

namespace {

using provider::ProviderCase;

provider::OpenOptions corpus_options(Context const& context) {
  return {context.options.corpus, context.options.python, user_cache_folder(context.environment),
          context.environment};
}

Result<Catalogue> open_flaggems(Context const& context, provider::NodeKind kind) {
  Result<provider::FlagGemsCorpus> opened = provider::FlagGemsCorpus::open(corpus_options(context));
  if (!opened) return tl::unexpected<Error>(opened.error());
  auto const corpus = std::make_shared<provider::FlagGemsCorpus>(std::move(*opened));
  Catalogue catalogue;
  catalogue.notes = corpus->notes();
  for (provider::Operator const& entry : corpus->operators()) catalogue.names.push_back(entry.id);
  catalogue.find = [corpus, kind](std::string const& name) {
    return corpus->make_case(name, kind);
  };
  return catalogue;
}

ProviderCase to_case(provider::NativeOperator const& entry) {
  ProviderCase operation;
  operation.op = entry.name;
  operation.provider = "native";
  operation.nodes = {entry.library_name + "::" + entry.name};
  operation.all_nodes = operation.nodes;
  operation.library = entry.library.string();
  return operation;
}

Result<Catalogue> open_native(Context const& context) {
  Result<fs::path> const self = own_executable();
  if (!self) return tl::unexpected<Error>(self.error());
  provider::NativeOptions options;
  options.self = *self;
  options.environment = context.environment;
  for (std::string const& library : context.options.libraries)
    options.libraries.push_back(fs::absolute(library));
  if (options.libraries.empty()) options.folders = provider::default_operator_folders(*self);
  Result<provider::NativeListing> const listing = provider::list_native(options);
  if (!listing) return tl::unexpected<Error>(listing.error());
  if (listing->operators.empty()) {
    std::string const why =
        listing->problems.empty() ? "no library was found" : join(listing->problems, "; ");
    return fail(ErrorKind::environment,
                "the native provider has no operator: " + why + ". --library FILE names one");
  }
  Catalogue catalogue;
  catalogue.notes = listing->problems;
  std::map<std::string, ProviderCase> cases;
  for (provider::NativeOperator const& entry : listing->operators) {
    catalogue.names.push_back(entry.name);
    cases[entry.name] = to_case(entry);
  }
  catalogue.find = [cases, names = catalogue.names](std::string const& name) {
    auto const found = cases.find(name);
    if (found != cases.end()) return found->second;
    ProviderCase unknown;
    unknown.op = name;
    unknown.provider = "native";
    unknown.problem =
        fmt::format("no operator '{}'.{}", printable(name, 60), did_you_mean(name, names));
    return unknown;
  };
  return catalogue;
}

Result<Selection> select_direct(Context const& context) {
  Options const& options = context.options;
  if (options.operators.size() > 1) {
    return fail(ErrorKind::usage,
                "TEST_NODE and OP_FILE go with one operator (OP), not with several");
  }
  std::string const op = options.operators.empty() ? "" : options.operators.front();
  Result<provider::DirectNodes> const direct =
      provider::resolve_direct({options.corpus, options.python, context.environment,
                                options.test_node, options.op_file, op});
  if (!direct) return tl::unexpected<Error>(direct.error());
  ProviderCase operation;
  operation.op = direct->op;
  operation.provider = "flaggems";
  operation.nodes = direct->nodes;
  return Selection{{operation}, direct->notes};
}

Result<Selection> select_by_stage(Catalogue const& catalogue, std::string const& stage) {
  Selection selection;
  std::set<std::string> stages;
  for (std::string const& name : catalogue.names) {
    ProviderCase operation = catalogue.find(name);
    if (!operation.stage.empty()) stages.insert(operation.stage);
    if (operation.stage == stage) selection.operations.push_back(std::move(operation));
  }
  if (!selection.operations.empty()) return selection;
  std::vector<std::string> const known(stages.begin(), stages.end());
  return fail(ErrorKind::nothing_selected,
              fmt::format("--stage '{}' selects nothing; the catalogue's stages are {}.{}",
                          printable(stage, 40), known.empty() ? "none" : join(known, ", "),
                          did_you_mean(stage, known)));
}

Result<void> check_id(std::string const& name) {
  if (provider::is_valid_operator_id(name)) return {};
  return fail(ErrorKind::usage,
              fmt::format("'{}' cannot be an operator id: letters, digits and _ . - are allowed",
                          printable(name, 60)));
}

Result<Selection> select_by_file(Catalogue const& catalogue, std::string const& path) {
  Result<std::string> const text = read_file(path);
  if (!text) return in_context("--ops-file", text.error());
  Selection selection;
  for (std::string const& name : names_of_file(*text)) {
    Result<void> const valid = check_id(name);
    if (!valid) return in_context("--ops-file " + path, valid.error());
    selection.operations.push_back(catalogue.find(name));
  }
  if (selection.operations.empty()) {
    return fail(ErrorKind::nothing_selected, fmt::format("--ops-file {} names no operator", path));
  }
  return selection;
}

Result<Selection> select_by_names(Catalogue const& catalogue,
                                  std::vector<std::string> const& wanted) {
  Result<std::vector<std::string>> const names = expand_names(wanted, catalogue.names);
  if (!names) return tl::unexpected<Error>(names.error());
  std::set<std::string> const known(catalogue.names.begin(), catalogue.names.end());
  Selection selection;
  for (std::string const& name : *names) {
    ProviderCase operation = catalogue.find(name);
    if (!operation.problem.empty() && known.count(name) == 0)
      return fail(ErrorKind::usage, operation.problem);
    selection.operations.push_back(std::move(operation));
  }
  return selection;
}

}  // namespace

Result<Catalogue> open_catalogue(Context const& context, std::string const& provider,
                                 provider::NodeKind kind) {
  return provider == "native" ? open_native(context) : open_flaggems(context, kind);
}

Result<std::vector<std::string>> expand_names(std::vector<std::string> const& wanted,
                                              std::vector<std::string> const& all) {
  std::vector<std::string> expanded;
  std::set<std::string> seen;
  auto const take = [&](std::string const& name) {
    if (seen.insert(name).second) expanded.push_back(name);
  };
  for (std::string const& raw : wanted) {
    std::string const pattern = trim(raw);
    if (pattern.empty()) return fail(ErrorKind::usage, "an empty operator name in the list");
    if (pattern.find_first_of("*?[") == std::string::npos) {
      Result<void> const valid = check_id(pattern);
      if (!valid) return tl::unexpected<Error>(valid.error());
      take(pattern);
      continue;
    }
    bool has_match = false;
    for (std::string const& name : all) {
      if (!glob_matches(pattern, name)) continue;
      has_match = true;
      take(name);
    }
    if (!has_match) {
      return fail(ErrorKind::nothing_selected,
                  fmt::format("no operator matches '{}'", printable(pattern, 60)));
    }
  }
  return expanded;
}

std::vector<std::string> names_of_file(std::string const& text) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (std::string const& line : split(text, '\n')) {
    std::string const name = trim(line.substr(0, line.find('#')));
    if (!name.empty() && seen.insert(name).second) names.push_back(name);
  }
  return names;
}

Result<Selection> select_operations(Context const& context, std::string const& provider) {
  Options const& options = context.options;
  bool const is_direct = !options.test_node.empty() || !options.op_file.empty();
  if (is_direct && provider == "flaggems") return select_direct(context);
  Result<Catalogue> const catalogue =
      open_catalogue(context, provider, provider::NodeKind::benchmark);
  if (!catalogue) return tl::unexpected<Error>(catalogue.error());
  std::vector<std::string> wanted = options.operators;
  if (!options.ops.empty()) wanted = split(options.ops, ',');
  if (wanted.empty()) wanted = catalogue->names;
  Result<Selection> selection = !options.stage.empty() ? select_by_stage(*catalogue, options.stage)
                                : !options.ops_file.empty()
                                    ? select_by_file(*catalogue, options.ops_file)
                                    : select_by_names(*catalogue, wanted);
  if (!selection) return selection;
  selection->notes.insert(selection->notes.begin(), catalogue->notes.begin(),
                          catalogue->notes.end());
  return selection;
}

}  // namespace zl::cli
