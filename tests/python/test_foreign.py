"""Module roots are compared segment by segment."""

import sys

import pytest

from parent import PLUGINS_FOLDER

sys.path.insert(0, str(PLUGINS_FOLDER))

from zlbench_plugins.foreign import foreign_vendors  # noqa: E402

KNOWN = ["foo", "bar", "baz"]
INSIDE = "flag_gems.runtime.backend."


@pytest.mark.parametrize("module, found", [
    ("_foo", ["foo"]), ("_foo.ops.mm", ["foo"]), (INSIDE + "_foo", ["foo"]),
    (INSIDE + "_foo.ops", ["foo"]), ("_foo_bar", []), ("_foo_bar.ops", []), ("x._foo", []),
    (INSIDE + "_foo_bar.ops", []), (INSIDE + "common._foo", []), ("flag_gems._foo", []),
    ("foo", []), ("_bar", []), (INSIDE + "_bar.ops", []), ("flag_gems.runtime.backend", [])])
def test_root(module, found):
    assert foreign_vendors([module, "os", "flag_gems"], KNOWN, "bar") == found


def test_sorted_and_once():
    modules = ["_foo", INSIDE + "_foo", "_baz.x", "_bar"]
    assert foreign_vendors(modules, KNOWN, "bar") == ["baz", "foo"]
