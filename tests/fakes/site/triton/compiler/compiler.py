import hashlib
import os
import pathlib
from collections import namedtuple

from .. import knobs
from ..backends import backends


class LaunchData:
    def __init__(self, data):
        self.data = data


class CompiledKernel:
    _handles = 1000

    def __init__(self, src, metadata_group, hash):
        metadata = {"hash": hash, "name": src, **metadata_group["metadata"]}
        self.metadata = namedtuple("KernelMetadata", sorted(metadata))(**metadata)
        self.name = src
        self.hash = hash
        self.asm = {"ttgir": metadata_group["ttgir"], "binary": b"\0"}
        self.function = None

    def load(self):
        if self.function is None:
            CompiledKernel._handles += 1
            self.function = CompiledKernel._handles
            self.n_regs, self.n_spills = 32, 2

    def launch(self, body, args):
        self.load()
        hook = knobs.runtime.launch_enter_hook
        if hook is not None:
            hook(LaunchData({"name": self.name, "function": self.function, "stream": 0}))
        return body(*args)


def _layout_ir(options):
    conversions = options.get("conversions", 0)
    lines = [f"    %{n} = ttg.convert_layout %arg{n} : tensor<128xf32>" for n in range(conversions)]
    return "\n".join(['module attributes {"ttg.num-warps" = 4 : i32} {', *lines, "}"])


def compile(name, options):
    """A file per kernel in TRITON_CACHE_DIR stands for the cache on disk."""
    digest = hashlib.sha256(repr((name, sorted(options.items()))).encode()).hexdigest()
    folder = os.environ.get("TRITON_CACHE_DIR")
    entry = pathlib.Path(folder, digest) if folder else None
    hit = entry is not None and entry.exists()
    group = {"ttgir": _layout_ir(options), "metadata": {
        "num_warps": options.get("num_warps", 4), "num_stages": 3, "num_ctas": 1, "shared": 1024}}
    if not hit:
        backends["fake"].compiler().add_stages({}, options)
    kernel = CompiledKernel(name, group, digest)
    if entry is not None and not hit:
        entry.parent.mkdir(parents=True, exist_ok=True)
        entry.touch()
    if knobs.compilation.listener:
        knobs.compilation.listener(src=name, metadata=kernel.metadata._asdict(),
                                   metadata_group=group, times=None, cache_hit=hit)
    return kernel
