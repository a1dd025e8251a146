// backend/: which accelerators there are, which of them are here, and how a child is tied to one.
// Vendor names and vendor code stand in backend/vendors/ only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace zl::backend {

// What a backend may be able to do; code above backend/ asks by these names. Descriptors may use no
// other name.
inline constexpr std::string_view kCapabilities[] = {
    "graph_capture",      // a stream can be captured into a graph and replayed
    "graph_event_times",  // events inside a graph give times
    "cluster_launch",     // kernels can be launched in thread-block clusters
    "stream_wait_value",  // a stream can wait for a memory word
    "device_events",      // events on a stream give device times
};

// How the vendor's runtime reads one visibility variable: a comma-separated list, cut at the first
// token that it does not accept.
struct VisibilityVariable {
  enum class Empty { none, no_filter };  // what an empty string leaves visible: nothing, everything
  enum class Indices {
    decimal,         // digits only
    strict_decimal,  // digits only, no leading zero
    leading_digits,  // "1gpu" and "+1" read as 1
    any_base,        // "0x1" and "01" too
    until_stray,     // digits; the list ends before the first that is neither digit nor comma
  };
  enum class Blanks { trimmed, around_index, invalid };  // where blanks around a token do no harm
  enum class Duplicates { leave_none, cut, skip };       // a device named twice
  enum class UuidMatch {
    prefix,           // unique beginning; its hex digits in any case
    prefix_any_case,  // unique beginning longer than uuid_prefix, which is in any case too
    substring,        // the first device whose UUID has it somewhere, case as written
  };

  std::string name;
  Empty empty = Empty::none;
  bool accepts_uuid = false;
  std::string uuid_prefix;  // "GPU-": a token that starts so is a UUID; empty: any non-number is
  UuidMatch uuid_match = UuidMatch::prefix;
  std::string instance_prefix;  // "PART-": a token that starts so names a part of a device
  Indices indices = Indices::decimal;
  Blanks blanks = Blanks::trimmed;
  Duplicates duplicates = Duplicates::cut;
  bool mixes_kinds =
      true;  // false: a list that begins with a UUID ends at an index, and vice versa
  bool must_increase = false;                   // indices that do not increase leave no device
  std::optional<std::string> fallback_only_if;  // counts only while this variable is unset or empty
  std::optional<std::string> index_order;  // the fixed variable that makes indices mean our indices
};

struct FixedVariable {
  std::string name;
  std::string value;
  std::string reason;
};

struct OverrideVariable {
  std::string name;
  std::string reason;
};

struct Quirk {
  std::string text;
  std::string reason;
};

// One way to find devices. `kind` names a row of the table in vendors/source_kinds.cc; which of the
// parameters a kind takes is in that row.
struct Source {
  std::string kind;
  std::vector<std::string>
      libraries;  // dlopen candidates in order; ${NAME} is an environment variable
  std::vector<std::string> patterns;     // "/dev/x{N}", {N} a decimal number
  std::string pci_vendor_id;             // "0x10de"
  std::vector<std::string> pci_classes;  // prefixes of the PCI class: "0x03", "0x12"
  std::string node;                      // "/dev/xctl": the one node of a driver that numbers none
  std::vector<std::string> architectures;  // of the machine, as `uname -m` says them
};

struct Runtime {
  std::string family;
  std::vector<std::string> libraries;  // dlopen candidates in order
};

// What the descriptor file of one backend says.
struct Descriptor {
  std::string name;
  std::vector<std::string> aliases;
  std::string vendor;     // the corpus' name for it; empty: it has none
  bool verified = false;  // was run on this hardware
  std::string torch_device;
  std::optional<std::string> torch_module;    // to import before the device word works
  std::vector<std::string> vendor_variables;  // what the corpus reads for its choice; set the first
  std::vector<OverrideVariable> override_variables;  // must not be set in a child
  std::vector<VisibilityVariable> visibility;  // in the order in which the runtime applies them
  std::vector<FixedVariable> fixed_variables;  // set in every child
  std::vector<Source> sources;                 // in the order in which they are asked
  Runtime runtime;
  std::map<std::string, bool, std::less<>> capabilities;  // every known name has an entry
  std::vector<Quirk> quirks;
  std::vector<std::string> module_roots;  // python roots of this vendor's kernels in the corpus
  std::string origin;                     // the file

  bool can(std::string_view capability) const;  // capability: one of kCapabilities
  // The machine's own processor: no source of devices but the host itself. Never a reason to
  // choose.
  bool is_host() const;
  // The host that stands for no vendor's processors: what is chosen when no accelerator is here.
  bool is_plain_host() const { return vendor.empty() && is_host(); }
};

// Every error reads "file:line: field 'x': what is wrong, what is allowed".
Result<Descriptor> parse_descriptor(std::string_view yaml, std::string const& origin);

}  // namespace zl::backend
