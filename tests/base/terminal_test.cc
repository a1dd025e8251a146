#include "base/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fd.h"

namespace zl {
namespace {

struct Pty {
  Fd master;
  Fd slave;

  explicit Pty(unsigned short columns) {
    int master_fd = -1;
    int slave_fd = -1;
    winsize size{25, columns, 0, 0};
    EXPECT_EQ(::openpty(&master_fd, &slave_fd, nullptr, nullptr, &size), 0);
    master = Fd(master_fd);
    slave = Fd(slave_fd);
    ::fcntl(master_fd, F_SETFL, O_NONBLOCK);
  }
  // What the terminal got. The kernel hands a write over in pieces and a little later, so this
  // reads until a mark arrives that is written last.
  std::string shown() const {
    constexpr std::string_view kEnd = "<end>";
    EXPECT_EQ(::write(slave.get(), kEnd.data(), kEnd.size()), static_cast<ssize_t>(kEnd.size()));
    std::string text;
    while (!text.ends_with(kEnd)) {
      char buffer[4096];
      pollfd ready{master.get(), POLLIN, 0};
      if (::poll(&ready, 1, 10'000) != 1) return text + "<nothing more came>";
      ssize_t const count = ::read(master.get(), buffer, sizeof(buffer));
      if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
    }
    return text.substr(0, text.size() - kEnd.size());
  }
};

TEST(Terminal, AStatusLineNeverReachesTheLastColumn) {
  Pty const pty(20);
  Terminal terminal(pty.slave.get(), {{"TERM", "xterm"}});
  terminal.show_status({"0123456789012345678901234567890123456789"});
  EXPECT_EQ(pty.shown(), "\r01234567...23456789\x1b[K\x1b[J");
}

TEST(Terminal, ALineThatStaysComesAboveTheStatusInOneGo) {
  Pty const pty(80);
  Terminal terminal(pty.slave.get(), {{"TERM", "xterm"}});
  terminal.show_status({"one", "two"});
  EXPECT_EQ(pty.shown(), "\rone\x1b[K\r\ntwo\x1b[K\x1b[J");
  terminal.print_line("line");
  EXPECT_EQ(pty.shown(), "\r\x1b[1A\x1b[Jline\r\none\r\ntwo");
}

TEST(Terminal, AStatusThatIsTheSameIsNotWrittenAgain) {
  Pty const pty(80);
  Terminal terminal(pty.slave.get(), {{"TERM", "xterm"}});
  terminal.show_status({"one", "two"});
  pty.shown();
  terminal.show_status({"one", "two"});
  EXPECT_EQ(pty.shown(), "");
  terminal.show_status({"one"});
  EXPECT_EQ(pty.shown(), "\r\x1b[1Aone\x1b[K\x1b[J") << "a line less leaves nothing behind";
}

TEST(Terminal, ATerminalThatBecameNarrowerHasBrokenTheLines) {
  Pty const pty(80);
  Terminal terminal(pty.slave.get(), {{"TERM", "xterm"}});
  terminal.show_status({std::string(60, 'x'), "two"});
  pty.shown();
  winsize const narrow{25, 40, 0, 0};
  ASSERT_EQ(::ioctl(pty.master.get(), TIOCSWINSZ, &narrow), 0);
  terminal.clear_status();
  EXPECT_EQ(pty.shown(), "\r\x1b[2A\x1b[J") << "three rows by now";
}

TEST(Terminal, ColorOnlyOnATerminalAndWithoutNoColor) {
  Pty const pty(80);
  EXPECT_EQ(Terminal(pty.slave.get(), {{"TERM", "xterm"}}).paint("x", Color::red),
            "\x1b[31mx\x1b[0m");
  EXPECT_EQ(
      Terminal(pty.slave.get(), {{"TERM", "xterm"}, {"NO_COLOR", "1"}}).paint("x", Color::red),
      "x");
  EXPECT_EQ(Terminal(pty.slave.get(), {{"TERM", "dumb"}}).paint("x", Color::red), "x");
  Fd const null_fd(::open("/dev/null", O_WRONLY));
  EXPECT_EQ(Terminal(null_fd.get(), {{"TERM", "xterm"}}).paint("x", Color::red), "x");
}

TEST(Terminal, ElideKeepsBothEndsAndCountsCharacters) {
  EXPECT_EQ(elide_middle("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(elide_middle("abcdefghij", 7), "ab...ij");
  EXPECT_EQ(elide_middle("\xc3\xa4\xc3\xb6\xc3\xbc", 3), "\xc3\xa4\xc3\xb6\xc3\xbc");
  EXPECT_EQ(elide_middle("abcdef", 2), "ab");
}

TEST(Terminal, DurationsReadWell) {
  EXPECT_EQ(duration_text(1.54), "1.5 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(3905), "1 h 05 min");
}

}  // namespace
}  // namespace zl
