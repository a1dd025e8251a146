import time

import pytest
import torch

from . import base


def waits(tensor):
    print("HANGING", flush=True)
    time.sleep(3600)


@pytest.mark.hang
def test_hang():
    base.UnaryBenchmark(op_name="hang", torch_op=torch.sum, gems_op=waits).run()
