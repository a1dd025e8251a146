"""cluster_dims is supplied where it is missing and somebody reads it; nowhere else."""

import shutil

import pytest

from parent import DEFAULT_PLUGINS, SITE

PLUGINS = (*DEFAULT_PLUGINS, "cluster_launch")
OLD_READER = '''
def launch_arguments(kernel):
    return (kernel.metadata.num_ctas, *kernel.metadata.cluster_dims)
'''


@pytest.fixture
def old_torch(tmp_path):
    """A torch whose inductor takes cluster_dims for granted."""
    site = shutil.copytree(SITE, tmp_path / "site")
    (site / "torch" / "_inductor" / "runtime" / "triton_heuristics.py").write_text(OLD_READER)
    return site


def test_supplied_and_listed(run, old_torch):
    child = run("test_compiled.py", plugins=PLUGINS, site=old_torch)
    assert "LAUNCHED_WITH (1, 1, 1, 1)" in child.log and child.bye["passed"] == 1
    (workaround,) = child.identity["workarounds"]
    assert workaround["name"] == "cluster_dims"
    assert "triton 3.6.0" in workaround["reason"]
    assert "triton_heuristics.py" in workaround["reason"]


def test_without_the_plugin_it_fails(run, old_torch):
    child = run("test_compiled.py", site=old_torch)
    assert "has no attribute 'cluster_dims'" in child.bye["reason"]


def test_newer_torch_needs_none(run):
    child = run("test_compiled.py", plugins=PLUGINS)
    assert "LAUNCHED_WITH ()" in child.log and "workarounds" not in child.identity


def test_compiler_that_knows_it_needs_none(run, old_torch):
    options = old_torch / "triton" / "backends" / "fake" / "compiler.py"
    options.write_text("cluster_dims = (1, 1, 1)\n")
    child = run("test_abs.py::test_abs", plugins=PLUGINS, site=old_torch)
    assert "workarounds" not in child.identity and child.bye["passed"] == 1


def test_kernels_are_still_seen(run, old_torch):
    child = run("test_softmax.py", plugins=PLUGINS, site=old_torch)
    assert child.all("kernel")[0]["num_warps"] == 8
