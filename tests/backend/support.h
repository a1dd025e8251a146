#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string>

#include "backend/descriptor.h"

namespace zl::backend {

// A folder that is gone at the end of the test.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "zl-backend-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TempFolder(TempFolder const&) = delete;
  TempFolder& operator=(TempFolder const&) = delete;
  ~TempFolder() {
    std::error_code code;
    std::filesystem::remove_all(path_, code);
  }

  std::filesystem::path const& path() const { return path_; }

  // `relative` may begin with a slash: it is below the folder all the same.
  void write(std::string const& relative, std::string const& text) const {
    std::filesystem::path const file = path_ / std::filesystem::path(relative).relative_path();
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

 private:
  std::filesystem::path path_;
};

// An environment variable of this process for one scope; guarded children inherit it.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, std::string const& value) : name_(std::move(name)) {
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ScopedVariable(ScopedVariable const&) = delete;
  ScopedVariable& operator=(ScopedVariable const&) = delete;
  ~ScopedVariable() { ::unsetenv(name_.c_str()); }

 private:
  std::string name_;
};

// The least that a descriptor needs; `more` is added at its end.
inline std::string small_descriptor(std::string const& name, std::string const& more = "",
                                    std::string const& sources = "sources: [{kind: host}]") {
  return "name: " + name + "\nverified: no\ndevice_name: " + name + "\n" + sources +
         "\nruntime: {family: none}\ncapabilities: {}\n" + more;
}

inline Descriptor parsed(std::string const& yaml) {
  Result<Descriptor> descriptor = parse_descriptor(yaml, "test.yaml");
  EXPECT_TRUE(descriptor.has_value()) << descriptor.error().text;
  return descriptor ? *descriptor : Descriptor{};
}

}  // namespace zl::backend
