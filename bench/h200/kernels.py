"""Kernels of known behaviour for the acceptance tests of the timers."""

import torch
import triton
import triton.language as tl


@triton.jit
def _clock():
    return tl.inline_asm_elementwise("mov.u64 $0, %clock64;", "=l", [], dtype=tl.int64,
                                     is_pure=False, pack=1)


@triton.jit(do_not_specialize=["count", "spread"])
def _spin(cycles, sink, count, spread):
    """A chain of dependent steps; with a spread (in steps) their number differs from launch to
    launch, by the clock's last bits."""
    block = tl.program_id(0)
    begin = _clock()
    hashed = ((begin & 0xFFFFF) * 2654435761) >> 12
    count += ((hashed & 1023) * spread // 1024).to(tl.int32)
    x = block + 1
    for _ in range(count):
        x = (x * 1664525) ^ (x >> 7)
    tl.store(sink + block, x)
    tl.store(cycles + block, _clock() - begin)


@triton.jit
def _read(values, sums, size, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.load(values + places, mask=places < size, other=0.0)
    tl.store(sums + tl.program_id(0), tl.sum(part, 0))


class Spin:
    """call() takes some `length_us`; cycles() tells what its last one took."""

    cycles_per_step = None

    def __init__(self, length_us, blocks=1, spread=0.0, clock_mhz=1980.0):
        if Spin.cycles_per_step is None:
            Spin.cycles_per_step = 1.0
            probe = Spin.of_steps(100_000)
            for _ in range(3):
                probe.call()
            Spin.cycles_per_step = probe.cycles() / 100_000
        self._init(round(length_us * clock_mhz / Spin.cycles_per_step), blocks, spread)

    @classmethod
    def of_steps(cls, steps, blocks=1):
        made = cls.__new__(cls)
        made._init(steps, blocks, 0.0)
        return made

    def _init(self, steps, blocks, spread):
        self.steps, self._blocks, self._spread = steps, blocks, int(spread * steps)
        self._cycles = torch.zeros(blocks, dtype=torch.int64, device="cuda")
        self._sink = torch.zeros(blocks, dtype=torch.int32, device="cuda")

    def call(self):
        _spin[(self._blocks,)](self._cycles, self._sink, self.steps, self._spread, num_warps=1)
        return self._sink

    def cycles(self):
        torch.cuda.synchronize()
        return float(self._cycles.double().median())


class Read:
    """call() reads so many bytes once and writes next to nothing."""

    BLOCK = 4096

    def __init__(self, size_bytes):
        self._values = torch.rand(size_bytes // 4, device="cuda")
        self._blocks = triton.cdiv(size_bytes // 4, Read.BLOCK)
        self._sums = torch.zeros(self._blocks, device="cuda")

    def call(self):
        _read[(self._blocks,)](self._values, self._sums, self._values.numel(), BLOCK=Read.BLOCK)
        return self._sums
