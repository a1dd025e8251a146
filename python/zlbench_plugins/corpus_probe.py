"""The corpus' part of the identity: which one it is, and the vendor that it chose and why."""

import os
import pathlib
import re

from .identity import NotKnown
from .vendors import DECIDING_VARIABLES

CORPUS_FIELDS = ("corpus_vendor", "corpus_vendor_reason", "corpus_device", "corpus_file",
                 "corpus_version", "corpus_in_root", "corpus_commit")


def probe_corpus(identity, plan, corpus, root):
    identity.probe("corpus_vendor", lambda: getattr(corpus, "vendor_name", None))
    identity.probe("corpus_vendor_reason", corpus_vendor_reason, plan, corpus)
    identity.probe("corpus_device", lambda: getattr(corpus, "device", None))
    identity.probe("corpus_file", lambda: corpus.__file__)
    identity.probe("corpus_version", lambda: getattr(corpus, "__version__", None))
    identity.probe("corpus_in_root", lambda: _lies_under(corpus.__file__, root))
    identity.probe("corpus_commit", git_head, pathlib.Path(root))


def corpus_vendor_reason(plan, corpus):
    """The variable that the corpus followed; it looks at them in this order."""
    vendor = str(getattr(corpus, "vendor_name", ""))
    for name, decides in DECIDING_VARIABLES.items():
        if name in os.environ and decides == vendor:
            return f"{name}={os.environ[name]}"
    for name in plan.vendor_variables:
        if os.environ.get(name, "").lower() == vendor:
            return f"{name}={os.environ[name]}"
    return "no variable says so: the corpus detected it"


def _lies_under(path, root):
    return pathlib.Path(root).resolve() in pathlib.Path(os.path.abspath(path)).resolve().parents


def git_head(root):
    """The commit that is checked out at `root`, read from git's own files. Whether the tree was
    changed since cannot be told without reading all of it."""
    folder = _git_folder(root)
    head = (folder / "HEAD").read_text().strip()
    if not head.startswith("ref: "):
        return _commit(head)
    name = head[len("ref: "):]
    # A linked work tree has its own HEAD and shares the branches with the main one.
    common = folder / "commondir"
    shared = folder / common.read_text().strip() if common.is_file() else folder
    for place in (folder, shared):
        if (place / name).is_file():
            return _commit((place / name).read_text().strip())
    packed = shared / "packed-refs"
    for line in packed.read_text().splitlines() if packed.is_file() else ():
        commit, _, ref = line.partition(" ")
        if ref == name:
            return _commit(commit)
    raise NotKnown(f"{name} has no commit in {shared}")


def _git_folder(root):
    git = root / ".git"
    if git.is_dir():
        return git
    if git.is_file() and git.read_text().startswith("gitdir: "):
        return root / git.read_text()[len("gitdir: "):].strip()
    raise NotKnown("the corpus' root is no git checkout")


def _commit(text):
    if not re.fullmatch(r"[0-9a-f]{40}(?:[0-9a-f]{24})?", text):
        raise NotKnown(f"git's HEAD is not a commit: {text[:60]}")
    return text
