#include "batch/device_lock.h"

#include <csignal>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "processes.h"
#include "temp_folder.h"

namespace zl::batch {
namespace {

using testing::HasSubstr;

class DeviceLockTest : public testing::Test {
 protected:
  DeviceLock::Attempt take(std::string const& name) {
    Result<DeviceLock::Attempt> attempt = DeviceLock::try_take(locks_, name, "batch /runs/x");
    EXPECT_TRUE(attempt) << attempt.error().text;
    return std::move(*attempt);
  }
  // A process that takes the lock and waits until it is killed.
  pid_t holder(std::string const& name) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    pid_t const pid = ::fork();
    if (pid == 0) {
      auto const attempt = DeviceLock::try_take(locks_, name, "batch /runs/other\x1b[31m");
      char const word = attempt && attempt->lock ? 'y' : 'n';
      static_cast<void>(::write(ends[1], &word, 1));
      ::pause();
      ::_exit(0);
    }
    char word = 0;
    EXPECT_EQ(::read(ends[0], &word, 1), 1);
    EXPECT_EQ(word, 'y');
    ::close(ends[0]);
    ::close(ends[1]);
    return pid;
  }

  TempFolder folder_;
  fs::path locks_ = folder_ / "locks";
};

TEST_F(DeviceLockTest, OneHolderADeviceAndTheOtherHearsWho) {
  pid_t const other = holder("gpu-1.lock");
  DeviceLock::Attempt const denied = take("gpu-1.lock");
  EXPECT_FALSE(denied.lock);
  // What another user wrote is shown without its control bytes.
  EXPECT_EQ(denied.holder, "process " + std::to_string(other) + " (batch /runs/other\\x1b[31m)");
  EXPECT_TRUE(take("gpu-2.lock").lock) << "another device is free";
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  EXPECT_TRUE(take("gpu-1.lock").lock) << "it died with its holder";
}

TEST_F(DeviceLockTest, ItIsGivenBackWithTheObject) {
  {
    DeviceLock::Attempt const first = take("a.lock");
    ASSERT_TRUE(first.lock);
    EXPECT_FALSE(take("a.lock").lock) << "also within one process";
  }
  EXPECT_TRUE(take("a.lock").lock);
}

TEST_F(DeviceLockTest, AProgramThatTheHolderStartsDoesNotInheritIt) {
  pid_t child = 0;
  {
    DeviceLock::Attempt const first = take("a.lock");
    ASSERT_TRUE(first.lock);
    child = ::fork();
    if (child == 0) {
      ::execl("/bin/sleep", "sleep", "600", static_cast<char*>(nullptr));
      ::_exit(1);
    }
    while (*read_file("/proc/" + std::to_string(child) + "/comm") != "sleep\n") ::usleep(1000);
  }
  EXPECT_TRUE(take("a.lock").lock);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(DeviceLockTest, FolderAndFileAreForEveryUserOfTheHost) {
  mode_t const before = ::umask(077);
  EXPECT_TRUE(take("a.lock").lock);
  ::umask(before);
  struct stat info {};
  ASSERT_EQ(::stat(locks_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 01777u);
  ASSERT_EQ(::stat((locks_ / "a.lock").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0666u);
}

TEST_F(DeviceLockTest, ALinkThatSomebodyLaidThereIsRefusedAndWhatItNamesIsUntouched) {
  ASSERT_TRUE(take("a.lock").lock);
  ASSERT_TRUE(write_file_atomic(folder_ / "precious", "mine"));
  fs::create_symlink(folder_ / "precious", locks_ / "link.lock");
  ASSERT_TRUE(write_file_atomic(folder_ / "linked", "mine"));
  fs::create_hard_link(folder_ / "linked", locks_ / "hard.lock");
  ASSERT_EQ(::mkfifo((locks_ / "pipe.lock").c_str(), 0666), 0);
  for (char const* name : {"link.lock", "hard.lock", "pipe.lock"}) {
    Result<DeviceLock::Attempt> const attempt = DeviceLock::try_take(locks_, name, "x");
    ASSERT_FALSE(attempt) << name;
    EXPECT_THAT(attempt.error().text, HasSubstr("ZL_LOCKS")) << name;
  }
  EXPECT_EQ(*read_file(folder_ / "precious"), "mine");
  EXPECT_EQ(*read_file(folder_ / "linked"), "mine");
}

TEST_F(DeviceLockTest, AFileThatACleanerTookAwayIsMadeAnew) {
  DeviceLock::Attempt const first = take("a.lock");
  fs::remove(locks_ / "a.lock");
  ASSERT_TRUE(take("a.lock").lock);
  EXPECT_TRUE(fs::exists(locks_ / "a.lock"));
}

TEST_F(DeviceLockTest, AFolderThatCannotBeMadeIsAnError) {
  auto const attempt = DeviceLock::try_take("/proc/nowhere", "a.lock", "x");
  ASSERT_FALSE(attempt);
  EXPECT_EQ(attempt.error().kind, ErrorKind::environment);
  EXPECT_THAT(attempt.error().text, HasSubstr("ZL_LOCKS"));
}

TEST(LockNameTest, TheUuidNamesADeviceWhateverBackendSeesIt) {
  backend::Device device;
  device.index = 3;
  EXPECT_EQ(lock_name("cpu", device), "cpu-3.lock");
  device.uuid = "GPU-12/../x y";
  EXPECT_EQ(lock_name("one", device), "GPU-12____x_y.lock");
  EXPECT_EQ(lock_name("one", device), lock_name("two", device));
}

TEST(LockFolderTest, TheVariableWins) {
  EXPECT_EQ(lock_folder({{"ZL_LOCKS", "/a/b"}}), "/a/b");
  EXPECT_EQ(lock_folder({}).filename().string().substr(0, 7), "zlbench");
}

}  // namespace
}  // namespace zl::batch
