import os
import subprocess

import pytest
import torch

from . import base


def leaves_one_behind(tensor):
    """A process that outlives this one, in the same process group, and a forked one."""
    if not started:
        started.append(subprocess.Popen(["sleep", "60"], close_fds=False))
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", "60"])
    return tensor


started = []


@pytest.mark.grandchild
def test_grandchild():
    base.UnaryBenchmark(op_name="grandchild", torch_op=torch.sum, gems_op=leaves_one_behind).run()
    print(f"GRANDCHILD {started[0].pid}")
