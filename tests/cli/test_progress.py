"""What a terminal shows while a batch runs: a real pty, read as a terminal reads it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios

CODES = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])")


class Screen:
    """As far as zlbench writes to it: rows that grow downwards, a cursor, what went too far."""

    def __init__(self):
        self.rows = [""]
        self.row = self.column = 0

    def feed(self, text):
        position = 0
        while position < len(text):
            code = CODES.match(text, position)
            if code:
                self._obey(code)
                position = code.end()
                continue
            self._put(text[position])
            position += 1

    def _obey(self, code):
        number, word = code.groups()
        assert word in "AJKm", f"an unknown code {word}"
        if word == "A":
            self.row -= int(number or 1)
            assert self.row >= 0
        elif word == "K":
            self.rows[self.row] = self.rows[self.row][:self.column]
        elif word == "J":
            self.rows[self.row] = self.rows[self.row][:self.column]
            del self.rows[self.row + 1:]

    def _put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
            if self.row == len(self.rows):
                self.rows.append("")
        else:
            line = self.rows[self.row].ljust(self.column)
            self.rows[self.row] = line[:self.column] + character + line[self.column + 1:]
            self.column += 1


def run_in_terminal(machine, columns, *words):
    """The exit status, the raw text, and each chunk's screen."""
    control, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        machine.command(*words), env={**machine.environment, "TERM": "xterm"}, cwd=machine.folder,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    shown = b""
    screen, screens = Screen(), []
    while True:
        assert select.select([control], [], [], 60)[0]
        try:
            data = os.read(control, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
        screen.feed(data.decode(errors="replace"))
        screens.append(list(screen.rows))
    os.close(control)
    return process.wait(timeout=60), shown.decode(), screens


def batch(machine, ops, *words):
    return ("batch", "--backend", "testchip", "--corpus", machine.corpus, "--ops", ops, *words)


def status_rows(screens):
    return [row for rows in screens for row in rows if re.match(r"\[\d+/\d+\]( |$)(?!\w+ +\w+ +\d+ shape)", row)
            or re.match(r"\d (waits|start|import|collect|input|baseline|candidate|kernels|metrics)", row)]


def test_a_line_for_each_device_that_never_wraps_at_40_columns(machine):
    machine.add_chips(2)
    status, text, screens = run_in_terminal(
        machine, 40, *batch(machine, "abs,add,softmax,cumsum,gelu_backward", "--jobs-per-device", "2"))
    assert status == 0
    found = status_rows(screens)
    devices = {row[0] for row in found if not row.startswith("[")}
    assert devices == {"0", "1"}, found
    assert any(" +1 " in row for row in found), "the other child of the device"
    assert all(len(row) < 40 for row in found if not re.match(r"\[\d+/\d+\] (passed|failed)", row))
    assert any("/min" in row and " left" in row for row in found)
    assert not any(re.match(r"\d \w+ ", row) for row in screens[-1]), "nothing stays behind"
    assert sum(row.startswith("[5/5] passed") for row in screens[-1]) == 1


def test_results_stay_in_one_row_each(machine):
    machine.add_chips(1)
    _, _, screens = run_in_terminal(machine, 40, *batch(machine, "exp,abs"))
    results = [row for row in screens[-1] if re.match(r"\[\d/\d\] (passed|partial)", row)]
    assert len(results) == 2 and all(len(row) < 40 for row in results)


def test_quiet_shows_failures_only(machine):
    machine.add_chips(1)
    _, text, _ = run_in_terminal(machine, 80, *batch(machine, "abs,exp", "--quiet"))
    lines = [line for line in text.splitlines() if "does not parse" not in line]
    assert len(lines) == 1 and "partial" in lines[0] and "exp" in lines[0]


def test_what_is_no_terminal_gets_plain_lines(machine):
    machine.add_chips(1)
    done = machine.run(*batch(machine, "abs,exp"), code=1, TERM="xterm")
    assert "\x1b" not in done.stderr and "\r" not in done.stderr
    assert "[1/2] passed      abs" in done.stderr
    assert "2 operators: 1 partial, 1 passed" in done.stdout
    assert "slowest: " in done.stdout and "causes, largest first:" in done.stdout
    assert f"next: zlbench explain {machine.batch()}; zlbench show" in done.stdout

