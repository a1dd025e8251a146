"""docs/run-identity.schema.json holds for what real runs leave behind, and for nothing less."""

import copy
import json
import pathlib

import jsonschema
import pytest

from conftest import Machine

TESTS = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = json.loads((TESTS.parent / "docs" / "run-identity.schema.json").read_text())
CHECK = jsonschema.Draft202012Validator(SCHEMA)
H200 = json.loads((TESTS / "data" / "identity_h200.json").read_text())


def is_valid(record):
    return not list(CHECK.iter_errors(record))


def explain(record):
    return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in CHECK.iter_errors(record)]


def run_of(folder, op, *words):
    machine = Machine(folder)
    machine.add_chips(1)
    machine.run("run", op, "--quiet", *[w if w != "CORPUS" else machine.corpus for w in words])
    return machine.batch() / op


@pytest.fixture(scope="module")
def corpus_run(tmp_path_factory):
    return run_of(tmp_path_factory.mktemp("corpus"), "abs", "--backend", "testchip", "--corpus", "CORPUS")


@pytest.fixture(scope="module")
def native_run(tmp_path_factory):
    return run_of(tmp_path_factory.mktemp("native"), "gemv", "--backend", "cpu", "--provider", "native",
                  "--shapes", "small")


def identity_of(run):
    return json.loads((run / "run_identity.json").read_text())


def test_the_schema_is_one_and_describes_every_field():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def bare(schema, path):
        fields = schema.get("properties", {}) if "description" in schema or path == "" else {}
        found = [f"{path}/{name}" for name, inner in fields.items() if not inner.get("description")]
        for name, inner in fields.items():
            found += bare(inner, f"{path}/{name}")
            found += bare(inner.get("items", {}), f"{path}/{name}/items")
        return found

    assert bare(SCHEMA, "") == []
    for name, inner in SCHEMA["$defs"].items():
        assert inner["description"] and bare(inner, name) == []


def test_a_run_of_the_corpus(corpus_run):
    record = identity_of(corpus_run)
    assert explain(record) == []
    assert record["backend_chosen_by"] == "--backend testchip" and record["calibers"]
    assert record["identity_cost_ms"] < 100


def test_a_native_run(native_run):
    record = identity_of(native_run)
    assert explain(record) == []
    assert record["vendor"] is None and record["shapes"] == {"mode": "small", "max_elements": 1 << 20}


def test_a_run_on_an_accelerator():
    assert explain(H200) == []


def test_a_child_that_said_nothing(corpus_run):
    assert explain({**identity_of(corpus_run), "child": {}}) == []


def test_every_null_has_a_reason(corpus_run, native_run):
    for record in (identity_of(corpus_run), identity_of(native_run), H200):
        for part in (record, record["child"]):
            nulls = {name for name, value in part.items() if value is None}
            for name, value in part.items():
                if isinstance(value, dict) and name not in ("unknown", "child"):
                    nulls |= {f"{name}.{inner}" for inner, v in value.items() if v is None}
            assert nulls == set(part.get("unknown", {}))


OPTIONAL = {"node", "busy_processes", "max_elements", "path", "hash", "graph_capture", "workarounds"}


@pytest.mark.parametrize("part", ["", "child", "host", "device", "child/packages"])
def test_a_field_less_or_of_another_type_is_refused(corpus_run, part):
    for record in (identity_of(corpus_run), H200):
        inside = record
        for step in filter(None, part.split("/")):
            inside = inside[step]
        for name in inside:
            for change in ("remove", "type"):
                broken = copy.deepcopy(record)
                target = broken
                for step in filter(None, part.split("/")):
                    target = target[step]
                if change == "type":
                    target[name] = [{"no": "such type"}]
                elif name in OPTIONAL:
                    continue
                else:
                    del target[name]
                assert not is_valid(broken), f"{change} {part}/{name}"


@pytest.mark.parametrize("part", ["child", "host", "shapes"])
def test_a_field_that_nobody_described_is_refused(corpus_run, part):
    broken = identity_of(corpus_run)
    broken[part]["new_field"] = 1
    assert not is_valid(broken)


def test_two_runs_are_held_against_each_other(corpus_run, native_run, tmp_path):
    machine = Machine(tmp_path)
    shown = machine.run("show", "--identity", corpus_run, native_run)
    lines = [line.split() for line in shown.stdout.splitlines() if line]
    assert lines[1][:2] == ["breaks", "operator"]
    effects = [words[0] for words in lines[1:-1]]
    assert effects == sorted(effects) and set(effects) == {"breaks", "other"}
    told = json.loads(machine.run("show", "--identity", corpus_run, native_run, "--json").stdout)
    assert told["comparable"] is False
    by_field = {one["field"]: one for one in told["differences"]}
    assert by_field["backend"]["a"] == "testchip" and by_field["backend"]["b"] == "cpu"
    assert by_field["backend"]["effect"] == "breaks" and by_field["backend"]["reason"]


def test_a_run_and_its_batch_are_the_same(corpus_run, tmp_path):
    machine = Machine(tmp_path)
    told = json.loads(machine.run("show", "--identity", corpus_run, corpus_run.parent, "--json").stdout)
    assert told["comparable"] is True and told["differences"] == []


def test_one_run_cannot_be_compared(corpus_run, tmp_path):
    assert "name both" in Machine(tmp_path).run("show", "--identity", corpus_run, code=2).stderr
