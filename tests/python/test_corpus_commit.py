"""The corpus' commit, read from the files of real git checkouts without starting git."""

import subprocess
import sys

import pytest

from parent import PLUGINS_FOLDER

sys.path.insert(0, str(PLUGINS_FOLDER))

from zlbench_plugins.corpus_probe import git_head  # noqa: E402
from zlbench_plugins.identity import NotKnown  # noqa: E402


def git(folder, *words):
    return subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=e@x", *words], cwd=folder, check=True,
        capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "HOME": str(folder)}).stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "one")
    return folder


def test_a_branch(checkout):
    assert git_head(checkout) == git(checkout, "rev-parse", "HEAD")


def test_a_packed_branch(checkout):
    git(checkout, "pack-refs", "--all")
    assert not (checkout / ".git" / "refs" / "heads" / "main").exists()
    assert git_head(checkout) == git(checkout, "rev-parse", "HEAD")


def test_a_detached_head(checkout):
    git(checkout, "commit", "-q", "--allow-empty", "-m", "two")
    git(checkout, "checkout", "-q", "HEAD~1")
    assert git_head(checkout) == git(checkout, "rev-parse", "HEAD")


def test_a_linked_work_tree(checkout, tmp_path):
    git(checkout, "worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    git(tmp_path / "linked", "commit", "-q", "--allow-empty", "-m", "aside")
    assert git_head(tmp_path / "linked") == git(tmp_path / "linked", "rev-parse", "HEAD")
    assert git_head(tmp_path / "linked") != git_head(checkout)


def test_no_checkout_and_no_commit_are_said(tmp_path):
    with pytest.raises(NotKnown, match="no git checkout"):
        git_head(tmp_path)
    git(tmp_path, "init", "-q", "-b", "main")
    with pytest.raises(NotKnown, match="refs/heads/main has no commit"):
        git_head(tmp_path)
