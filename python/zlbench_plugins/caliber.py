"""The caliber of the corpus' own numbers: exactly how its get_latency takes them."""

from .vendors import OWN_KERNEL_TIMERS


def caliber_of(benchmark_base, bench):
    """Read from the corpus' configuration at the time of the measurement."""
    config = benchmark_base.Config
    mode = str(getattr(config.mode, "value", config.mode))
    times = f"warmup={config.warm_up}ms/rep={config.repetition}ms"
    own_timer = OWN_KERNEL_TIMERS.get(getattr(benchmark_base, "vendor_name", ""))
    if mode == "kernel" and own_timer:
        text = f"upstream-{own_timer}/mode=kernel/arguments=defaults"
    elif mode == "kernel":
        text = f"upstream-do_bench/mode=kernel/stat=median/{times}/l2=flush-256MB-write"
    elif mode == "operator":
        text = f"upstream-wallclock/mode=operator/stat=mean/{times}/l2=kept/sync=around-loop"
    elif mode == "wrapper":
        text = f"upstream-wallclock/mode=wrapper/stat=mean/{times}/l2=kept/sync=before-loop"
    else:  # the corpus calls its graph timer, which takes no warm-up time
        text = f"upstream-do_bench_{mode}/mode={mode}/stat=median/rep={config.repetition}ms/l2=kept"
    return text + _override(benchmark_base, bench)


def _override(benchmark_base, bench):
    """A class with a get_latency of its own may do more than the base does."""
    owner = next(cls for cls in type(bench).__mro__ if "get_latency" in vars(cls))
    return "" if owner is benchmark_base.Benchmark else f"/via={owner.__name__}.get_latency"
