#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include <zlbench/operator.h>

#include "base/result.h"

namespace zl::native {

// A case of a plug-in, copied out of its table and known to be sound.
struct Case {
  std::uint32_t index = 0;  // what create() takes
  std::string name;
  std::string dtype;  // "f32", ...
  std::vector<std::int64_t> dims;
  std::string shape_text;
  double flops = 0;  // of one call; 0: unknown
  double bytes = 0;

  // The product of the sizes; 1 for rank 0. As a double: eight large sizes pass 2^63.
  double elements() const;
};

struct Operator {
  std::string name;
  std::string description;
  std::vector<Case> cases;
  zlbench_operator functions{};  // its function pointers; none is null but last_error
};

// A plug-in library that is loaded and whose whole table has been checked. Its code is unloaded
// with this object.
class Library {
 public:
  // Errors name the path and what is wrong with the library. Loading runs the library's own
  // constructors: only a process that may be lost calls this.
  static Result<Library> load(std::filesystem::path const& path);

  std::string const& name() const { return name_; }
  std::string const& version() const { return version_; }
  std::string const& note() const { return note_; }
  std::vector<Operator> const& operators() const { return operators_; }
  // Null when there is none.
  Operator const* find(std::string_view operator_name) const;

 private:
  struct Unload {
    void operator()(void* handle) const;
  };
  Library() = default;
  // What is wrong with the table; empty when nothing is.
  std::string take_table(zlbench_library const* table);

  std::unique_ptr<void, Unload> handle_;
  std::string name_;
  std::string version_;
  std::string note_;
  std::vector<Operator> operators_;
};

}  // namespace zl::native
