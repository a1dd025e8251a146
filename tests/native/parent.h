// The parent's end of the child protocol, for tests: starts the real child and reads what it says.
#pragma once

#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/subprocess.h"

namespace zl::native {

// Longer than any of this takes on a loaded machine; a test that waits this long has failed.
inline constexpr int kPatienceMs = 60'000;

inline std::string fake(std::string const& name) {
  return std::string(ZL_FAKE_OPERATORS) + "/" + name + ".so";
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "zlbench test XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  TemporaryFolder(TemporaryFolder const&) = delete;
  TemporaryFolder& operator=(TemporaryFolder const&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path const& path() const { return path_; }

 private:
  fs::path path_;
};

class Parent {
 public:
  // `plan` is the text of the plan file; without it there is none.
  explicit Parent(std::vector<std::string> const& words,
                  std::optional<std::string> const& plan = {}, bool with_channel = true) {
    ::signal(SIGPIPE, SIG_IGN);  // a child that is gone is a failed expectation, not our death
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    channel_ = Fd(ends[0]);
    Fd const child_end(ends[1]);
    fs::path const log = folder_.path() / "log";
    Fd const output(::open(log.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    SpawnRequest request;
    request.argv = {ZL_NATIVE_CHILD, "native-runner"};
    request.argv.insert(request.argv.end(), words.begin(), words.end());
    request.environment = current_environment();
    if (plan) {
      std::ofstream(folder_.path() / "plan.json") << *plan;
      request.environment["ZL_PLAN"] = (folder_.path() / "plan.json").string();
    }
    request.working_directory = folder_.path();
    request.output_fd = output.get();
    if (with_channel) {
      request.environment["ZL_CHANNEL_FD"] = std::to_string(kChildChannelFd);
      request.channel_fd = child_end.get();
    }
    auto spawned = Process::spawn(request);
    EXPECT_TRUE(spawned) << spawned.error().text;
    if (spawned) child_.emplace(std::move(*spawned));
  }

  void say(std::string const& text) { EXPECT_TRUE(write_all(channel_.get(), text, "channel")); }
  void grant() { say("{\"type\": \"lease_granted\"}\n"); }
  void close_channel() { channel_.reset(); }

  // The next message but those of work beside others, which is granted at once; empty when the
  // child has closed its end or says nothing for `patience_ms`.
  std::optional<Json> next(int patience_ms = kPatienceMs) {
    while (true) {
      auto const end = pending_.find('\n');
      if (end != std::string::npos) {
        auto message = parse_json(pending_.substr(0, end));
        EXPECT_TRUE(message) << pending_.substr(0, end);
        pending_.erase(0, end + 1);
        std::string const type = message ? (*message)["type"] : "";
        if (type == "device_wanted") say("{\"type\": \"device_granted\"}\n");
        if (type != "device_wanted" && type != "device_released") return message;
        continue;
      }
      pollfd wait{channel_.get(), POLLIN, 0};
      if (::poll(&wait, 1, patience_ms) <= 0) return std::nullopt;
      char bytes[4096];
      ssize_t const count = ::read(channel_.get(), bytes, sizeof(bytes));
      if (count <= 0) return std::nullopt;
      pending_.append(bytes, static_cast<std::size_t>(count));
    }
  }

  // Messages up to and with the first of `type`; the last one has another type if it never came.
  std::vector<Json> read_until(std::string const& type) {
    std::vector<Json> messages;
    while (auto message = next()) {
      messages.push_back(std::move(*message));
      if (messages.back()["type"] == type) break;
    }
    return messages;
  }

  // Grants every lease and reads to the child's end.
  std::vector<Json> run_to_end() {
    std::vector<Json> messages;
    while (auto message = next()) {
      if ((*message)["type"] == "lease_wanted") grant();
      messages.push_back(std::move(*message));
    }
    return messages;
  }

  ExitStatus wait() {
    for (int waited_ms = 0; child_ && waited_ms < kPatienceMs; waited_ms += 5) {
      if (auto status = child_->try_wait()) return *status;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ADD_FAILURE() << "the child does not end";
    return {};
  }

  Process& child() { return *child_; }
  std::string log() const { return read_file(folder_.path() / "log").value_or(""); }

 private:
  TemporaryFolder folder_;
  Fd channel_;
  std::optional<Process> child_;
  std::string pending_;
};

inline std::vector<Json> of_type(std::vector<Json> const& messages, std::string const& type) {
  std::vector<Json> found;
  for (Json const& message : messages) {
    if (message["type"] == type) found.push_back(message);
  }
  return found;
}

inline std::vector<std::string> types_of(std::vector<Json> const& messages) {
  std::vector<std::string> types;
  for (Json const& message : messages) types.push_back(message["type"]);
  return types;
}

}  // namespace zl::native
