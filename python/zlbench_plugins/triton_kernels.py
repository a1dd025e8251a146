"""What Triton tells about its compiled kernels, by the names its versions have for it: 3.4 and
later keep hooks in triton.knobs, earlier ones on CompiledKernel."""

import contextlib
import functools
import re
import weakref

# Identity of the kernel message to the name in the compiler's metadata.
_METADATA = {"num_warps": "num_warps", "num_stages": "num_stages", "num_ctas": "num_ctas",
             "shared_bytes": "shared"}
# Known after the kernel was loaded onto a device.
_LOADED = {"registers": "n_regs", "spills": "n_spills"}
_CONVERT_LAYOUT = re.compile(r"\b(?:ttg|triton_gpu)\.convert_layout\b")


class Registry:
    """Sees every kernel that is compiled or loaded from a cache; `seen` is called with each."""

    def __init__(self, triton, seen):
        self.triton = triton
        self._kernels = []
        self._from_cache = {}
        self._watch_kernels(triton.compiler.CompiledKernel, seen)
        self._watch_cache(getattr(triton, "knobs", None))

    def find(self, name, function):
        """The kernel of a launch: its function handle is unique while it is loaded."""
        alive = (ref() for ref in reversed(self._kernels))
        return next((kernel for kernel in alive if kernel is not None and kernel.name == name
                     and getattr(kernel, "function", None) == function), None)

    def was_loaded(self, kernel):
        """True: from a cache; False: compiled here; None: this version does not say."""
        return self._from_cache.get(getattr(kernel, "hash", None))

    def _watch_kernels(self, kernel_class, seen):
        original = kernel_class.__init__

        @functools.wraps(original)
        def __init__(kernel, *args, **kwargs):
            original(kernel, *args, **kwargs)
            self._kernels.append(weakref.ref(kernel))
            seen(kernel)

        kernel_class.__init__ = __init__

    def _watch_cache(self, knobs):
        compilation = getattr(knobs, "compilation", None)
        if not hasattr(compilation, "listener"):
            return
        earlier = compilation.listener

        def listener(**told):
            self._from_cache[_field(told.get("metadata"), "hash")] = bool(told.get("cache_hit"))
            if earlier is not None:
                earlier(**told)

        compilation.listener = listener


def fields_of(kernel, registry):
    """The kernel message's fields; what this version does not tell is left out."""
    metadata = getattr(kernel, "metadata", None)
    fields = {"name": str(getattr(kernel, "name", "?")), "hash": getattr(kernel, "hash", None)}
    loaded = registry.was_loaded(kernel)
    fields["compiled"] = None if loaded is None else not loaded
    for field, name in _METADATA.items():
        fields[field] = _count(_field(metadata, name))
    for field, name in _LOADED.items():
        fields[field] = _count(getattr(kernel, name, None))
    layout_ir = getattr(kernel, "asm", {}).get("ttgir")
    if isinstance(layout_ir, str):
        fields["convert_layouts"] = len(_CONVERT_LAYOUT.findall(layout_ir))
    return {field: value for field, value in fields.items() if value is not None}


def launches_of(triton, call):
    """Calls once; returns name and function handle of what was launched, in order."""
    launches = []

    def entered(told):
        data = getattr(told, "data", told) or {}
        launches.append((data.get("name"), data.get("function")))

    with _launch_hook(triton, entered):
        call()
    return launches


@contextlib.contextmanager
def _launch_hook(triton, entered):
    runtime = getattr(getattr(triton, "knobs", None), "runtime", None)
    owner = runtime if hasattr(runtime, "launch_enter_hook") else triton.compiler.CompiledKernel
    earlier = owner.launch_enter_hook
    if hasattr(earlier, "add"):
        earlier.add(entered)
    else:
        both = _both(earlier, entered)
        owner.launch_enter_hook = staticmethod(both) if isinstance(owner, type) else both
    try:
        yield
    finally:
        if hasattr(earlier, "remove"):
            earlier.remove(entered)
        else:
            owner.launch_enter_hook = earlier


def _both(earlier, entered):
    def hook(told):
        if earlier is not None:
            earlier(told)
        entered(told)

    return hook


def _field(metadata, name):
    return metadata.get(name) if isinstance(metadata, dict) else getattr(metadata, name, None)


def _count(value):
    return int(value) if isinstance(value, int) else None
