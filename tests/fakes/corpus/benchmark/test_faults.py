import ctypes
import os
import pathlib
import signal

import pytest
import torch

from . import base


def _lost_file():
    return pathlib.Path(os.environ["FAKE_LOST_FOLDER"], "lost-" + os.environ["CHIP_VISIBLE_DEVICES"])


def takes_device_0_away(tensor):
    """For good: the health check fails from then on."""
    if os.environ["CHIP_VISIBLE_DEVICES"] == "0" and not os.environ.get("FAKE_REPAIRED"):
        _lost_file().touch()
        raise RuntimeError("an illegal memory access was encountered")
    return tensor


def spoils_its_process(tensor):
    raise RuntimeError("an illegal memory access was encountered")


def crashes_with_the_common_cache(tensor):
    if "/crash_once/" not in os.environ["TRITON_CACHE_DIR"]:
        os.kill(os.getpid(), signal.SIGSEGV)
    return tensor


def hangs_with_the_interpreters_lock(tensor):
    ctypes.PyDLL(None).sleep(3600)




def _run(name, function):
    base.UnaryBenchmark(op_name=name, torch_op=torch.sum, gems_op=function).run()


@pytest.mark.lost_device
def test_lost_device():
    _run("lost_device", takes_device_0_away)


@pytest.mark.sticky
def test_sticky():
    _run("sticky", spoils_its_process)


@pytest.mark.crash_once
def test_crash_once():
    _run("crash_once", crashes_with_the_common_cache)


@pytest.mark.hang_in_c
def test_hang_in_c():
    _run("hang_in_c", hangs_with_the_interpreters_lock)
