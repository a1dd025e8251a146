"""What an exception says: its first cause, one line of text, and the place."""

import os
import traceback

from _pytest.outcomes import OutcomeException

_MAX_TEXT = 2000

# After one of these the device answers every later call with the same error.
_STICKY = (
    "illegal memory access",
    "misaligned address",
    "unspecified launch failure",
    "device-side assert",
    "unknown error",
)


def chain_of(error):
    """The exception and what it came from, last one first."""
    chain = []
    while error is not None and error not in chain:
        chain.append(error)
        explicit = error.__cause__
        error = explicit or (None if error.__suppress_context__ else error.__context__)
    return chain


def first_cause(error):
    """The first exception of the chain: the corpus and pytest wrap the real one."""
    return chain_of(error)[-1]


def described_chain(error):
    """The first cause, and the last exception beside it where that says something of its own: an
    exception raised while a lookup's KeyError was handled has that KeyError as its first cause."""
    chain = [link for link in chain_of(error) if not _only_wraps(link)] or [error]
    first, last = described(chain[-1]), described(chain[0])
    return first if first == last else f"{first}; then {last}"


def described(error):
    """`type: text` in one line; the text alone for pytest's own outcomes."""
    name = type(error).__name__
    is_outcome = isinstance(error, OutcomeException)
    text = " ".join(str(error.msg if is_outcome else error).split())[:_MAX_TEXT]
    if is_outcome or name == "Interrupted":
        return text
    return f"{name}: {text}" if text else name


def place(error):
    """`file:line` of the last frame, or of the text that would not parse."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_relative(error.filename)}:{error.lineno or 0}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith("<frozen")]
    return f"{_relative(own[-1].filename)}:{own[-1].lineno}" if own else ""


def described_with_place(error):
    where = place(first_cause(error))
    return f"{described_chain(error)} ({where})" if where else described_chain(error)


def is_sticky(error):
    """Whether the device is lost to this process: by the word of the timing engine, or by the
    text."""
    if any(getattr(link, "ends_the_process", False) for link in chain_of(error)):
        return True
    lowered = described_chain(error).lower()
    return any(words in lowered for words in _STICKY)


def _only_wraps(error):
    names = ("CollectError", "ConftestImportFailure")
    return isinstance(error, OutcomeException) or type(error).__name__ in names


def _relative(path):
    here = os.getcwd() + os.sep
    return path[len(here):] if path.startswith(here) else path
