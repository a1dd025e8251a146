"""A message as a line of the child protocol: UTF-8, finite numbers only, at most 1 MiB."""

import json
import math

MAX_LINE_BYTES = 1 << 20
_CUT_TEXT = 2000  # what is left of a long text, and of a long list, when a line is over the limit


def encoded(message):
    line = _dumped(message)
    if len(line) > MAX_LINE_BYTES:
        message = {key: value for key, value in message.items() if key != "samples_ns"}
        line = _dumped(message)
    if len(line) > MAX_LINE_BYTES:
        line = _dumped(_shortened(message))
    return line


def _dumped(message):
    text = json.dumps(_finite(message), ensure_ascii=False, allow_nan=False, default=str)
    return text.encode("utf-8", "replace") + b"\n"


def _finite(value):
    """Without the numbers that are none: the protocol leaves out what is not known."""
    if isinstance(value, dict):
        return {str(k): _finite(v) for k, v in value.items() if not _is_no_number(v)}
    if isinstance(value, (list, tuple)):
        return [_finite(v) for v in value if not _is_no_number(v)]
    return value


def _is_no_number(value):
    return isinstance(value, float) and not math.isfinite(value)


def _shortened(value):
    if isinstance(value, dict):
        return {k: _shortened(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shortened(v) for v in value[:_CUT_TEXT]]
    is_long = isinstance(value, str) and len(value) > _CUT_TEXT
    return value[:_CUT_TEXT] + " ..." if is_long else value
