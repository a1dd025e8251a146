"""The whole program on the stand-in corpus: real pytest children, real files."""

import csv
import json
import os
import signal
import subprocess
import time

from vendor_words import DEVICE, OTHER_DEVICE_VENDOR, OTHER_VENDOR, VENDOR


def rows(machine):
    with open(machine.batch() / "ops_status.csv", newline="") as file:
        return {row["op"]: row for row in csv.DictReader(file)}


def corpus_batch(machine, ops, code, *words, **variables):
    return machine.run("batch", "--backend", "testchip", "--corpus", machine.corpus, "--ops", ops,
                       *words, code=code, **variables)


def test_a_batch_measures_and_leaves_its_rows(machine):
    machine.add_chips(2)
    done = corpus_batch(machine, "abs,add,softmax", 0)
    found = rows(machine)
    assert list(found["abs"]) == ("op,node,status,reason,backend,device,timer,autotune,shapes,"
                                  "kernels,cvt,speedup,duration_s,attempts,run_dir").split(",")
    for op in ("abs", "add", "softmax"):
        assert found[op]["status"] == "passed", found[op]
        assert found[op]["backend"] == "testchip"
        assert found[op]["timer"] == "upstream"
        assert int(found[op]["shapes"]) > 0 and float(found[op]["speedup"]) > 0
    assert {row["device"] for row in found.values()} == {"0", "1"}
    assert "3 operators: 3 passed" in done.stdout
    run = machine.batch() / "abs"
    measurements = [json.loads(line) for line in (run / "measurements.jsonl").read_text().splitlines()]
    assert {entry["side"] for entry in measurements} == {"baseline", "candidate"}
    assert all(entry["caliber"].startswith("upstream-do_bench/") for entry in measurements)
    assert all(entry["raw"]["unit"] == "ms" for entry in measurements)


def test_the_identity_says_with_what_it_was_made(machine):
    machine.add_chips(1)
    corpus_batch(machine, "abs", 0, GEMS_VENDOR="somebody_else", PPU_SDK="1")
    identity = json.loads((machine.batch() / "abs" / "run_identity.json").read_text())
    assert identity["backend"] == "testchip" and identity["vendor"] == VENDOR
    assert identity["device"]["index"] == 0
    child = identity["child"]
    assert child["corpus_vendor"] == VENDOR and child["torch_device"] == DEVICE
    assert child["device_name"] and child["python_version"]
    assert "PPU_SDK" not in child["env"] and child["env"]["GEMS_VENDOR"] == VENDOR


def test_a_vendor_variable_that_disagrees_is_said_aloud(machine):
    machine.add_chips(1)
    done = corpus_batch(machine, "abs", 0, GEMS_VENDOR="somebody_else", PPU_SDK="1")
    assert "GEMS_VENDOR=somebody_else disagrees with backend testchip" in done.stderr
    assert "PPU_SDK is set here and is removed" in done.stderr


def test_a_failing_shape_loses_no_other_and_its_phase_is_known(machine):
    machine.add_chips(1)
    corpus_batch(machine, "exp,bad_baseline,bad_input,bad_metrics", 1)
    found = rows(machine)
    assert found["exp"]["status"] == "partial" and int(found["exp"]["shapes"]) > 0
    assert "first in candidate" in found["exp"]["reason"]
    assert "first in baseline" in found["bad_baseline"]["reason"]
    assert "first in input" in found["bad_input"]["reason"]
    assert "first in metrics" in found["bad_metrics"]["reason"]


def test_what_does_not_run_has_a_status_and_a_reason(machine):
    machine.add_chips(1)
    corpus_batch(machine, "gated,crash,broken_syntax,no_numbers,absent,needs_missing", 1)
    found = rows(machine)
    assert found["gated"]["status"] == "skipped" and found["gated"]["reason"]
    assert found["crash"]["status"] == "crashed"
    assert "signal 11" in found["crash"]["reason"] and "in phase candidate" in found["crash"]["reason"]
    assert found["absent"]["status"] == "unresolved"
    assert found["no_numbers"]["status"] == "failed" and "no shapes" in found["no_numbers"]["reason"]
    assert found["needs_missing"]["status"] in ("skipped", "failed")
    assert all(row["status"] != "passed" for row in found.values())


def test_a_hang_ends_at_the_time_limit(machine):
    machine.add_chips(1)
    corpus_batch(machine, "hang", 1, "--timeout", "5")
    row = rows(machine)["hang"]
    assert row["status"] == "timeout" and "in phase candidate of case test_hang/hang" in row["reason"]


def test_kernels_of_another_vendor_are_named_in_the_row(machine):
    machine.add_chips(1, vendor=OTHER_VENDOR)
    corpus_batch(machine, "router_gemm", 0)
    assert f"FOREIGN_VENDOR_MODULE active={OTHER_VENDOR} loaded={VENDOR}" in rows(machine)["router_gemm"]["reason"]
    assert "FOREIGN_VENDOR_MODULE active=" in (machine.batch() / "router_gemm" / "run.log").read_text()


def test_kernels_and_layout_conversions_are_counted(machine):
    machine.add_chips(1)
    corpus_batch(machine, "softmax", 0)
    row = rows(machine)["softmax"]
    assert int(row["kernels"]) > 0 and int(row["cvt"]) > 0
    shown = machine.run("show", machine.batch()).stdout
    assert f"{row['shapes']} shapes, {row['kernels']} kernel" in shown and f"cvt {row['cvt']}" in shown
    both = machine.run("show", machine.batch(), machine.batch()).stdout
    assert f"cvt {row['cvt']} -> {row['cvt']}" in both


def test_the_wrong_vendor_ends_with_a_clear_error_and_no_hang(machine):
    machine.add_chips(1, vendor=OTHER_DEVICE_VENDOR, device="elsewhere")
    begin = time.monotonic()
    corpus_batch(machine, "abs", 1)
    assert time.monotonic() - begin < 60
    row = rows(machine)["abs"]
    assert row["status"] == "wrong_vendor"
    assert "needs torch.elsewhere" in row["reason"] and "ZL_BACKEND" in row["reason"]


def test_shapes_can_be_chosen(machine):
    machine.add_chips(1)
    corpus_batch(machine, "abs", 0)
    all_shapes = int(rows(machine)["abs"]["shapes"])
    before = machine.batches()
    shapes = machine.folder / "shapes.yaml"
    shapes.write_text("abs:\n  shapes: [[2, 2]]\n")
    plan = json.loads(machine.run("plan", "abs", "--backend", "testchip", "--corpus", machine.corpus,
                                  "--json", SHAPE_MODE=str(shapes)).stdout)
    assert {"name": "shapes", "loaded": True} == {k: v for k, v in [
        (k, v) for p in plan["plugins"] if p["name"] == "shapes" for k, v in p.items()
    ] if k in ("name", "loaded")}
    machine.run("run", "abs", "--backend", "testchip", "--corpus", machine.corpus, "--json",
                SHAPE_MODE=str(shapes))
    (new,) = set(machine.batches()) - set(before)  # two of one second have no order
    lines = (new.parent / "abs" / "measurements.jsonl").read_text().splitlines()
    assert {json.loads(line)["shape"] for line in lines} == {"[(2, 2)]"}
    assert all_shapes > 1


def test_what_follows_two_dashes_reaches_the_corpus(machine):
    machine.add_chips(1)
    machine.run("run", "abs", "--backend", "testchip", "--corpus", machine.corpus, "--",
                "--metrics", "latency")
    lines = (machine.batch() / "abs" / "measurements.jsonl").read_text().splitlines()
    assert {json.loads(line)["side"] for line in lines} == {"candidate"}


def test_a_node_given_directly_wins(machine):
    machine.add_chips(1)
    machine.run("run", "--backend", "testchip", "--corpus", machine.corpus, OP="abs",
                TEST_NODE="benchmark/test_add.py::test_add_tensor")
    assert rows(machine)["abs"]["node"] == "benchmark/test_add.py::test_add_tensor"


def test_the_callers_mask_is_the_universe(machine):
    machine.add_chips(4)
    corpus_batch(machine, "abs,add", 0, CHIP_VISIBLE_DEVICES="2,3")
    assert {row["device"] for row in rows(machine).values()} == {"2", "3"}
    failed = machine.run("batch", "--backend", "chip", "--corpus", machine.corpus, "--devices", "0",
                         "--ops", "abs", code=2, CHIP_VISIBLE_DEVICES="2,3")
    assert "2" in failed.stderr and "3" in failed.stderr


def running_batch(machine, ops):
    process = subprocess.Popen(
        machine.command("batch", "--backend", "testchip", "--corpus", machine.corpus, "--ops", ops),
        env=machine.environment, cwd=machine.folder, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        events = [path.read_text() for path in machine.runs.glob("*/events.jsonl")]
        if events and '"op":"hang"' in events[0] and "case_begun" in events[0].split('"op":"hang"', 1)[1]:
            return process, [json.loads(line) for line in events[0].splitlines()]
        time.sleep(0.05)
    process.kill()
    raise AssertionError(process.communicate())


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0] != "Z"


def pid_of(events, op):
    return [event["pid"] for event in events if event["event"] == "run_begun" and event["op"] == op][-1]


def test_control_c_ends_every_child_and_resume_goes_on(machine):
    machine.add_chips(1)
    process, events = running_batch(machine, "abs,hang,add")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert not alive(pid_of(events, "hang"))
    assert list(rows(machine)) == ["abs"]
    assert f"zlbench batch --resume {machine.batch()}" in err
    # The hanging operator is still the batch's: give it a short life this time.
    request = json.loads((machine.batch() / "batch.json").read_text())
    request["options"]["time_limit_s"] = 5
    (machine.batch() / "batch.json").write_text(json.dumps(request))
    machine.run("batch", "--resume", machine.batch(), code=1)
    found = rows(machine)
    assert [found[op]["status"] for op in ("abs", "hang", "add")] == ["passed", "timeout", "passed"]
    assert found["abs"]["attempts"] == "1" and found["hang"]["attempts"] == "2"
    again = machine.run("batch", "--resume", machine.batch(), code=1)
    assert "every operator of this batch has its result" in again.stderr


def test_a_killed_scheduler_leaves_no_child_and_loses_no_result(machine):
    machine.add_chips(1)
    process, events = running_batch(machine, "abs,hang,add")
    process.kill()
    process.communicate(timeout=60)
    deadline = time.monotonic() + 20
    while alive(pid_of(events, "hang")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(pid_of(events, "hang"))
    shown = machine.run("show", machine.batch())
    assert "abs" in shown.stdout and "running" in shown.stdout
    assert "has not ended" in shown.stderr


def test_the_child_is_what_the_plan_said(machine):
    machine.add_chips(1)
    planned = machine.run("plan", "hang", "--backend", "testchip", "--corpus", machine.corpus, "--json").stdout
    process, events = running_batch(machine, "hang")
    try:
        # A run's folder has its name only once it exists: BATCH stood for it.
        plan = json.loads(planned.replace("/BATCH", "/" + machine.batch().name))
        pid = pid_of(events, "hang")
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            argv = file.read().decode().split("\0")[:-1]
        with open(f"/proc/{pid}/environ", "rb") as file:
            environment = dict(line.split("=", 1) for line in file.read().decode().split("\0")[:-1])
        assert argv == plan["argv"]
        expected = dict(machine.environment)
        for change in plan["environment"]:
            expected.pop(change["name"], None)
            if change["value"] is not None:
                expected[change["name"]] = change["value"]
        assert environment == expected
        loaded = [plugin["name"] for plugin in plan["plugins"] if plugin["loaded"]]
        words = [argv[i + 1] for i, word in enumerate(argv) if word == "-p"]
        assert words == [f"zlbench_plugins.{name}" for name in loaded] + ["no:cacheprovider"]
        # And they are really there: what each of them leaves behind.
        identity = [event["identity"] for event in events if event["event"] == "identity"]
        assert any("corpus_vendor" in part for part in identity)  # device_setup
        assert any(event["event"] == "case_begun" for event in events)  # results, timing
        assert os.readlink(f"/proc/{pid}/cwd") == plan["working_directory"]
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
