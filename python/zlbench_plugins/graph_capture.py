"""Says whether the framework has what capturing a graph needs: a graph class that can capture and
replay, and streams beside the default one. It looks at names alone and creates no context."""

import sys

import pytest

from .identity import identity
from .plan import plan


def capture_support(torch, word):
    """{"available", "api", "reason"}: `reason` says what is missing."""
    module = getattr(torch, word, None)
    if module is None:
        return _none(f"torch has no {word}")
    graphs = [name for name, value in vars(module).items()
              if isinstance(value, type) and hasattr(value, "capture_begin")
              and hasattr(value, "capture_end") and hasattr(value, "replay")]
    if not graphs:
        return _none(f"torch.{word} has no class that captures a graph")
    if not isinstance(getattr(module, "Stream", None), type) or not hasattr(module, "stream"):
        return _none(f"torch.{word} has no streams to capture on")
    return {"available": True, "api": f"torch.{word}.{sorted(graphs)[0]}", "reason": ""}


def _none(reason):
    return {"available": False, "api": "", "reason": reason}


@pytest.hookimpl(trylast=True)
def pytest_configure():
    torch = sys.modules.get("torch")
    support = capture_support(torch, plan.torch_device) if torch else _none("torch is not loaded")
    identity.put("graph_capture", support)
    identity.send()
