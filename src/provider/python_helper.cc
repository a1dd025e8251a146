#include "provider/python_helper.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace zl::provider {

namespace {

// A file without a name that holds the request; it needs no folder and leaves nothing behind.
Result<Fd> request_fd(std::string const& text) {
  Fd fd(::memfd_create("zlbench-request", MFD_CLOEXEC));
  if (!fd.is_open()) {
    return fail(ErrorKind::environment,
                fmt::format("cannot make an anonymous file: {}", std::strerror(errno)));
  }
  Result<void> const written = write_all(fd.get(), text, "the request to Python");
  if (!written) return tl::unexpected<Error>(written.error());
  ::lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

// A path stays valid when the helper starts in the corpus' folder; a name is looked up in PATH.
std::string program_for(std::string const& python) {
  if (python.find('/') == std::string::npos) return python;
  std::error_code code;
  fs::path const absolute = fs::absolute(python, code);
  return code ? python : absolute.string();
}

}  // namespace

std::string last_line(std::string const& text) {
  std::string last = "it printed nothing";
  for (std::string const& line : split(text, '\n')) {
    if (!trim(line).empty()) last = trim(line);
  }
  return printable(last);
}

tl::unexpected<Error> python_failed(PythonHelper const& helper, std::string const& python,
                                    std::string const& why) {
  return fail(ErrorKind::environment,
              fmt::format("cannot {} with '{}': {}; name a Python 3.8 or newer that starts",
                          helper.purpose, python, why));
}

Result<std::string> run_python(PythonHelper const& helper, std::string const& request,
                               fs::path const& root, std::string const& python,
                               Environment const& environment) {
  Result<Fd> const fd = request_fd(request);
  if (!fd) return tl::unexpected<Error>(fd.error());
  SpawnRequest spawn;
  spawn.argv = {
      program_for(python), "-I", "-S", "-c", helper.code, std::to_string(kChildChannelFd)};
  spawn.environment = environment;
  spawn.working_directory = root;
  spawn.channel_fd = fd->get();
  Result<CommandOutput> output = run_command(std::move(spawn), helper.limit_s);
  if (!output) return python_failed(helper, python, output.error().text);
  if (output->timed_out)
    return python_failed(helper, python, fmt::format("no end within {} s", helper.limit_s));
  if (output->status.code != 0) {
    return python_failed(helper, python, output->status.describe() + ", " + last_line(output->out));
  }
  return std::move(output->out);
}

}  // namespace zl::provider
