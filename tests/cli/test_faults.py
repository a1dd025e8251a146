"""Whatever happens to a batch, it loses nothing: devices that go, disks that fill, signals, hangs."""

import csv
import json
import os
import resource
import signal
import subprocess
import time

import pytest

ON_CHIPS = ("--backend", "testchip")


def rows(batch):
    with open(batch / "ops_status.csv", newline="") as file:
        found = list(csv.DictReader(file))
    assert len({row["op"] for row in found}) == len(found), "one row an operator"
    return {row["op"]: row for row in found}


def events(batch):
    return [json.loads(line) for line in (batch / "events.jsonl").read_text().splitlines()]


def batch_words(machine, ops, *words):
    return ("batch", *ON_CHIPS, "--corpus", machine.corpus, "--ops", ops, *words)


def start(machine, *words, **variables):
    return subprocess.Popen(machine.command(*words), env={**machine.environment, **variables},
                            cwd=machine.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def wait_until(what, process=None, limit_s=60):
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        value = what()
        if value:
            return value
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise AssertionError(f"not within {limit_s} s")


def state_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return ""


def child_in_candidate(machine, op):
    """The pid of the operator's child once its candidate runs."""
    def look():
        for path in machine.runs.glob("*/events.jsonl"):
            said = [json.loads(line) for line in path.read_text().splitlines(True)
                    if line.endswith("\n")]
            begun = [one for one in said if one["event"] == "run_begun" and one["op"] == op]
            if begun and any(one["event"] == "case_begun" and one["op"] == op for one in said):
                return begun[-1]["pid"]
        return None
    return look


def test_a_crash_that_a_cache_of_its_own_cures_is_passed_and_says_so(machine):
    machine.add_chips(1)
    machine.run(*batch_words(machine, "crash_once,abs"))
    batch = machine.batch()
    row = rows(batch)["crash_once"]
    assert row["status"] == "passed" and row["attempts"] == "2"
    assert "attempt 1 crashed: signal 11" in row["reason"]
    assert "again with private_cache" in row["reason"]
    (ended,) = [one for one in events(batch) if one["event"] == "attempt_ended"]
    assert ended["op"] == "crash_once" and ended["changes"] == ["private_cache"]
    logs = {path.name for path in (batch / "crash_once").glob("run*.log")}
    assert logs == {"run.1.log", "run.log"} and (batch / "crash_once" / "run.1.log").stat().st_size
    assert rows(batch)["abs"]["attempts"] == "1"


def test_a_crash_that_comes_again_is_the_result_after_one_retry(machine):
    machine.add_chips(1)
    machine.run(*batch_words(machine, "crash"), code=1)
    row = rows(machine.batch())["crash"]
    assert row["status"] == "crashed" and row["attempts"] == "2"


def test_a_child_that_hangs_with_the_interpreters_lock_leaves_its_stacks(machine):
    machine.add_chips(1)
    machine.run(*batch_words(machine, "hang_in_c", "--timeout", "4"), code=1)
    batch = machine.batch()
    assert rows(batch)["hang_in_c"]["status"] == "timeout"
    log = (batch / "hang_in_c" / "run.log").read_text()
    assert "hangs_with_the_interpreters_lock" in log and "most recent call first" in log
    assert "[zlbench: threads of process" in log and "S (sleeping)" in log


def test_a_device_that_is_lost_is_given_up_and_its_operators_go_to_the_other(machine):
    machine.add_chips(2)
    done = machine.run(*batch_words(machine, "lost_device,softmax,cumsum"),
                       FAKE_LOST_FOLDER=str(machine.folder))
    batch = machine.batch()
    found = rows(batch)
    assert {row["status"] for row in found.values()} == {"passed"}
    assert found["lost_device"]["device"] == "1" and found["lost_device"]["attempts"] == "2"
    assert "again with another_device" in found["lost_device"]["reason"]
    (note,) = [one for one in events(batch) if one.get("code") == "DEVICE_RETIRED"]
    assert "device 0" in note["text"] and "does not answer" in note["text"]
    assert "device 0" in done.stderr


def test_without_any_device_the_batch_stops_and_goes_on_when_there_is_one(machine):
    machine.add_chips(1)
    lost = {"FAKE_LOST_FOLDER": str(machine.folder)}
    done = machine.run(*batch_words(machine, "lost_device,abs"), code=4, **lost)
    batch = machine.batch()
    assert "no device is left" in done.stderr and f"--resume {batch}" in done.stderr
    assert list(rows(batch)) == [] and events(batch)[-1]["why"] == "stopped"
    (machine.folder / "lost-0").unlink()
    machine.run("batch", "--resume", batch, FAKE_REPAIRED="1", **lost)
    found = rows(batch)
    assert {op: row["status"] for op, row in found.items()} == {
        "lost_device": "passed", "abs": "passed"}


def test_a_device_that_only_its_process_has_lost_is_kept(machine):
    machine.add_chips(1)
    machine.run(*batch_words(machine, "sticky,abs"), code=1,
                FAKE_LOST_FOLDER=str(machine.folder))
    found = rows(machine.batch())
    assert found["sticky"]["status"] == "partial" and found["sticky"]["attempts"] == "1"
    assert "illegal memory access" in found["sticky"]["reason"]
    assert found["abs"]["status"] == "passed"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_batch_in_good_order(machine, number):
    machine.add_chips(1)
    process = start(machine, *batch_words(machine, "abs,hang,add"))
    pid = wait_until(child_in_candidate(machine, "hang"), process)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "--resume" in err
    assert state_of(pid) in ("", "Z")
    assert list(rows(machine.batch())) == ["abs"]
    assert events(machine.batch())[-1]["why"] == "interrupted"


def test_after_ctrl_z_everything_lies_still_and_fg_goes_on(machine):
    machine.add_chips(1)
    process = start(machine, *batch_words(machine, "hang,abs", "--timeout", "12"))
    pid = wait_until(child_in_candidate(machine, "hang"), process)
    process.send_signal(signal.SIGTSTP)
    wait_until(lambda: state_of(process.pid) == "T" and state_of(pid) == "T")
    time.sleep(15)  # longer than the child's time limit, which must not run on
    process.send_signal(signal.SIGCONT)
    wait_until(lambda: state_of(pid) != "T", process)
    time.sleep(1)
    assert state_of(pid) not in ("", "Z"), "its time did not run on"
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    found = rows(machine.batch())
    assert found["hang"]["status"] == "timeout" and found["abs"]["status"] == "passed"


def small_disk(folder, megabytes):
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", folder],
                          capture_output=True)
    if made.returncode != 0:
        pytest.skip("a file system cannot be mounted here")
    return folder


def test_a_full_disk_stops_the_batch_and_it_goes_on_with_more_room(machine):
    machine.add_chips(1)
    runs = small_disk(machine.folder / "small", 1)
    try:
        process = start(machine, *batch_words(machine, "abs,hang,add"), ZL_RUNS=str(runs))
        machine.runs = runs
        pid = wait_until(child_in_candidate(machine, "hang"), process)
        with pytest.raises(OSError), open(runs / "ballast", "wb") as file:
            while True:
                file.write(b"x" * 4096)
                file.flush()
        process.send_signal(signal.SIGTERM)  # the next thing that must be written
        _, err = process.communicate(timeout=60)
        assert process.returncode == 4 and "No space left" in err and "--resume" in err
        wait_until(lambda: state_of(pid) in ("", "Z"))
        (runs / "ballast").unlink()
        batch = machine.batch()
        request = json.loads((batch / "batch.json").read_text())
        request["options"]["time_limit_s"] = 4
        (batch / "batch.json").write_text(json.dumps(request))
        machine.run("batch", "--resume", batch, code=1)
        statuses = {op: row["status"] for op, row in rows(batch).items()}
        assert statuses == {"abs": "passed", "hang": "timeout", "add": "passed"}
    finally:
        subprocess.run(["umount", "-l", runs], check=True)


def test_a_run_folder_that_becomes_read_only_stops_the_batch_without_inventing_results(machine):
    machine.add_chips(1)
    runs = small_disk(machine.folder / "small", 4)
    machine.runs = runs
    try:
        process = start(machine, *batch_words(machine, "abs,hang,add", "--timeout", "6"),
                        ZL_RUNS=str(runs))
        wait_until(child_in_candidate(machine, "hang"), process)
        # What is open stays writable; the next run folder cannot be made.
        (machine.batch() / "add").write_text("in the way")
        _, err = process.communicate(timeout=60)
        assert process.returncode == 4 and "--resume" in err
        assert set(rows(machine.batch())) == {"abs", "hang"}, "nothing is said of what never ran"
        (machine.batch() / "add").unlink()
        subprocess.run(["mount", "-o", "remount,ro", runs], check=True)
        done = machine.run("batch", "--resume", machine.batch(), code=4)
        assert "Read-only file system" in done.stderr
        subprocess.run(["mount", "-o", "remount,rw", runs], check=True)
        machine.run("batch", "--resume", machine.batch(), code=1)
        assert rows(machine.batch())["add"]["status"] == "passed"
    finally:
        subprocess.run(["umount", "-l", runs], check=True)


def test_a_file_over_its_limit_is_an_error_and_not_our_death(machine):
    machine.add_chips(1)
    machine.run(*batch_words(machine, "abs"))  # what is made once for all batches
    first = machine.batch()
    limit = 8192

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(machine.command(*batch_words(machine, "abs,add")), env=machine.environment,
                          cwd=machine.folder, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120, preexec_fn=limited)
    assert done.returncode == 4 and "File too large" in done.stderr, (done.returncode, done.stderr)
    (batch,) = {path.parent for path in machine.batches()} - {first}
    machine.run("batch", "--resume", batch)
    assert {row["status"] for row in rows(batch).values()} == {"passed"}


def test_two_processes_share_a_device_one_after_the_other(machine):
    machine.add_chips(1)
    first = start(machine, *batch_words(machine, "hang", "--timeout", "6"))
    wait_until(child_in_candidate(machine, "hang"), first)
    second = start(machine, *batch_words(machine, "abs"))
    _, err = second.communicate(timeout=90)
    assert second.returncode == 0, err
    assert f"device 0 is used by process {first.pid} (batch {machine.runs}" in err
    assert first.wait(60) == 1
