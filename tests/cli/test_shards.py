"""A selection that is split by hand."""

import json


def selected(batch):
    return {entry["op"] for entry in json.loads((batch / "batch.json").read_text())["operators"]}


def test_shards_of_one_selection_share_nothing_and_miss_nothing(machine):
    machine.add_chips(1)
    words = ("batch", "--backend", "testchip", "--corpus", machine.corpus, "--ops", "abs,softmax,cumsum")
    for shard in ("1/2", "2/2"):
        machine.run(*words, "--shard", shard)
    first, second = (selected(path.parent) for path in machine.batches())
    assert first | second == {"abs", "softmax", "cumsum"} and not first & second
    assert machine.run(*words, "--shard", "4/4", code=3).stderr.count("nothing is left for it") == 1
    assert "as 2/4" in machine.run(*words, "--shard", "3/2", code=2).stderr
    again = machine.run("batch", "--resume", machine.batches()[0].parent, "--shard", "1/2", code=2)
    assert "a batch keeps its shard" in again.stderr


def test_the_number_of_jobs_is_as_asked_and_stands_in_the_plan(machine):
    machine.add_chips(1)
    plan = ("plan", "abs", "--backend", "testchip", "--corpus", machine.corpus, "--json")
    assert json.loads(machine.run(*plan, "--jobs-per-device", "5").stdout)["seat"] == {"index": 0, "of": 5}
    assert json.loads(machine.run(*plan, "--silence", "7").stdout)["limits"]["silence_s"] == 7
    assert "--jobs-per-device" in machine.run(*plan, "--jobs-per-device", "0", code=2).stderr
