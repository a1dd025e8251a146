"""A case: one shape and dtype of one node, and how it is named and shown."""

import math

from .channel import channel

_MAX_TEXT = 400
_counts = {}  # cases so far by node function, operator and dtype: what makes an id unique


class Case:
    def __init__(self, item, op_name, dtype, shape):
        path, _, function = item.nodeid.partition("[")[0].rpartition("::")
        parameters = item.nodeid.partition("[")[2].rstrip("]")
        self.node = f"{path}::{function}"
        self.name = f"{op_name}[{parameters}]" if parameters else op_name
        self.dtype = dtype_text(dtype)
        self.shape = None if shape is None else plain(shape)
        self.shape_text = "?" if shape is None else shape_text(shape)
        self._phase = "input"  # what is running; for a failure, what failed
        self.has_ended = False
        self.caliber = ""  # of the side that was measured last, by the engine
        self.speedup_bounds = {}  # the engine's, of the sides that it measured together
        self.no_speedup = ""  # why the sides' numbers are not set in a ratio
        key = f"{function}/{op_name}/{self.dtype}"
        _counts[key] = _counts.get(key, 0) + 1
        self.id = f"{key}/{_counts[key]}"

    @property
    def phase(self):
        """Setting it tells the parent: a child that dies then leaves behind where it was."""
        return self._phase

    @phase.setter
    def phase(self, phase):
        self._phase = phase
        channel.send("phase", phase=phase)


def dtype_text(dtype):
    return "" if dtype is None else str(dtype).rpartition(".")[2]


def plain(value):
    """As JSON can hold it, with every position kept."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return dtype_text(value) if "dtype" in type(value).__name__ else str(value)


def shape_text(shape):
    """`[(1024, 1024), 1]`: sizes in parentheses, as a person reads them."""
    is_pair = isinstance(shape, tuple) and len(shape) == 2 and isinstance(shape[1], dict)
    text = f"{_text(shape[0])} {_text(shape[1])}" if is_pair else _text(shape)
    return text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + " ..."


def _text(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}={_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_text, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_text, value)) + ("," if len(value) == 1 else "") + ")"
    return str(plain(value))
