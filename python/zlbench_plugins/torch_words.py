"""Which device words this torch has, found by the shape of its modules and not by a list."""

import types


def device_words(torch):
    """Device modules have a count and a synchronize; says of each whether it has a device. Counting
    creates no context."""
    words = []
    for word, module in sorted(vars(torch).items()):
        is_device = isinstance(module, types.ModuleType) and all(
            callable(getattr(module, name, None)) for name in ("device_count", "synchronize"))
        if is_device:
            words.append(f"{word} ({_count(module)})")
    return words


def _count(module):
    try:
        count = int(module.device_count())
    except Exception:
        return "not usable"
    return "1 device" if count == 1 else f"{count} devices"
