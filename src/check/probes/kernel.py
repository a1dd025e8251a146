"""A vector addition in Triton: argv holds torch's device word and the module to import first."""

import importlib
import sys

import torch
import triton
import triton.language as tl

if len(sys.argv) > 2 and sys.argv[2]:
    importlib.import_module(sys.argv[2])


@triton.jit
def add(x, y, out, count, BLOCK: tl.constexpr = 256):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


left = torch.ones(1000, device=sys.argv[1])
out = torch.empty_like(left)
add[(4,)](left, left, out, 1000)
assert out.tolist() == [2.0] * 1000, "wrong sum"
