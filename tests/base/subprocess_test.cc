#include "base/subprocess.h"

#include <chrono>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "processes.h"
#include "temp_folder.h"

namespace zl {
namespace {

SpawnRequest shell(std::string const& script) {
  return {{"/bin/sh", "-c", script}, {{"PATH", "/usr/bin:/bin"}}, "/", -1, -1};
}

ExitStatus wait_for(Process& process) {
  while (true) {
    if (auto const status = process.try_wait()) return *status;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST(Process, ExitCodeAndSignalAreKeptApart) {
  Result<Process> code = Process::spawn(shell("exit 7"));
  EXPECT_EQ(wait_for(*code).code, 7);
  Result<Process> signal = Process::spawn(shell("kill -SEGV $$"));
  ExitStatus const status = wait_for(*signal);
  EXPECT_EQ(status.signal, SIGSEGV);
  EXPECT_EQ(status.code, std::nullopt);
}

TEST(Process, AProgramThatCannotStartSaysWhy) {
  SpawnRequest request = shell("");
  request.argv = {"no-such-program"};
  Result<Process> const missing = Process::spawn(request);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text, "cannot start 'no-such-program': not found in PATH");
  request.argv = {"/bin/sh"};
  request.working_directory = "/no/such/folder";
  EXPECT_FALSE(Process::spawn(request));
}

TEST(Process, RunsInAGroupOfItsOwnWithClosedInput) {
  SpawnRequest request = shell("ps -o pgid= -p $$ | tr -d ' '; echo $$; cat");
  Result<CommandOutput> const output = run_command(request, 10);
  ASSERT_TRUE(output);
  auto const lines = split(output->out, '\n');
  EXPECT_EQ(lines[0], lines[1]);
  EXPECT_NE(lines[0], std::to_string(::getpgrp()));
  EXPECT_FALSE(output->timed_out);
}

TEST(Process, TheEnvironmentIsExactlyTheOneGiven) {
  SpawnRequest request = shell("env");
  request.argv = {"/usr/bin/env"};
  request.environment = {{"ONLY", "this"}};
  EXPECT_EQ(run_command(request, 10)->out, "ONLY=this\n");
}

TEST(Process, WhatItLeavesInItsGroupIsKilled) {
  TempFolder folder;
  std::string const file = (folder / "pid").string();
  Result<Process> process = Process::spawn(shell("sleep 60 & echo $! > " + file + "; exit 0"));
  EXPECT_EQ(wait_for(*process).code, 0);
  auto const grandchild = static_cast<pid_t>(*parse_integer(trim(*read_file(file))));
  EXPECT_TRUE(ends_soon(grandchild));
}

TEST(Process, TheDestructorEndsTheGroup) {
  pid_t pid = 0;
  {
    Result<Process> process = Process::spawn(shell("sleep 60"));
    pid = process->pid();
    EXPECT_TRUE(is_alive(pid));
  }
  EXPECT_FALSE(is_alive(pid));
}

TEST(Process, TheChannelIsDescriptor3AndNothingElseIsInherited) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  Fd const ours(ends[0]);
  Fd theirs(ends[1]);
  SpawnRequest request = shell("ls /proc/self/fd | tr '\\n' ' ' >&3");
  request.channel_fd = theirs.get();
  Result<Process> process = Process::spawn(request);
  theirs.reset();
  wait_for(*process);
  char buffer[100];
  ssize_t const count = ::recv(ours.get(), buffer, sizeof(buffer), 0);
  // ls itself holds one more descriptor: the folder it reads.
  EXPECT_EQ(std::string(buffer, static_cast<std::size_t>(count)), "0 1 2 3 4 ");
}

TEST(RunCommand, ATimeLimitKillsTheWholeGroup) {
  auto const before = std::chrono::steady_clock::now();
  Result<CommandOutput> const output = run_command(shell("echo begun; sleep 60 | sleep 60"), 0.3);
  ASSERT_TRUE(output);
  EXPECT_TRUE(output->timed_out);
  EXPECT_EQ(output->out, "begun\n");
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(20));
}

TEST(RunCommand, OutputBeyondTheLimitIsCutNotKept) {
  Result<CommandOutput> const output = run_command(shell("yes | head -c 1000000"), 20, 1000);
  EXPECT_EQ(output->out.size(), 1000u);
}

}  // namespace
}  // namespace zl
