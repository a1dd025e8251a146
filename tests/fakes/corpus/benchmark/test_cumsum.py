import pytest
import torch
import triton

from . import base

_timer_at_import = triton.testing.do_bench


@pytest.mark.cumsum
def test_cumsum():
    """Its operator is tuned; the timer that the tuner gets must be triton's own."""
    base.UnaryBenchmark(op_name="cumsum", torch_op=torch.cumsum).run()
    print(f"TIMER_UNTOUCHED {triton.testing.do_bench is _timer_at_import}")
