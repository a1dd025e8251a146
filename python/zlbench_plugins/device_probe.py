"""The second half of the identity: the device, torch, triton and the corpus, once they are loaded.
Device contexts may exist from here on."""

import os
import pathlib
import sys

from .identity import NotKnown
from .vendors import OWN_KERNEL_TIMERS


def probe_loaded(identity, plan, corpus, root):
    identity.put("timer", plan.fields.get("timer"))
    identity.put("corpus_vendor", getattr(corpus, "vendor_name", None))
    identity.put("corpus_device", getattr(corpus, "device", None))
    identity.put("corpus_file", getattr(corpus, "__file__", None))
    identity.probe("corpus_version", lambda: getattr(corpus, "__version__", None))
    identity.probe("corpus_in_root", lambda: _lies_under(corpus.__file__, root))
    _probe_torch(identity, plan)
    _probe_triton(identity)
    identity.probe("timer_api", _timer_api, getattr(corpus, "vendor_name", ""))


def _probe_torch(identity, plan):
    torch = sys.modules["torch"]
    version, _, build = str(torch.__version__).partition("+")
    identity.put("torch_version", version)
    identity.probe("torch_build", lambda: build or None)
    identity.put("torch_device", plan.torch_device)
    module = getattr(torch, plan.torch_device, None)
    properties = None
    try:
        properties = module.get_device_properties(module.current_device())
        why = ""
    except Exception as error:
        why = f"no properties of torch.{plan.torch_device}: {type(error).__name__}: {error}"
    for field, names in _PROPERTIES.items():
        identity.probe(field, _property, properties, names, why)
    identity.probe("device_capability", lambda: _dotted(module.get_device_capability()))
    identity.probe("device_memory_free_bytes", lambda: int(module.mem_get_info()[0]))


# Identity field to the names that it has in the frameworks' property objects.
_PROPERTIES = {
    "device_name": ("name",),
    "device_architecture": ("gcnArchName", "architecture", "arch"),
    "device_memory_total_bytes": ("total_memory",),
    "device_multiprocessors": ("multi_processor_count", "gpu_subslice_count", "cube_core_num"),
    "device_uuid": ("uuid",),
}


def _property(properties, names, why):
    if properties is None:
        raise NotKnown(why)
    for name in names:
        value = getattr(properties, name, None)
        if value is not None:
            return value if isinstance(value, (int, float)) else str(value)
    raise NotKnown(f"the device's properties have no {names[0]}")


def _dotted(parts):
    return ".".join(str(part) for part in parts) if parts else None


def _lies_under(path, root):
    return pathlib.Path(root).resolve() in pathlib.Path(os.path.abspath(path)).resolve().parents


def _probe_triton(identity):
    triton = sys.modules.get("triton")
    for field, function in (
        ("triton_version", lambda: triton.__version__),
        ("triton_file", lambda: triton.__file__),
        ("triton_target", lambda: _target(triton)),
        ("triton_backends", lambda: sorted(triton.backends.backends)),
    ):
        if triton is None:
            identity.put(field, identity.missing(field, "the corpus did not load triton"))
        else:
            identity.probe(field, function)


def _target(triton):
    target = triton.runtime.driver.active.get_current_target()
    return {"backend": str(target.backend), "arch": str(target.arch),
            "warp_size": int(target.warp_size)}


def _timer_api(vendor):
    """The function that the corpus' kernel mode calls, read and not replaced."""
    if vendor in OWN_KERNEL_TIMERS:
        return OWN_KERNEL_TIMERS[vendor]
    triton = sys.modules.get("triton")
    if triton is None:
        raise NotKnown("the corpus did not load triton")
    timer = triton.testing.do_bench
    return f"{timer.__module__}.{timer.__qualname__}"
