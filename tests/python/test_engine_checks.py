"""What the engine's plug-ins find out about tensors, and about a graph held against its call."""

import os
import sys
import types

import pytest

from engine_parent import ENGINE_SITE, runtime_variables
from parent import PLUGINS_FOLDER
from vendor_words import GRAPH_RUNTIME

os.environ.update(runtime_variables(GRAPH_RUNTIME))
sys.path[:0] = [str(ENGINE_SITE), str(PLUGINS_FOLDER)]

import torch  # noqa: E402
from zlbench_plugins import tensors  # noqa: E402
from zlbench_plugins.replay_check import ReplayCheck  # noqa: E402

NAN = float("nan")


def made(*values):
    return torch.tensor([float(value) for value in values])


def test_tensors_are_found_in_what_holds_them():
    one, two, three = made(1), made(2), made(3)
    found = tensors.tensors_in(torch, [one, 7, {"a": (two, "text")}, [None, [three]]])
    assert [tensor.values() for tensor in found] == [[1], [2], [3]]
    assert tensors.tensors_in(torch, "text") == []


def test_dense_is_what_can_be_written():
    matrix = torch.empty((2, 3))
    assert tensors.is_dense(torch, matrix) and tensors.is_dense(torch, matrix.t())
    assert not tensors.is_dense(torch, made(1).expand(4))
    assert not tensors.is_dense(torch, torch.empty((0, 3)))
    other = made(1)
    other.layout = torch.sparse
    assert not tensors.is_dense(torch, other)

    class Lazy(torch.Tensor):
        pass

    assert not tensors.is_dense(torch, Lazy([1.0], 1, torch.float32))
    assert tensors.bytes_of([matrix, made(1)]) == 28


def test_snapshot_finds_and_puts_back_what_changed():
    one, two = made(1, NAN), made(3)
    before = tensors.Snapshot(torch, [one, two])
    assert before.changed().tensors == []  # a NaN is the same as itself
    two.write([4.0])
    changed = before.changed()
    assert changed.tensors == [two]
    changed.restore()
    assert two.values() == [3]


def test_a_transposed_tensor_is_put_back_in_place():
    tensor = torch.empty((2, 3)).t()
    tensor.write([1, 2, 3, 4, 5, 6])
    before = tensors.Snapshot(torch, [tensor])
    tensors.reverse(torch, [tensor])
    assert tensor.values() == [6, 5, 4, 3, 2, 1]
    before.restore()
    assert tensor.values() == [1, 2, 3, 4, 5, 6]


def test_autograd_does_not_see_what_is_put_back():
    tensor = made(1, 2).requires_grad_()
    out = torch.gelu(tensor)
    tensors.Snapshot(torch, [tensor]).restore()
    tensors.reverse(torch, [tensor])
    torch.autograd.grad((out,), [tensor], grad_outputs=(made(1, 1),))
    assert tensor.values() == [2, 1]


@pytest.mark.parametrize("one, other, is_close", [
    ((1, 2), (1, 2), True), ((1, 100), (1.004, 100), True), ((1, 100), (1, 102), False),
    ((NAN, 1), (NAN, 1.001), True), ((NAN, 1), (1, 1), False), ((1, 1), (NAN, 1), False),
    ((float("inf"), 1), (float("inf"), 1.001), True), ((0.0, 1e3), (0.5, 1e3), True)])
def test_close_is_what_another_order_of_a_sum_gives(one, other, is_close, monkeypatch):
    for part in (1, 1 << 24):
        monkeypatch.setattr(tensors, "_PART", part)
        assert tensors.is_close(torch, made(*one), made(*other)) == is_close


def test_close_needs_the_same_kind():
    assert not tensors.is_close(torch, made(1), made(1, 1))
    assert not tensors.is_close(torch, made(1), torch.tensor([1.0], torch.float16))
    integers = [torch.tensor([value], torch.int32) for value in (1000, 1001)]
    assert not tensors.is_close(torch, *integers)


def test_poison_is_of_the_tensors_kind():
    kinds = {torch.float32: 1.0, torch.int32: 1, torch.bool: False}
    filled = [torch.tensor([value], kind) for kind, value in kinds.items()]
    copies = tensors.poison(torch, filled).copies
    assert filled[0].values()[0] != filled[0].values()[0]
    assert (filled[1].values(), filled[2].values()) == ([0x55], [True])
    assert all(tensors.is_same(torch, *pair) for pair in zip(filled, copies))


# A graph against its call: `call` makes -x; what the graph does is each test's own.

def judged(graph, call=None, inputs=None, free=1 << 30, output=None):
    source = made(1, 2, 3) if inputs is None else inputs[0]
    output = output if output is not None else made(-1, -2, -3)
    before = source.values()
    framework = types.SimpleNamespace(torch=torch, free_bytes=lambda: free,
                                      synchronize=lambda: None)
    verdict = ReplayCheck(framework, [source], output, lambda: graph(source, output),
                          lambda: (call or torch.neg)(source)).verdict()
    assert source.values() == before
    return verdict


def negate(source, output):
    output.write([-value for value in source.values()])


def test_a_graph_that_does_what_the_call_does():
    output = made(-1, -2, -3)
    verdict = judged(negate, output=output)
    assert (verdict.wrong, verdict.unknown) == ("", "")
    assert output.values() == [-1, -2, -3]


def test_a_graph_that_changes_its_input():
    def twice(source, _output=None):
        source.write([2 * value for value in source.values()])
        return source

    source = made(1, 2, 3)
    verdict = judged(twice, call=twice, inputs=[source], output=source)
    assert (verdict.wrong, verdict.unknown) == ("", "")
    verdict = judged(lambda source, _output: None, call=twice, inputs=[source], output=source)
    assert "other results than the call" in verdict.wrong


@pytest.mark.parametrize("graph, wrong", [
    (lambda source, output: None, "leaves its output unwritten"),
    (lambda source, output: output.write([-1, -2, -3]), "inputs it was captured with"),
    (lambda source, output: output.write([0, 0, source.values()[0]]), "other results than")])
def test_a_graph_that_does_something_else(graph, wrong):
    assert wrong in judged(graph).wrong


def test_results_that_differ_each_time_cannot_be_judged():
    assert "other results each time" in judged(
        negate, call=lambda source: torch.randn((3,))).unknown


def test_what_is_too_large_is_not_copied():
    assert "too large" in judged(negate, free=24 * 8 - 1).unknown
    assert judged(negate, free=24 * 8).unknown == ""


def test_a_kind_that_cannot_be_compared_is_no_failure():
    def refuses(source):
        raise NotImplementedError("no such kernel")

    assert judged(negate, call=refuses).unknown == "NotImplementedError: no such kernel"
