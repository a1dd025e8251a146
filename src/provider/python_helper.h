// Runs one of the embedded Python programs: isolated, with a request in JSON, answering in lines.
#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace zl::provider {

struct PythonHelper {
  std::string purpose;  // for errors: "read the corpus' test files"
  std::string code;     // the program; finds the request's descriptor as its first argument
  double limit_s = 120;
};

// Everything that it printed. `root` becomes its working folder. The error says why that failed,
// and what to do; an exit status other than 0 is one.
Result<std::string> run_python(PythonHelper const& helper, std::string const& request,
                               fs::path const& root, std::string const& python,
                               Environment const& environment);

// The same error for an answer that makes no sense.
tl::unexpected<Error> python_failed(PythonHelper const& helper, std::string const& python,
                                    std::string const& why);

// The last line that says something: Python ends a traceback with the reason.
std::string last_line(std::string const& text);

}  // namespace zl::provider
