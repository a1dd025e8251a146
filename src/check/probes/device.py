"""Four ones plus one on a device: argv holds torch's device word and the module to import first."""

import importlib
import sys

import torch

if len(sys.argv) > 2 and sys.argv[2]:
    importlib.import_module(sys.argv[2])
result = torch.ones(4, device=sys.argv[1]) + 1
assert result.tolist() == [2.0] * 4, f"wrong sum {result.tolist()}"
