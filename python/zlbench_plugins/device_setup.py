"""Always the first plug-in: sets the vendor before the corpus is imported, and records the run
identity: one half at import time, without a device context, the other after configuration. At the
session's end it names modules of other vendors that were loaded; it reports and does not refuse."""

import importlib
import os
import sys

import pytest

from . import hooks
from .channel import PROTOCOL, channel
from .device_probe import probe_loaded
from .failures import described, described_with_place
from .foreign import descriptor_device, foreign_vendors
from .host_probe import probe_host
from .identity import identity
from .plan import plan
from .torch_words import device_words
from .vendors import DECIDING_VARIABLES


def _choose_vendor():
    """Makes the corpus choose the plan's vendor; returns the notes about what had to give way."""
    texts = []
    for name in plan.override_variables:
        if os.environ.pop(name, None) is not None:
            texts.append(f"{name} removed: it would override the choice of the vendor")
    if not plan.vendor or not plan.vendor_variables:
        return texts
    first, *others = plan.vendor_variables
    for name in [first, *others]:
        value = os.environ.get(name)
        if value is not None and value.lower() != plan.vendor.lower():
            del os.environ[name]
            texts.append(f"{name}={value} gives way to the backend's vendor {plan.vendor}")
    os.environ[first] = plan.vendor
    return texts


def _start():
    notes = _choose_vendor()
    probe_host(identity, plan)
    channel.send("hello", protocol=PROTOCOL, pid=os.getpid(), role="pytest",
                 identity=identity.take_news())
    for text in notes:
        channel.note("warning", "VENDOR_VARIABLE", text)


_start()


def _end(code, text, failed_in="import"):
    """Ends the process before its session: pytest prints the text and exits with 4."""
    channel.note("error", code, text)
    channel.bye(exit_status=4, collected=0, passed=0, failed=0, skipped=0, reason=text,
                failed_in=failed_in)
    raise pytest.UsageError(f"{code}: {text}")


def pytest_addhooks(pluginmanager):
    pluginmanager.add_hookspecs(hooks)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests():
    if plan.error:
        _end("PLAN", plan.error, "setup")
    _import_torch()
    outcome = yield
    error = outcome.excinfo and outcome.excinfo[1]
    if error is not None and not isinstance(error, (KeyboardInterrupt, pytest.UsageError)):
        cause = described_with_place(error)
        code, text = _import_failure(cause)
        channel.note("error", code, text)
        channel.bye(exit_status=4, collected=0, passed=0, failed=0, skipped=0, reason=cause,
                    failed_in="import")


def _import_failure(cause):
    word = descriptor_device(sys.modules, plan.vendor)
    if word and plan.torch_device and word != plan.torch_device:
        return "VENDOR_MISMATCH", (
            f"the corpus cannot be imported with vendor {plan.vendor}: it works on torch.{word}, "
            f"backend {plan.backend_name} on torch.{plan.torch_device}; torch here has "
            f"{', '.join(device_words(sys.modules['torch'])) or 'no device'}. Correct the "
            f"backend's vendor, or choose another backend with ZL_BACKEND ({cause})")
    return "IMPORT_FAILED", (f"the corpus cannot be imported with vendor "
                             f"{plan.vendor or 'of its own choice'}: {cause}")


def _import_torch():
    try:
        torch = importlib.import_module("torch")
    except Exception as error:
        _end("IMPORT_FAILED", f"torch cannot be imported by {sys.executable}: "
                              f"{described_with_place(error)}")
    extra, failure = plan.backend.get("torch_module"), ""
    if extra:
        try:
            importlib.import_module(extra)
        except Exception as error:
            failure = f" (import {extra}: {described(error)})"
    word = plan.torch_device
    if word in ("", "cpu"):
        return
    if not hasattr(torch, word):
        _end("VENDOR_MISMATCH",
             f"backend {plan.backend_name} (vendor {plan.vendor}) needs torch.{word}, which torch "
             f"{torch.__version__} here does not have{failure}; it has "
             f"{', '.join(device_words(torch)) or 'none'}. Choose another backend with ZL_BACKEND, "
             f"or a Python whose torch was built for {plan.backend_name}")


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    try:
        corpus = importlib.import_module("flag_gems")
    except Exception as error:
        _end("IMPORT_FAILED", described_with_place(error))
    probe_loaded(identity, plan, corpus, config.rootpath)
    identity.send()
    vendor, device = getattr(corpus, "vendor_name", None), getattr(corpus, "device", None)
    if vendor != (plan.vendor or vendor) or device != (plan.torch_device or device):
        _end("VENDOR_MISMATCH",
             f"the plan says vendor {plan.vendor or '(the corpus chooses)'} on torch device "
             f"{plan.torch_device}, but the corpus chose {vendor} (torch device {device}; "
             f"{_reason_for(vendor)}). Unset what decides otherwise, or choose that vendor's "
             "backend with ZL_BACKEND")


def _reason_for(vendor):
    for name, decides in DECIDING_VARIABLES.items():
        if name in os.environ and decides == vendor:
            return f"because of {name}={os.environ[name]}"
    for name in plan.vendor_variables:
        if os.environ.get(name, "").lower() == vendor:
            return f"because of {name}={os.environ[name]}"
    return "no variable says so: the corpus detected it"


def pytest_sessionfinish():
    active = getattr(sys.modules.get("flag_gems"), "vendor_name", None) or plan.vendor
    foreign = foreign_vendors(list(sys.modules), plan.known_vendors, active)
    if foreign:
        text = f"active={active} loaded={','.join(foreign)}"
        print(f"\nFOREIGN_VENDOR_MODULE {text}", flush=True)  # pytest's progress has no line end
        channel.note("warning", "FOREIGN_VENDOR_MODULE", text)
