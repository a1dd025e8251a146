// base/: plumbing that knows no benchmark: results, text, files, processes, statistics, the
// terminal. Nothing here may include another folder of this project.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace zl {

// What the caller can do about it; cli maps each kind to a documented exit code.
enum class ErrorKind {
  usage,             // exit 2: the command line, a variable or an input file is wrong
  nothing_selected,  // exit 3: the request is fine and selects nothing
  environment,       // exit 4: this machine lacks something, or refuses it
};

// One error: what went wrong, where, and what to do, in one line of text.
struct Error {
  ErrorKind kind = ErrorKind::environment;
  std::string text;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorKind kind, std::string text) {
  return tl::unexpected<Error>(Error{kind, std::move(text)});
}

// Adds where we were to an error on its way up: "reading descriptor x.yaml: <text>".
inline tl::unexpected<Error> in_context(std::string const& context, Error error) {
  error.text = context + ": " + error.text;
  return tl::unexpected<Error>(std::move(error));
}

// A promise of the program itself; stays on in release builds. Never for what the world can cause.
#define ZL_CHECK(condition, text) \
  ((condition) ? void(0) : ::zl::check_failed(#condition, text, __FILE__, __LINE__))
[[noreturn]] void check_failed(char const* condition, char const* text, char const* file, int line);

}  // namespace zl
