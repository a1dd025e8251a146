"""Workarounds for thread-block clusters, each applied only where its condition is found and then
listed in the identity's `workarounds`.

cluster_dims: newer Triton has no cluster_dims in a kernel's metadata, while torch's inductor before
pytorch#167187 reads it without asking. Where both are true, the metadata gets it from num_ctas."""

import functools
import importlib.util
import os
import pathlib
import re
import sys
from collections import namedtuple

import pytest

from .channel import channel
from .failures import described_chain
from .identity import identity

_READERS = ("runtime/triton_heuristics.py", "runtime/static_*launcher.py")
_READS = re.compile(r"metadata\.cluster_dims\b")
_ASKS = re.compile(r"""(?:has|get)attr\(\s*[\w.]*metadata,\s*["']cluster_dims["']""")


def unguarded_readers(inductor_folder):
    """Files of torch's inductor, read as text, that take cluster_dims for granted."""
    files = [file for pattern in _READERS for file in sorted(inductor_folder.glob(pattern))]
    texts = {file.name: file.read_text(encoding="utf-8", errors="replace") for file in files}
    return [name for name, text in texts.items() if _READS.search(text) and not _ASKS.search(text)]


def compiler_knows_cluster_dims(triton_folder):
    """Metadata is made of the backends' option fields."""
    files = [*triton_folder.glob("backends/*/compiler.py"), triton_folder / "compiler/compiler.py"]
    return any("cluster_dims" in file.read_text(encoding="utf-8", errors="replace")
               for file in files if file.is_file())


def with_cluster_dims(metadata):
    """The same metadata with one more field: every field before it keeps its name."""
    if hasattr(metadata, "cluster_dims") or not hasattr(metadata, "_fields"):
        return metadata
    extended = namedtuple("KernelMetadata", (*metadata._fields, "cluster_dims"))
    return extended(*metadata, (getattr(metadata, "num_ctas", 1), 1, 1))


@pytest.hookimpl(trylast=True)
def pytest_configure():
    triton = sys.modules.get("triton")
    if triton is None:
        return
    try:
        spec = importlib.util.find_spec("torch._inductor")
        readers = unguarded_readers(pathlib.Path(spec.origin).parent) if spec else []
        if readers and not compiler_knows_cluster_dims(pathlib.Path(triton.__file__).parent):
            _supply_cluster_dims(triton.compiler.CompiledKernel)
            identity.add_workaround(
                "cluster_dims", f"triton {triton.__version__} has no cluster_dims in its metadata, "
                f"torch's {', '.join(readers)} reads it: supplied from num_ctas")
            identity.send()
    except Exception as error:
        channel.note("warning", "CLUSTER_LAUNCH", described_chain(error))


def _supply_cluster_dims(kernel_class):
    # A compile worker process of torch has no such metadata: its kernels are compiled here instead.
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    original = kernel_class.__init__

    @functools.wraps(original)
    def __init__(kernel, *args, **kwargs):
        original(kernel, *args, **kwargs)
        kernel.metadata = with_cluster_dims(kernel.metadata)

    kernel_class.__init__ = __init__
