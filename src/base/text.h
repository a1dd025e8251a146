#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zl {

std::string trim(std::string_view text);
std::string to_lower(std::string_view text);
// Splits at every separator; "a,,b" gives three parts. An empty text gives one empty part.
std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::vector<std::string> const& parts, std::string_view separator);
bool starts_with(std::string_view text, std::string_view prefix);
bool ends_with(std::string_view text, std::string_view suffix);

// A whole decimal number, nothing around it.
std::optional<long long> parse_integer(std::string_view text);

// Shell-style pattern with * ? [..]; case-sensitive (fnmatch(3) without FNM_PATHNAME).
bool glob_matches(std::string const& pattern, std::string const& text);

// Levenshtein distance with transpositions; bytes, not code points.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known names nearest to `wrong`, best first, at most `limit`; empty when none is near enough
// (distance over a third of the length, and not a prefix or a part of the known name).
std::vector<std::string> near_names(std::string_view wrong, std::vector<std::string> const& known,
                                    std::size_t limit = 3);
// " Did you mean 'x' or 'y'?" or an empty text.
std::string did_you_mean(std::string_view wrong, std::vector<std::string> const& known);

// Quoted for a POSIX shell where needed; for commands that a person may paste.
std::string shell_quote(std::string_view word);

// Text safe to print on one terminal line: control bytes as \xNN, cut at `max_bytes` with "...".
std::string printable(std::string_view text, std::size_t max_bytes = 400);

// Valid UTF-8 for JSON: every invalid byte becomes U+FFFD.
std::string to_valid_utf8(std::string_view text);

}  // namespace zl
