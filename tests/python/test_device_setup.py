"""The vendor before the corpus is imported, both halves of the identity, and what ends a child
before its session."""

import shutil
import sqlite3

import pytest

from parent import CORPUS, PLUGINS_FOLDER, SITE, make_plan
from vendor_words import (DEVICE, FORCED_VENDOR, FORCING_VARIABLE, OTHER_DEVICE,
                          OTHER_DEVICE_VENDOR, OTHER_VENDOR, PROCESSOR_VENDOR, VENDOR)

ABS = "test_abs.py::test_abs"


def test_hello_is_first_and_names_the_protocol(run):
    child = run(ABS)
    hello = child.messages[0]
    assert (hello["type"], hello["protocol"], hello["role"]) == ("hello", 1, "pytest")
    assert hello["pid"] == child.process.pid


@pytest.mark.parametrize("vendor", [VENDOR, OTHER_VENDOR])
def test_vendor_is_the_plan_s(run, vendor):
    """Left alone, the corpus would choose a third one."""
    child = run(ABS, plan=make_plan(backend={"vendor": vendor}))
    assert child.identity["corpus_vendor"] == vendor and child.status == 0


def test_caller_s_variables_give_way_aloud(run):
    child = run(ABS, env={"GEMS_VENDOR": OTHER_VENDOR, "GEMS_BACKEND": OTHER_VENDOR,
                          FORCING_VARIABLE: "/opt/sdk"})
    assert child.identity["corpus_vendor"] == VENDOR
    assert child.identity["env"]["GEMS_VENDOR"] == VENDOR
    assert FORCING_VARIABLE not in child.identity["env"]
    texts = " | ".join(note["text"] for note in child.notes("VENDOR_VARIABLE"))
    assert f"GEMS_VENDOR={OTHER_VENDOR} gives way" in texts
    assert f"GEMS_BACKEND={OTHER_VENDOR} gives way" in texts
    assert f"{FORCING_VARIABLE} removed" in texts


def test_agreeing_variable_is_no_news(run):
    child = run(ABS, env={"GEMS_VENDOR": VENDOR.upper()})
    assert child.notes("VENDOR_VARIABLE") == [] and child.status == 0


def test_first_half_creates_no_context_and_imports_nothing(run, tmp_path):
    spy = tmp_path / "spy.py"
    spy.write_text("import sys\nprint('LOADED', 'torch' in sys.modules, 'yaml' in sys.modules)\n")
    child = run(ABS, plugins=["device_setup"], arguments=["-p", "spy"], env={
        "PYTHONPATH": f"{tmp_path}:{PLUGINS_FOLDER}:{SITE}"})
    assert "LOADED False False" in child.log
    first = child.only("hello")["identity"]
    assert first["python_version"] and first["packages"]["pytest"] and first["glibc"]
    assert first["shm_bytes"] > 0 and first["open_files_limit"] > 0
    assert [cache["name"] for cache in first["caches"]] == [
        "TRITON_CACHE_DIR", "FLAGGEMS_CACHE_DIR"]
    with open("/proc/mounts") as mounts:  # in a chroot nothing is mounted on "/"
        is_known = any(line.split()[1] == "/" for line in mounts)
    assert all(cache["free_bytes"] > 0 for cache in first["caches"])
    assert all(bool(cache["file_system"]) == is_known for cache in first["caches"])
    assert first["device_name"] is None
    assert first["unknown"]["device_name"] == "the process ended before this was asked"


def test_second_half_names_device_and_versions(run):
    found = run(ABS).identity
    assert found["device_name"] == "Stand-in 9000" and found["device_architecture"] == "fake90"
    assert found["device_capability"] == "9.0" and found["device_uuid"] == "FAKE-0000"
    assert found["device_memory_total_bytes"] == 8 << 30
    assert found["device_memory_free_bytes"] == 6 << 30
    assert (found["torch_version"], found["torch_build"]) == ("2.11.0", "fake")
    assert found["triton_version"] == "3.6.0" and found["triton_target"]["arch"] == "90"
    assert found["triton_backends"] == ["fake"] and found["triton_file"].endswith(".py")
    assert found["triton_backends_active"] == ["fake"]
    assert found["device_shared_memory_per_block_optin_bytes"] == 227 << 10
    assert found["torch_devices"] == 1 and found["torch_commit"] == "none"
    assert found["corpus_vendor_reason"] == f"GEMS_VENDOR={VENDOR}"
    assert found["timer_api"] == "triton.testing.do_bench"
    assert found["corpus_device"] == DEVICE and found["corpus_in_root"] is True


def test_what_is_not_known_is_null_with_a_reason(run):
    cpu = {"vendor": PROCESSOR_VENDOR, "torch_device": "cpu"}
    child = run(ABS, plan=make_plan(backend=cpu))
    found = child.identity
    assert child.status == 0 and found["device_name"] is None
    assert "torch.cpu" in found["unknown"]["device_name"]
    assert found["packages"]["vllm"] is None
    assert found["unknown"]["packages.vllm"] == "not installed as a package"
    assert "compute_mode" in run(ABS).identity["unknown"]["device_compute_mode"]


def test_every_null_has_its_reason_and_every_reason_its_null(run):
    found = run(ABS).identity
    unknown = set(found["unknown"])
    nulls = {name for name, value in found.items() if value is None}
    nulls |= {f"packages.{name}" for name, value in found["packages"].items() if value is None}
    assert nulls == unknown


def test_the_record_says_what_it_cost(run):
    found = run(ABS).identity
    assert 0 < found["identity_cost_ms"] < 2000 and 0 < found["device_contact_ms"] < 2000


@pytest.mark.parametrize("rows, mode", [(0, "fresh"), (1, "warm")])
def test_autotune_mode_is_what_the_database_held_before(run, tmp_path, rows, mode):
    folder = tmp_path / "gems" / "config_cache"
    folder.mkdir(parents=True)
    with sqlite3.connect(folder / "TunedConfig_x.db") as database:
        database.execute("create table configs (key text)")
        database.executemany("insert into configs values (?)", [("k",)] * rows)
    child = run(ABS)
    assert child.identity["autotune"] == mode
    assert bool(child.identity["autotune_hash"]) == (mode == "warm")


def test_no_database_is_fresh(run):
    assert run(ABS).identity["autotune"] == "fresh"


def test_missing_device_module_ends_it_with_both_names(run):
    child = run(ABS, plan=make_plan(backend={
        "name": "the-other", "vendor": OTHER_DEVICE_VENDOR, "torch_device": OTHER_DEVICE,
        "torch_module": "torch_of_nowhere"}))
    text = child.notes("VENDOR_MISMATCH")[0]["text"]
    for words in ("the-other", OTHER_DEVICE_VENDOR, f"torch.{OTHER_DEVICE}", "2.11.0+fake",
                  "torch_of_nowhere", f"{DEVICE} (1 device)", "ZL_BACKEND"):
        assert words in text
    assert (child.status, child.bye["failed_in"], child.bye["reason"]) == (4, "import", text)
    assert f"ERROR: VENDOR_MISMATCH: {text}" in child.log and "Traceback" not in child.log


def test_vendor_of_another_device_is_a_mismatch(run):
    child = run(ABS, plan=make_plan(backend={"vendor": OTHER_DEVICE_VENDOR}))
    text = child.notes("VENDOR_MISMATCH")[0]["text"]
    assert f"vendor {OTHER_DEVICE_VENDOR}" in text and f"torch.{OTHER_DEVICE}" in text
    assert (child.status, child.bye["failed_in"]) == (4, "import")
    assert child.bye["reason"].startswith("RuntimeError: torch has no device")


def test_corpus_that_chose_otherwise_is_refused_with_the_variable(run):
    child = run(ABS, plan=make_plan(backend={"override_variables": []}),
                env={FORCING_VARIABLE: "/opt/sdk"})
    text = child.notes("VENDOR_MISMATCH")[0]["text"]
    assert f"vendor {VENDOR} on torch device {DEVICE}" in text
    assert f"chose vendor {FORCED_VENDOR}" in text
    assert f"torch device {DEVICE}" in text and f"because of {FORCING_VARIABLE}=/opt/sdk" in text
    assert (child.status, child.bye["failed_in"]) == (4, "import")
    assert child.all("case_begin") == []


def test_backend_without_a_vendor_leaves_the_choice_to_the_corpus(run):
    child = run(ABS, plan=make_plan(backend={"vendor": None, "torch_device": "cpu"}))
    assert child.status == 0 and child.identity["corpus_vendor"] == PROCESSOR_VENDOR


def test_corpus_that_chose_another_device_is_refused(run):
    plan = make_plan(backend={"vendor": None, "torch_device": "cpu"})
    child = run(ABS, plan=plan, env={"GEMS_VENDOR": VENDOR})
    assert f"torch device {DEVICE}" in child.notes("VENDOR_MISMATCH")[0]["text"]
    assert child.status == 4 and child.all("measurement") == []


def test_conftest_that_cannot_be_imported_gives_its_first_cause(run, tmp_path):
    corpus = shutil.copytree(CORPUS, tmp_path / "corpus")
    conftest = corpus / "benchmark" / "conftest.py"
    conftest.write_text("try:\n    import zl_nowhere\nexcept ImportError:\n"
                        "    raise RuntimeError('no way on')\n" + conftest.read_text())
    child = run(ABS, corpus=corpus)
    assert child.status == 4 and child.bye["failed_in"] == "import"
    assert child.bye["reason"] == (
        "ModuleNotFoundError: No module named 'zl_nowhere'; then RuntimeError: no way on "
        "(benchmark/conftest.py:2)")
    assert child.bye["reason"] in child.notes("IMPORT_FAILED")[0]["text"]


@pytest.mark.parametrize("plan, words", [
    ("not json", "cannot be read"), ('{"format": 7}', "format 7"), ("[]", "format list")])
def test_plan_that_cannot_be_used_ends_it(run, plan, words):
    child = run(ABS, plan=plan)
    assert (child.status, child.bye["failed_in"]) == (4, "setup")
    assert words in child.bye["reason"]


def test_foreign_vendor_module_is_reported_not_refused(run):
    plan = make_plan(backend={"vendor": OTHER_VENDOR})
    child = run("test_router_gemm.py", plan=plan)
    assert child.status == 0 and child.bye["passed"] == 1
    assert f"\nFOREIGN_VENDOR_MODULE active={OTHER_VENDOR} loaded={VENDOR}\n" in child.log
    (note,) = child.notes("FOREIGN_VENDOR_MODULE")
    assert note["text"] == f"active={OTHER_VENDOR} loaded={VENDOR}"
    assert child.messages[-1]["type"] == "bye"


def test_own_vendor_module_is_not_foreign(run):
    child = run("test_router_gemm.py")
    assert child.notes("FOREIGN_VENDOR_MODULE") == [] and "FOREIGN_VENDOR" not in child.log


def test_without_the_plugin_the_corpus_chooses(run):
    child = run(ABS, plugins=(), env={"GEMS_VENDOR": OTHER_VENDOR})
    assert child.status == 0 and child.messages == []
