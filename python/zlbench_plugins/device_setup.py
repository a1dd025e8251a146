"""Always the first plug-in: sets the vendor before the corpus is imported, and records the run
identity: one half at import time, without a device context, the other after configuration. At the
session's end it names modules of other vendors that were loaded; it reports and does not refuse."""

import importlib
import os
import sys

import pytest

from . import bytecode, hooks, stacks
from .access import access
from .channel import PROTOCOL, channel
from .corpus_probe import CORPUS_FIELDS, probe_corpus
from .device_probe import LOADED_FIELDS, probe_device, probe_timer, probe_torch, probe_triton
from .failures import described, described_with_place
from .foreign import descriptor_device, foreign_vendors
from .host_probe import probe_host
from .identity import identity
from .plan import plan
from .torch_words import device_words
from .vendor_check import contradiction, five_answers, told


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
    bytecode.keep(plan.bytecode_folder)
    notes = _choose_vendor()
    with identity.timed("identity_cost_ms"):
        identity.expect((*CORPUS_FIELDS, *LOADED_FIELDS),
                        "the process ended before this was asked")
        probe_host(identity, plan)
    channel.send("hello", protocol=PROTOCOL, pid=os.getpid(), role="pytest",
                 stack_signal=stacks.register(), identity=identity.take_news())
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
        torch = sys.modules["torch"]
        return "VENDOR_MISMATCH", told(
            plan, f"the corpus cannot be imported with vendor {plan.vendor}: it works on "
            f"torch.{word}, backend {plan.backend_name} on torch.{plan.torch_device}; torch here "
            f"has {', '.join(device_words(torch)) or 'no device'} ({cause})",
            five_answers(plan, torch))
    return "IMPORT_FAILED", (f"the corpus cannot be imported with vendor "
                             f"{plan.vendor or 'of its own choice'}: {cause}")


def _import_torch():
    try:
        torch = importlib.import_module("torch")
    except Exception as error:
        _end("IMPORT_FAILED", f"torch cannot be imported by {sys.executable}: "
                              f"{described_with_place(error)}")
    access.share()  # from here to the end of the collection modules are imported that may use it
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
        _end("VENDOR_MISMATCH", told(
            plan, f"backend {plan.backend_name} (vendor {plan.vendor}) needs torch.{word}, which "
            f"torch {torch.__version__} here does not have{failure}; it has "
            f"{', '.join(device_words(torch)) or 'none'}: this Python's torch was not built for "
            f"{plan.backend_name}", five_answers(plan, torch)))


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    try:
        corpus = importlib.import_module("flag_gems")
    except Exception as error:
        _end("IMPORT_FAILED", described_with_place(error))
    torch, triton = sys.modules["torch"], sys.modules.get("triton")
    with identity.timed("identity_cost_ms"):
        probe_torch(identity, plan, torch)
        probe_corpus(identity, plan, corpus, config.rootpath)
    with identity.timed("device_contact_ms"):
        probe_device(identity, plan, torch)
    with identity.timed("identity_cost_ms"):
        probe_triton(identity, triton)
        probe_timer(identity, plan, getattr(corpus, "vendor_name", ""))
        text = contradiction(plan, five_answers(plan, torch, corpus, triton))
    identity.send()
    if text:
        _end("VENDOR_MISMATCH", text)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    access.leave()


def pytest_sessionfinish():
    active = getattr(sys.modules.get("flag_gems"), "vendor_name", None) or plan.vendor
    foreign = foreign_vendors(list(sys.modules), plan.known_vendors, active)
    if foreign:
        text = f"active={active} loaded={','.join(foreign)}"
        print(f"\nFOREIGN_VENDOR_MODULE {text}", flush=True)  # pytest's progress has no line end
        channel.note("warning", "FOREIGN_VENDOR_MODULE", text)
