"""Operators for the timing engine, with the torch whose tensors hold data: each does one thing that
a timer must notice. What they print is read by the tests."""

import gc
import itertools
import time

import pytest
import torch
import triton

import flag_gems

from . import base

device_module = base.torch_device_fn


class Small(base.UnaryBenchmark):
    DEFAULT_DTYPES = [torch.float32]

    def set_shapes(self, shape_file_path=None):
        self.shapes = [(4,)]


class Two(Small):
    def set_shapes(self, shape_file_path=None):
        self.shapes = [(4,), (2, 3)]


def measure(name, op, kind=Small, **options):
    kind(op_name=name, torch_op=op, **options).run()


def elementwise(tensor):
    return torch.neg(tensor)


def slow_on_the_host(tensor):
    """So that what is measured with the host's clock soon comes to rest."""
    time.sleep(0.003)
    return torch.neg(tensor)


@pytest.mark.engine_clean
def test_clean():
    measure("engine_clean", elementwise, Two)


class Ones(Small):
    def get_input_iter(self, dtype):
        yield (torch.tensor([1.0, 1.0, 1.0], dtype),)


@pytest.mark.engine_in_place
def test_in_place():
    """What each run of the work finds in its input."""
    seen = []

    def grow(tensor):
        def compute():
            seen.append(tensor.values()[0])
            tensor.write(value + 1 for value in tensor.values())

        torch.launch(compute)
        return tensor

    measure("engine_in_place", grow, Ones)
    print(f"RUNS {len(seen)} CHANGED {sum(value != 1 for value in seen)}")


@pytest.mark.engine_in_place_later
def test_in_place_later():
    """Only the second shape's call changes its input; what each run of it finds there."""
    found = []

    def grow(tensor):
        def compute():
            found.append(tensor.values()[0])
            tensor.write(value + 1 for value in tensor.values())

        if tensor.shape == (2, 3):
            torch.launch(compute)
            return tensor
        return elementwise(tensor)

    measure("engine_in_place_later", grow, Two)
    print(f"RUNS_LATER {len(found)} CHANGED {sum(value != found[0] for value in found)}")


@pytest.mark.engine_contexts
def test_contexts(monkeypatch):
    """How often the library is put in the place of torch's operators, by shape."""
    enter = flag_gems.use_gems.__enter__
    entered = []

    def counting(self):
        entered.append(1)
        return enter(self)

    class Three(Small):
        def get_input_iter(self, dtype):
            for size in (4, 5, 6):
                before = len(entered)
                yield (torch.randn((size,), dtype),)
                print(f"CONTEXTS {size} {len(entered) - before}")

    monkeypatch.setattr(flag_gems.use_gems, "__enter__", counting)
    measure("engine_contexts", torch.abs, Three)


@pytest.mark.engine_backward
def test_backward():
    measure("engine_backward", torch.gelu, is_backward=True)


@pytest.mark.engine_raises
def test_raises():
    def raises(tensor):
        if tensor.shape == (4,) and next(calls) == 3:
            raise ArithmeticError("the third call")
        return elementwise(tensor)

    calls = itertools.count(1)
    measure("engine_raises", raises, Two)


@pytest.mark.engine_raises_late
def test_raises_late():
    """Only when the engine calls it, with the collector off: all that comes before goes well."""
    def raises(tensor):
        is_early = gc.isenabled() or device_module.is_current_stream_capturing()
        if tensor.shape == (4,) and not is_early:
            raise ArithmeticError("a late call")
        return elementwise(tensor)

    measure("engine_raises_late", elementwise, Two, gems_op=raises)


@pytest.mark.engine_no_capture
def test_no_capture():
    def refuses(tensor):
        if device_module.is_current_stream_capturing():
            raise NotImplementedError("not while capturing")
        return elementwise(tensor)

    measure("engine_no_capture", elementwise, gems_op=refuses)


@pytest.mark.engine_waits
def test_waits():
    def waits(tensor):
        made = slow_on_the_host(tensor)
        made.item()
        return made

    measure("engine_waits", waits)


@pytest.mark.engine_escapes
def test_escapes():
    side = device_module.Stream()
    torch._runtime.side_stream(side.handle)

    def escapes(tensor):
        made = torch.empty_like(tensor)
        with device_module.stream(side):
            for _ in range(100):
                torch.launch(lambda: made.write(tensor.values()))
        return made

    measure("engine_escapes", slow_on_the_host, gems_op=escapes)


@pytest.mark.engine_cached
def test_cached():
    made = {}

    def cached(tensor):
        if tensor not in made:
            made[tensor] = elementwise(tensor)
        return made[tensor]

    measure("engine_cached", elementwise, gems_op=cached)


@pytest.mark.engine_on_host
def test_on_host():
    def on_host(tensor):
        return torch.tensor([-value for value in tensor.values()])

    measure("engine_on_host", elementwise, gems_op=on_host)


@pytest.mark.engine_partly
def test_partly():
    """Some of its work is for the device, its result is not made there."""
    def partly(tensor):
        elementwise(tensor)
        return torch.tensor([-value for value in tensor.values()])

    measure("engine_partly", elementwise, gems_op=partly)


@pytest.mark.engine_random
def test_random():
    measure("engine_random", lambda tensor: torch.randn(tensor.shape))


@pytest.mark.engine_no_result
def test_no_result():
    def without_result(tensor):
        torch.launch(lambda: None)
        return 3

    measure("engine_no_result", without_result)


class Numbers(Small):
    def get_input_iter(self, dtype):
        yield (4,)


@pytest.mark.engine_no_tensors
def test_no_tensors():
    measure("engine_no_tensors", lambda _number: torch.launch(lambda: None), Numbers)


class Integers(Small):
    DEFAULT_DTYPES = [torch.int32]

    def get_input_iter(self, dtype):
        yield (torch.randint(0, 3, (4,), dtype),)


@pytest.mark.engine_integers
def test_integers():
    measure("engine_integers", elementwise, Integers)


@triton.jit
def one_kernel(tensor):
    return tensor


@pytest.mark.engine_compiles
def test_compiles():
    """At its first and fifth call, as a library does that tunes again."""
    def compiles(tensor):
        one_kernel[(1,)](tensor, num_warps=8 if next(calls) >= 5 else 4)
        return elementwise(tensor)

    calls = itertools.count(1)
    measure("engine_compiles", elementwise, gems_op=compiles)


@pytest.mark.engine_compiles_late
def test_compiles_late():
    """While it is being measured, if its calls are."""
    def compiles(tensor):
        one_kernel[(1,)](tensor, num_warps=16 if next(calls) >= 250 else 2)
        return elementwise(tensor)

    calls = itertools.count(1)
    measure("engine_compiles_late", elementwise, gems_op=compiles)


@pytest.mark.engine_never_quiet
def test_never_quiet():
    def compiles(tensor):
        one_kernel[(1,)](tensor, num_warps=next(calls))
        return elementwise(tensor)

    calls = itertools.count(100)
    measure("engine_never_quiet", elementwise, gems_op=compiles)


class OwnRun(Small):
    def run(self):
        self.init_user_config()
        for dtype in self.to_bench_dtypes:
            for args in self.get_input_iter(dtype):
                self.get_latency(self.torch_op, *args)
                with flag_gems.use_gems():
                    print(f"OWN_RUN {self.get_latency(self.torch_op, *args) > 0}")


@pytest.mark.engine_own_run
def test_own_run():
    measure("engine_own_run", elementwise, OwnRun)


@pytest.mark.engine_split
def test_split():
    """One side of a run of its own can be captured, the other one cannot."""
    def refuses(tensor):
        if torch.dispatch_overrides and device_module.is_current_stream_capturing():
            raise NotImplementedError("not while capturing")
        return elementwise(tensor)

    measure("engine_split", refuses, OwnRun)


class Cloned(Small):
    def get_latency(self, op, *args, **kwargs):
        return super().get_latency(op, *[arg.clone() for arg in args], **kwargs)


@pytest.mark.engine_own_latency
def test_own_latency():
    measured = set()

    def remembers(tensor):
        measured.add(tensor)
        return elementwise(tensor)

    measure("engine_own_latency", remembers, Cloned)
    print(f"MEASURED_TENSORS {len(measured)}")


class Twice(Small):
    def get_latency(self, op, *args, **kwargs):
        return min(super().get_latency(op, *args, **kwargs),
                   super(Twice, self).get_latency(op, *args, **kwargs))


@pytest.mark.engine_two_calls
def test_two_calls():
    measure("engine_two_calls", elementwise, Twice)


@pytest.mark.engine_tuner
def test_tuner():
    timer = triton.testing.do_bench
    measure("engine_tuner", torch.cumsum)
    print(f"TIMER_UNTOUCHED {triton.testing.do_bench is timer}")


class NotNumbers(Small):
    def get_input_iter(self, dtype):
        yield (torch.tensor([float("nan"), 1.0, float("inf"), 2.0], dtype),)


@pytest.mark.engine_nan
def test_nan():
    measure("engine_nan", elementwise, NotNumbers)


class Huge(Small):
    def get_input_iter(self, dtype):
        device_module.free_bytes = 20
        yield (torch.randn((4,), dtype),)
        device_module.free_bytes = 1 << 30


@pytest.mark.engine_huge
def test_huge():
    measure("engine_huge", elementwise, Huge)


@pytest.mark.engine_library
def test_library():
    """The candidate is the library's own; what checks it must be torch's."""
    measure("engine_library", torch.exp)
    print(f"INSIDE_LIBRARY {sorted(set(torch.inside_library))}")


@pytest.mark.engine_collector
def test_collector():
    measure("engine_collector", elementwise)
    print(f"COLLECTOR {gc.isenabled()}")


@pytest.mark.engine_lost
def test_lost():
    torch._runtime.die_at_work(300)
    measure("engine_lost", elementwise, Two)


@pytest.mark.engine_lost_in_own_run
def test_lost_in_own_run():
    torch._runtime.die_at_work(300)
    measure("engine_lost_in_own_run", elementwise, OwnRun)


@pytest.mark.engine_lost
def test_after_the_loss():
    print("RAN_ON_A_LOST_DEVICE")
