"""What capture needs is looked for by name, and without a device context."""

from parent import DEFAULT_PLUGINS, make_plan
from vendor_words import DEVICE, PROCESSOR_VENDOR

PLUGINS = (*DEFAULT_PLUGINS, "graph_capture")
ABS = "test_abs.py::test_abs"


def test_available(run):
    support = run(ABS, plugins=PLUGINS).identity["graph_capture"]
    assert support == {"available": True, "api": f"torch.{DEVICE}.FakeGraph", "reason": ""}


def test_without_a_graph_class(run):
    child = run(ABS, plugins=PLUGINS, env={"FAKE_NO_GRAPH": "1"})
    support = child.identity["graph_capture"]
    assert support["available"] is False and "no class that captures" in support["reason"]


def test_processor_has_none(run):
    plan = make_plan(backend={"vendor": PROCESSOR_VENDOR, "torch_device": "cpu"})
    assert run(ABS, plugins=PLUGINS, plan=plan).identity["graph_capture"]["available"] is False


def test_without_the_plugin_nothing_is_said(run):
    assert "graph_capture" not in run(ABS).identity
