"""The first half of the identity: this process and host, without importing torch and without
touching a device. Runs before the corpus is imported, which creates a tuning database."""

import hashlib
import importlib.metadata
import os
import pathlib
import platform
import resource
import shutil
import sqlite3
import sys

from .environment_probe import recorded_environment
from .identity import NotKnown

_PACKAGES = ("torch", "triton", "flagtree", "flag_gems", "numpy", "pytest", "vllm",
             "transformer_engine")
_CACHES = {"TRITON_CACHE_DIR": "~/.triton/cache", "FLAGGEMS_CACHE_DIR": "~/.flaggems"}


def probe_host(identity, plan):
    identity.put("role", "pytest")
    identity.put("backend", plan.backend_name)
    identity.put("vendor", plan.vendor)
    identity.put("python_version", platform.python_version())
    identity.put("python_executable", sys.executable)
    identity.put("platform", " ".join(os.uname()[i] for i in (0, 2, 4)))
    identity.probe("glibc", os.confstr, "CS_GNU_LIBC_VERSION")
    identity.put("env", recorded_environment(plan.vendor_variables + plan.override_variables))
    identity.put("packages", {name: _package(identity, name) for name in _PACKAGES})
    identity.probe("caches", lambda: [_cache(*item) for item in _CACHES.items()])
    identity.probe("shm_bytes", lambda: shutil.disk_usage("/dev/shm").total)
    identity.probe("shm_free_bytes", lambda: shutil.disk_usage("/dev/shm").free)
    identity.probe("open_files_limit", lambda: resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    identity.missing("autotune_hash", "no database with tuned configurations was there")
    identity.probe("autotune", _autotune, identity)


def _package(identity, name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return identity.missing(f"packages.{name}", "not installed as a package")


def _cache(variable, default):
    path = cache_folder(variable, default)
    existing = next(p for p in (path, *path.parents) if p.exists())
    return {"name": variable, "path": str(path), "file_system": _file_system(existing),
            "free_bytes": shutil.disk_usage(existing).free}


def cache_folder(variable, default):
    return pathlib.Path(os.environ.get(variable) or os.path.expanduser(default)).absolute()


def _file_system(path):
    """Type of the mount that holds `path`: the longest mount point above it."""
    best, kind, wanted = "", None, str(path.resolve())
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, rest = line.partition(" - ")
        point = fields.split()[4].encode().decode("unicode_escape")
        inside = wanted == point or wanted.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, rest.split()[0]
    return kind


def _autotune(identity):
    """`warm` when a database with tuned configurations is there before the corpus starts."""
    if os.environ.get("FLAGGEMS_DB_URL"):
        identity.missing("autotune_hash", "FLAGGEMS_DB_URL names the database")
        raise NotKnown("FLAGGEMS_DB_URL names the database")
    folder = cache_folder("FLAGGEMS_CACHE_DIR", _CACHES["FLAGGEMS_CACHE_DIR"])
    databases = [path for path in sorted(folder.rglob("*.db")) if _has_rows(path)]
    if not databases:
        return "fresh"
    digest = hashlib.sha256()
    for path in databases:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    identity.put("autotune_hash", digest.hexdigest()[:16])
    return "warm"


def _has_rows(path):
    """A file that is no SQLite database counts as full: its content is not ours to judge."""
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        try:
            names = connection.execute("select name from sqlite_master where type = 'table'")
            quoted = [name.replace('"', '""') for (name,) in names.fetchall()]
            return any(connection.execute(f'select 1 from "{name}" limit 1').fetchone()
                       for name in quoted)
        finally:
            connection.close()
    except sqlite3.Error:
        return path.stat().st_size > 0
