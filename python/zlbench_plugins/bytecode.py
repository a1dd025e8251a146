"""Byte code of what is imported, where Python itself would compile it anew in every process: with
PYTHONDONTWRITEBYTECODE, as most container images have it, or from packages that nobody can write to.
A framework and a corpus of some thousand files take seconds of that."""

import importlib.util
import os
import sys


def keep(folder, package="torch"):
    """In `folder` from here on, if it would be lost otherwise. Python holds what lies there against
    the source's time and size, and writes a file whole or not at all."""
    if folder and sys.pycache_prefix is None and _is_lost(package) and _can_be_made(folder):
        sys.pycache_prefix = folder
        sys.dont_write_bytecode = False


def _is_lost(package):
    if sys.dont_write_bytecode:
        return True
    try:
        source = importlib.util.find_spec(package).origin
        compiled = importlib.util.cache_from_source(source)
    except (AttributeError, ImportError, NotImplementedError, TypeError, ValueError):
        return False
    return not os.path.exists(compiled) and not os.access(os.path.dirname(source), os.W_OK)


def _can_be_made(folder):
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
