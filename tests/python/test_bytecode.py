"""Byte code is kept where Python would compile everything anew in each process."""

import os
import shutil
import subprocess
import sys

from parent import CORPUS, PLUGINS_FOLDER, make_plan

ABS = "test_abs.py::test_abs"
SCRIPT = """
import sys
from zlbench_plugins import bytecode
bytecode.keep(sys.argv[1], "somewhere")
import somewhere
print(sys.pycache_prefix)
"""


def kept(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*.pyc")}


def test_the_second_child_compiles_nothing(run, tmp_path):
    """The children here have PYTHONDONTWRITEBYTECODE."""
    folder, corpus = tmp_path / "bytecode", tmp_path / "corpus"
    shutil.copytree(CORPUS, corpus, ignore=shutil.ignore_patterns("__pycache__"))
    plan = make_plan(bytecode_folder=str(folder))
    assert run(ABS, plan=plan, corpus=corpus).status == 0
    made = kept(folder)
    assert list(folder.rglob("flag_gems/**/*.pyc"))
    assert run(ABS, plan=plan, corpus=corpus).status == 0
    assert kept(folder) == made
    assert not list(corpus.rglob("*.pyc"))


def test_a_folder_that_cannot_be_made_is_no_failure(run, tmp_path):
    (tmp_path / "file").write_text("")
    assert run(ABS, plan=make_plan(bytecode_folder=str(tmp_path / "file" / "b"))).status == 0


def prefix_of(tmp_path, **variables):
    package = tmp_path / "site" / "somewhere"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text("")
    environment = {"PATH": os.environ["PATH"],
                   "PYTHONPATH": f"{PLUGINS_FOLDER}:{tmp_path / 'site'}", **variables}
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "kept")]
    return subprocess.run(command, env=environment, capture_output=True, text=True,
                          check=True).stdout.strip()


def test_python_is_left_to_itself_where_it_keeps_it(tmp_path):
    assert prefix_of(tmp_path, PYTHONPYCACHEPREFIX=str(tmp_path / "own")) == str(tmp_path / "own")
    assert prefix_of(tmp_path) == "None"
    assert prefix_of(tmp_path, PYTHONDONTWRITEBYTECODE="1") == str(tmp_path / "kept")


def test_packages_that_nobody_can_write_to(tmp_path):
    """Decided by the rights of the folder, which do not hold root back: the check is asked."""
    script = SCRIPT.replace("bytecode.keep", "import os; os.access = lambda path, _mode: "
                                             "'somewhere' not in path; bytecode.keep")
    package = tmp_path / "site" / "somewhere"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{PLUGINS_FOLDER}:{package.parent}"}
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "kept")], env=environment,
                          capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(tmp_path / "kept")
