import os
import signal

import pytest
import torch

from . import base


def dies(tensor):
    if tensor.numel() > 64:
        os.kill(os.getpid(), signal.SIGSEGV)
    return tensor


@pytest.mark.crash
def test_crash():
    """The first shape works, the second takes the process with it."""
    base.UnaryBenchmark(op_name="crash", torch_op=torch.sum, gems_op=dies).run()
