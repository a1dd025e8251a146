"""The vendor: from the environment first, else the processor's, else from what this torch has."""

import os
import pathlib
import types

import torch

from . import FOLDER, descriptor_of

_FORCED = {"PPU_SDK": "thead"}
_VARIABLES = ("GEMS_VENDOR", "FLAGGEMS_VENDOR", "GEMS_BACKEND", "FLAGGEMS_BACKEND")


def _vendor():
    for name, vendor in _FORCED.items():
        if name in os.environ:
            return vendor
    for name in _VARIABLES:
        if name in os.environ:
            return os.environ[name].lower()
    vendors = [path.parent.name[1:] for path in sorted(pathlib.Path(FOLDER).glob("_*/__init__.py"))]
    words = {vendor: descriptor_of(vendor).device_name for vendor in vendors}
    here = [vendor for vendor in vendors if hasattr(torch, words[vendor])]
    if not here:
        raise RuntimeError("no device was detected on this machine")
    return min(here, key=lambda vendor: words[vendor] != "cpu")


def found_device():
    info = descriptor_of(_vendor())
    if not hasattr(torch, info.device_name):
        raise RuntimeError(f"torch has no device {info.device_name}")
    return types.SimpleNamespace(name=info.device_name, vendor_name=info.vendor_name)
