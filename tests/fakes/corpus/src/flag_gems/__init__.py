"""A stand-in for the operator library of a corpus: it chooses a vendor when imported, and use_gems
puts its operators in the place of torch's."""

import torch

from . import runtime
from .ops import OPERATORS

__version__ = "0.0.0+standin"
device = runtime.device.name
vendor_name = runtime.device.vendor_name


class use_gems:
    def __init__(self, exclude=None, include=None):
        self.names = [name for name in OPERATORS if name not in (exclude or [])]

    def __enter__(self):
        for name in self.names:
            torch.dispatch_overrides[name] = OPERATORS[name]
        return self

    def __exit__(self, *_error):
        for name in self.names:
            torch.dispatch_overrides.pop(name, None)
