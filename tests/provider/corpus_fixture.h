// A small corpus that a test writes for itself, in the shape of FlagGems.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "base/environment.h"
#include "provider/flaggems.h"

namespace zl::provider {

inline constexpr char kPython[] = "/usr/bin/python3";

class CorpusTest : public testing::Test {
 protected:
  CorpusTest() {
    std::string pattern = (fs::temp_directory_path() / "zl corpus XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    root_ = folder_ / "corpus";
    cache_ = folder_ / "cache";
    write("conf/operators.yaml", "ops:\n  - id: abs\n");
    fs::create_directories(root_ / "benchmark");
    fs::create_directories(root_ / "tests");
  }
  ~CorpusTest() override {
    std::error_code code;
    fs::remove_all(folder_, code);
  }

  void write(std::string const& path, std::string const& text) {
    fs::path const full = root_ / path;
    fs::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary | std::ios::trunc) << text;
  }

  void list_operators(std::vector<std::string> const& ids) {
    std::string text = "ops:\n";
    for (std::string const& id : ids) text += "  - id: " + id + "\n";
    write("conf/operators.yaml", text);
  }

  // A program for the place of the interpreter.
  std::string script(std::string const& name, std::string const& body) {
    fs::path const path = folder_ / name;
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  }

  OpenOptions options(std::string const& python = kPython) const {
    return {root_, python, cache_, current_environment()};
  }

  FlagGemsCorpus open() {
    Result<FlagGemsCorpus> corpus = FlagGemsCorpus::open(options());
    EXPECT_TRUE(corpus) << corpus.error().text;
    return std::move(corpus.value());
  }

  fs::path folder_;
  fs::path root_;
  fs::path cache_;
};

}  // namespace zl::provider
