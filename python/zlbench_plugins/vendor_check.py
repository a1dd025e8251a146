"""Five answers to one question: which vendor's device is this? The hardware, the descriptor, torch,
the corpus and Triton's active target are held against each other before the first operator.

An answer that cannot be had is said and not judged: only a contradiction ends the run."""

import os
import re
from typing import NamedTuple

from .corpus_probe import corpus_vendor_reason
from .device_probe import torch_runtimes, triton_target
from .environment_probe import named_variables
from .failures import described
from .vendors import TORCH_RUNTIMES, TRITON_TARGETS

_NOT_ASKED = "not asked"
_WHOLE_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", re.IGNORECASE)


class Answer(NamedTuple):
    text: str
    wrong: str = ""  # what contradicts the descriptor, as a sentence; empty: nothing does


def five_answers(plan, torch=None, corpus=None, triton=None):
    """Who answers to its Answer, in the order in which a contradiction is to be told."""
    seen_uuid = _seen_uuid(plan, torch) if corpus is not None else ""
    return {
        "descriptor": Answer(_promise(plan)),
        "hardware": _hardware(plan, seen_uuid),
        "torch": Answer(_NOT_ASKED) if torch is None else _torch(plan, torch),
        "corpus": Answer(_NOT_ASKED) if corpus is None else _corpus(plan, corpus),
        "triton": Answer(_NOT_ASKED) if triton is None else _triton(plan, triton)}


def contradiction(plan, answers):
    """The first thing that is wrong, what to do, and all five; empty when they agree."""
    wrong = [answer.wrong for answer in answers.values() if answer.wrong]
    return told(plan, "; ".join(wrong), answers) if wrong else ""


def told(plan, sentence, answers):
    chosen = _choice()
    return (f"{sentence}. Correct that, or choose another backend with ZL_BACKEND{chosen}. The five "
            "answers: " + "; ".join(f"{who}: {answer.text}" for who, answer in answers.items()))


def _choice():
    value = os.environ.get("ZL_BACKEND")
    return f" (now {value})" if value else ""


def _promise(plan):
    return (f"backend {plan.backend_name} says vendor {plan.vendor or '(the corpus chooses)'} on "
            f"torch device {plan.torch_device or '(any)'}")


def _because(*patterns):
    return f"because of {found}" if (found := named_variables(*patterns)) else "no variable says so"


def _hardware(plan, seen_uuid):
    device = plan.fields.get("device") or {}
    if not device:
        return Answer("no device is pinned")
    words = [device.get("name"), device.get("uuid")]
    text = " ".join([f"device {device.get('index')}", *[str(word) for word in words if word]])
    planned = _WHOLE_UUID.search(str(device.get("uuid") or ""))
    seen = _WHOLE_UUID.search(seen_uuid)
    if planned and seen and planned.group().lower() != seen.group().lower():
        return Answer(text, f"the plan's device is {planned.group()}, but torch sees {seen.group()} "
                            f"({_because('*_VISIBLE_DEVICES', '*_DEVICE_ORDER')})")
    return Answer(text)


def _seen_uuid(plan, torch):
    """Empty where torch gives none, and where it names a part of the planned device."""
    try:
        module = getattr(torch, plan.torch_device)
        properties = module.get_device_properties(module.current_device())
        name = str((plan.fields.get("device") or {}).get("name") or "")
        is_part = name and properties.name != name and properties.name.startswith(name)
        return "" if is_part else str(properties.uuid)
    except Exception:
        return ""


def _torch(plan, torch):
    runtimes = torch_runtimes(torch)
    built = ", ".join(f"{name} {version}" for name, version in runtimes.items()) or "no runtime named"
    text, word = f"{torch.__version__} ({built})", plan.torch_device
    if word in ("", "cpu"):
        return Answer(text)
    module = getattr(torch, word, None)
    if module is None:
        return Answer(f"{text} has no torch.{word}", f"torch has no torch.{word}")
    wanted = TORCH_RUNTIMES.get(plan.vendor)
    if wanted and runtimes and wanted not in runtimes:
        return Answer(text, f"vendor {plan.vendor} needs a torch built for {wanted}, this one is "
                            f"built for {built} ({torch.__file__})")
    try:
        count = int(module.device_count())
    except Exception as error:
        return Answer(f"{text}, torch.{word} does not count its devices: {described(error)}")
    text = f"{text}, torch.{word} has {count} device{'' if count == 1 else 's'}"
    return Answer(text) if count else Answer(
        text, f"torch.{word} has no device ({_because('*_VISIBLE_DEVICES')})")


def _corpus(plan, corpus):
    vendor, device = getattr(corpus, "vendor_name", None), getattr(corpus, "device", None)
    text = f"vendor {vendor} on torch device {device}"
    if vendor == (plan.vendor or vendor) and device == (plan.torch_device or device):
        return Answer(text)
    reason = corpus_vendor_reason(plan, corpus)
    because = f"because of {reason}" if "=" in reason else reason
    return Answer(text, f"the corpus chose vendor {vendor} on torch device {device}, {because}")


def _triton(plan, triton):
    wanted = TRITON_TARGETS.get(plan.vendor)
    try:
        target = triton_target(triton)["backend"]
    except Exception as error:
        text = f"{triton.__version__}, no target: {described(error)}"
        # Its own words when none or several of its backends find a device.
        is_choice = wanted and "active drivers" in str(error)
        return Answer(text, f"Triton cannot choose a backend: {error} ({triton.__file__}, "
                            f"{_because('TRITON_*BACKEND*')})") if is_choice else Answer(text)
    text = f"{triton.__version__}, target {target}"
    if wanted is None or target == wanted:
        return Answer(text)
    return Answer(text, f"Triton compiles for {target}, vendor {plan.vendor} needs {wanted} "
                        f"({_because('TRITON_*BACKEND*')}, {triton.__file__})")
