#include "cli/context.h"

#include <fmt/format.h>

#include "base/text.h"

namespace zl::cli {

backend::ProbeOptions Context::probe() const {
  backend::ProbeOptions probe_options;
  probe_options.environment = environment;
  return probe_options;
}

Result<Context> make_context(Options const& options, Environment const& environment) {
  std::vector<std::filesystem::path> const folders(options.backend_dirs.begin(),
                                                   options.backend_dirs.end());
  Result<backend::Registry> registry = backend::Registry::load(folders);
  if (!registry) return tl::unexpected<Error>(registry.error());
  return Context{options, environment, std::move(*registry)};
}

Result<Target> find_target(Context const& context) {
  std::optional<std::string> requested;
  if (!context.options.backend.empty()) requested = context.options.backend;
  Result<backend::Choice> const choice =
      backend::choose_backend(context.registry, requested, context.probe());
  if (!choice) return tl::unexpected<Error>(choice.error());
  Target target;
  target.backend = choice->backend;
  target.notes = choice->notes;
  backend::Enumeration enumeration = backend::enumerate_devices(*target.backend, context.probe());
  target.source = enumeration.source;
  target.notes.insert(target.notes.end(), enumeration.notes.begin(), enumeration.notes.end());
  Result<backend::VisibleDevices> visible =
      backend::visible_devices(*target.backend, enumeration.devices, context.environment);
  if (!visible) return tl::unexpected<Error>(visible.error());
  target.visible = std::move(visible->devices);
  target.notes.insert(target.notes.end(), visible->notes.begin(), visible->notes.end());
  return target;
}

Result<std::vector<backend::Device>> choose_devices(Target const& target, std::string const& asked,
                                                    std::size_t count) {
  if (target.visible.empty()) {
    return fail(
        ErrorKind::environment,
        fmt::format(
            "no {} device is visible here: {}. `zlbench devices` shows what is here; --backend or "
            "ZL_BACKEND chooses another backend",
            target.backend->name,
            target.notes.empty() ? "none was found" : join(target.notes, "; ")));
  }
  if (!asked.empty()) return backend::select_devices(asked, target.visible);
  std::vector<backend::Device> devices = target.visible;
  if (count > 0 && devices.size() > count) devices.resize(count);
  return devices;
}

Result<std::string> choose_provider(Context const& context, backend::Descriptor const& backend) {
  Options const& options = context.options;
  std::vector<std::string> const known{"flaggems", "native"};
  std::string provider = options.provider;
  if (provider.empty()) {
    bool const is_native =
        options.corpus.empty() && (backend.is_host() || !options.libraries.empty());
    provider = is_native ? "native" : "flaggems";
  }
  if (provider != "flaggems" && provider != "native") {
    return fail(ErrorKind::usage,
                fmt::format("--provider '{}': there are {}.{}", printable(provider, 40),
                            join(known, ", "), did_you_mean(provider, known)));
  }
  if (provider == "flaggems" && options.corpus.empty()) {
    return fail(
        ErrorKind::usage,
        "the flaggems provider needs --corpus DIR (ZL_CORPUS): the root of a FlagGems checkout");
  }
  if (provider == "native" && !backend.is_host()) {
    return fail(ErrorKind::usage, fmt::format("the native provider measures on the host; backend "
                                              "{} is not the host: use --backend cpu",
                                              backend.name));
  }
  return provider;
}

}  // namespace zl::cli
