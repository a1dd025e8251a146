"""Calls until nothing compiles, tunes or grows any more."""

import time

from .disturbance import counter

_MOST_CALLS = 30
_FEWEST_CALLS = 3
_LONG_S = 2.0  # a call this long is not made for the sake of the count


def settle(framework, call):
    """True when the last call was quiet: nothing was compiled or loaded, the allocator did not
    grow, and it took between half and twice of what the one before took."""
    earlier_s = spent_s = 0.0
    for calls in range(1, _MOST_CALLS + 1):
        before = (counter.value, framework.reserved_bytes())
        begin = time.perf_counter()
        call()
        framework.synchronize()
        took_s = time.perf_counter() - begin
        spent_s += took_s
        is_quiet = before == (counter.value, framework.reserved_bytes())
        is_steady = earlier_s / 2 < took_s < 2 * earlier_s
        if is_quiet and (spent_s > _LONG_S or (is_steady and calls >= _FEWEST_CALLS)):
            return True
        earlier_s = took_s
    return False
