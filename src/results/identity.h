#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace zl::results {

// What a field that differs means for numbers of the two runs.
enum class Effect {
  breaks,     // they cannot be set in a ratio
  other,      // it is worth knowing
  every_run,  // it changes with every run: free memory, folders, what the record itself cost
};
std::string_view to_text(Effect effect);

struct IdentityDifference {
  std::string field;  // dotted path: "child.torch_version"
  Effect effect = Effect::other;
  std::string a;  // as JSON; "absent" where the record has no such field
  std::string b;
  std::string reason;  // of Effect::breaks; else empty
};

// The fields in which two identity records (docs/run-identity.md) differ: those that break
// comparability first, in the order of the table of reasons. A breaking field that one side does
// not know counts as different. Errors name the record that is no JSON object.
Result<std::vector<IdentityDifference>> diff_identities(std::string const& a_json,
                                                        std::string const& b_json);

// The identity file that `path` means: itself, the one in a run folder, or that of the only run of
// a batch folder. Errors are of kind usage and name the runs to choose from.
Result<std::filesystem::path> find_identity_file(std::filesystem::path const& path);

}  // namespace zl::results
