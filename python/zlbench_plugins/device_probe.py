"""The second half of the identity: torch, triton and the device, once they are loaded. Device
contexts may exist from here on."""

import importlib
import pathlib
import re
import sys

from .identity import NotKnown
from .vendors import DRIVER_VERSION_FILES, OWN_KERNEL_TIMERS

# Identity field to the names that it has in the frameworks' property objects.
_PROPERTIES = {
    "device_name": ("name",),
    "device_architecture": ("gcnArchName", "architecture", "arch"),
    "device_memory_total_bytes": ("total_memory",),
    "device_multiprocessors": ("multi_processor_count", "gpu_subslice_count", "cube_core_num"),
    "device_uuid": ("uuid",),
    "device_shared_memory_per_block_bytes": ("shared_memory_per_block",),
    "device_shared_memory_per_block_optin_bytes": ("shared_memory_per_block_optin",),
    "device_l2_cache_bytes": ("L2_cache_size",),
    "device_compute_mode": ("compute_mode",),
}
_TRITON = ("triton_version", "triton_file", "triton_target", "triton_backends",
           "triton_backends_active")
LOADED_FIELDS = (*_PROPERTIES, *_TRITON, "device_capability", "device_memory_free_bytes", "driver",
                 "timer", "timer_api", "torch_version", "torch_build", "torch_commit", "torch_file",
                 "torch_device", "torch_devices", "torch_runtimes", "torch_module_version",
                 "device_contact_ms")


def probe_torch(identity, plan, torch):
    version, _, build = str(torch.__version__).partition("+")
    identity.put("torch_version", version)
    identity.probe("torch_build", lambda: build or None)
    identity.probe("torch_commit", lambda: torch.version.git_version)
    identity.probe("torch_file", lambda: torch.__file__)
    identity.put("torch_device", plan.torch_device)
    identity.probe("torch_devices", lambda: int(getattr(torch, plan.torch_device).device_count()))
    identity.probe("torch_runtimes", torch_runtimes, torch)
    identity.probe("torch_module_version", _module_version, plan.backend.get("torch_module"))
    identity.probe("driver", _driver, plan.vendor)


def probe_device(identity, plan, torch):
    """The first contact with the device: the runtime starts here, if the imports did not do it."""
    module = getattr(torch, plan.torch_device, None)
    properties, why = None, ""
    try:
        properties = module.get_device_properties(module.current_device())
    except Exception as error:
        why = f"no properties of torch.{plan.torch_device}: {type(error).__name__}: {error}"
    for field, names in _PROPERTIES.items():
        identity.probe(field, _property, properties, names, why)
    identity.probe("device_capability", lambda: _dotted(module.get_device_capability()))
    identity.probe("device_memory_free_bytes", lambda: int(module.mem_get_info()[0]))


def probe_triton(identity, triton):
    if triton is None:
        identity.expect(_TRITON, "the corpus did not load triton")
        return
    identity.probe("triton_version", lambda: triton.__version__)
    identity.probe("triton_file", lambda: triton.__file__)
    identity.probe("triton_target", triton_target, triton)
    identity.probe("triton_backends", lambda: sorted(triton.backends.backends))
    identity.probe("triton_backends_active", lambda: sorted(
        name for name, one in triton.backends.backends.items() if one.driver.is_active()))


def probe_timer(identity, plan, vendor):
    identity.put("timer", plan.fields.get("timer"))
    identity.probe("timer_api", _timer_api, vendor)


def torch_runtimes(torch):
    """{"name": "version"} of the accelerator runtimes that this torch was built for."""
    return {name: value for name, value in sorted(vars(torch.version).items())
            if isinstance(value, str) and not name.startswith("_") and name != "git_version"}


def triton_target(triton):
    target = triton.runtime.driver.active.get_current_target()
    return {"backend": str(target.backend), "arch": str(target.arch),
            "warp_size": int(target.warp_size)}


def _module_version(name):
    if not name:
        raise NotKnown("the backend needs no module beside torch")
    return str(importlib.import_module(name).__version__)


def _driver(vendor):
    path = DRIVER_VERSION_FILES.get(vendor)
    if path is None:
        raise NotKnown("no file with the driver's version is known for this vendor")
    found = re.search(r"\d+\.\d+(?:\.\w+)*", pathlib.Path(path).read_text())
    if not found:
        raise NotKnown(f"{path} names no version")
    return found.group()


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


def _timer_api(vendor):
    """The function that the corpus' kernel mode calls, read and not replaced."""
    if vendor in OWN_KERNEL_TIMERS:
        return OWN_KERNEL_TIMERS[vendor]
    triton = sys.modules.get("triton")
    if triton is None:
        raise NotKnown("the corpus did not load triton")
    timer = triton.testing.do_bench
    return f"{timer.__module__}.{timer.__qualname__}"
