"""Wrong words and broken surroundings: one line that says what, where and what to do; the right exit code."""

import os
import stat


def refused(machine, *words, code, says, **variables):
    done = machine.run(*words, code=code, **variables)
    error = [line for line in done.stderr.splitlines() if line.startswith("zlbench: error: ")]
    assert len(error) == 1, done.stderr
    for text in [says] if isinstance(says, str) else says:
        assert text in error[0], error[0]
    return done


def test_unknown_backend(machine):
    refused(machine, "devices", "--backend", "testchp", code=2, says="testchp")
    machine.add_chips(1)
    refused(machine, "devices", "--backend", "testchp", code=2, says="Did you mean 'testchip'")


def test_blank_backend_is_unset(machine):
    machine.run("devices", ZL_BACKEND="  ")


def test_one_kind_of_device_is_chosen_and_two_are_an_error(machine):
    machine.add_chips(1)
    done = machine.run("plan", "abs", "--corpus", machine.corpus)
    assert "testchip" in done.stdout
    text = (machine.folder / "backends" / "testchip.yaml").read_text()
    (machine.folder / "backends" / "second.yaml").write_text(
        text.replace("name: testchip", "name: second").replace("aliases: [chip]", "aliases: []"))
    refused(machine, "plan", "abs", "--corpus", machine.corpus, code=2, says=["testchip", "second", "ZL_BACKEND"])


def test_no_device_of_the_backend(machine):
    machine.add_chips(0)
    refused(machine, "run", "abs", "--backend", "chip", "--corpus", machine.corpus, code=4,
            says="no testchip device is visible here")


def test_devices_that_are_not_there(machine):
    machine.add_chips(2)
    for spec in ("99", ",", "0,", "0,0", "x"):
        refused(machine, "batch", "--backend", "chip", "--corpus", machine.corpus, "--ops", "abs",
                "--devices", spec, code=2, says="devices")


def test_broken_descriptors(machine):
    path = machine.folder / "backends" / "broken.yaml"
    path.write_text("name: broken\ncapabilitys: {}\n")
    refused(machine, "backends", code=2, says=["broken.yaml:2", "capabilitys", "capabilities"])
    path.write_text("name: [unclosed\n")
    refused(machine, "backends", code=2, says="broken.yaml:")
    machine.add_chips(1)
    path.write_text((machine.folder / "backends" / "testchip.yaml").read_text().replace(
        "name: testchip", "name: other"))
    refused(machine, "backends", code=2, says=["chip", "other", "broken.yaml", "testchip.yaml"])
    refused(machine, "backends", "--backend-dir", "/no/such/folder", code=2, says="/no/such/folder")


def test_corpus_folders_that_are_none(machine):
    machine.add_chips(1)
    refused(machine, "ops", "--corpus", machine.folder, code=4, says=["conf/operators.yaml"])
    refused(machine, "run", "abs", "--backend", "chip", code=2, says=["--corpus", "ZL_CORPUS"])
    refused(machine, "run", "abs", "--backend", "chip", "--corpus", "/no/such/folder", code=4, says="/no/such/folder")


def test_operator_names(machine):
    machine.add_chips(1)
    common = ["--backend", "chip", "--corpus", machine.corpus]
    refused(machine, "run", "softmx", *common, code=2, says=["softmx", "softmax"])
    for name in ("../abs", "a/b", ".."):
        refused(machine, "run", *common, code=2, says="cannot be an operator id", OP=name)
    refused(machine, "run", *common, code=2, says="needs an operator")
    refused(machine, "batch", *common, "--ops", "zz*", code=3, says="zz*")
    refused(machine, "batch", *common, "--stage", "gamma", code=3, says="gamma")
    refused(machine, "run", "absent", *common, code=3, says="absent")
    refused(machine, "ops", "zzz", "--corpus", machine.corpus, code=3, says="zzz")


def test_nodes_given_directly(machine):
    machine.add_chips(1)
    common = ["run", "--backend", "chip", "--corpus", machine.corpus]
    refused(machine, *common, code=2, says="../../etc/passwd", TEST_NODE="../../etc/passwd::x")
    refused(machine, *common, code=2, says="nowhere.py", OP_FILE="benchmark/nowhere.py")
    refused(machine, *common, code=2, says="test_abs.py", TEST_NODE="benchmark/test_abs.py::test_nothing")


def test_a_python_that_cannot_run_pytest(machine):
    machine.add_chips(1)
    bare = machine.folder / "python"
    bare.write_text("#!/bin/sh\ncase \"$*\" in *'import pytest'*) echo 'No module named pytest' >&2; exit 1;; esac\n"
                    "exec /usr/bin/python3 \"$@\"\n")
    bare.chmod(bare.stat().st_mode | stat.S_IXUSR)
    common = ["batch", "--backend", "chip", "--corpus", machine.corpus, "--ops", "abs"]
    refused(machine, *common, "--python", bare, code=4, says=["cannot import pytest", "--python"])
    refused(machine, *common, "--python", "no-such-python", code=4, says="no-such-python")
    refused(machine, *common, "--python", "/bin/false", code=4, says=["/bin/false", "Python 3.8 or newer"])


def test_runs_folders_that_cannot_be_written(machine):
    machine.add_chips(1)
    (machine.folder / "file").write_text("")
    common = ["batch", "--backend", "chip", "--corpus", machine.corpus, "--ops", "abs"]
    refused(machine, *common, "--runs", machine.folder / "file", code=4, says=["file", "ZL_RUNS"])
    refused(machine, *common, "--runs", "/proc/zlbench", code=4, says=["/proc/zlbench", "ZL_RUNS"])


def test_native_libraries_that_are_none(machine):
    text = machine.folder / "text.so"
    text.write_text("not a library")
    refused(machine, "run", "x", "--backend", "cpu", "--provider", "native", "--library", text, code=4, says="text.so")
    refused(machine, "run", "x", "--backend", "cpu", "--provider", "nativ", code=2, says="Did you mean 'native'")


def test_folders_that_are_no_batch(machine):
    refused(machine, "show", machine.folder, code=4, says="batch.json")
    refused(machine, "batch", "--resume", machine.folder, code=4, says="batch.json")
    refused(machine, "batch", "--resume", "x", "--ops", "y", code=2, says="exclude one another")


def test_words_and_formats(machine):
    refused(machine, "bacth", code=2, says="Did you mean 'batch'")
    refused(machine, "show", machine.folder, "--format", "jsn", code=2, says="Did you mean 'json'")
    machine.run("--help")
    machine.run("--version")
    machine.run()


def test_a_closed_pipe_is_no_crash(machine):
    read, write = os.pipe()
    os.close(read)
    import subprocess
    done = subprocess.run(machine.command("backends"), env=machine.environment, stdout=write,
                          stderr=subprocess.PIPE, timeout=60)
    os.close(write)
    assert done.returncode in (0, -13)
