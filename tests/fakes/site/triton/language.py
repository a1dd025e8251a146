"""Just enough for a kernel that adds two tensors whose elements are all equal."""

constexpr = object


def program_id(_axis):
    return 0


def arange(_begin, _end):
    return 0


def load(pointer, mask=True):
    return pointer


def store(pointer, value, mask=True):
    pointer.base.value = value.value
