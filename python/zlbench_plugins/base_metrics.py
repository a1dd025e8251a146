"""What the corpus' base class measures and derives for one case, in its order."""

import contextlib


def measure(measuring, bench, case, metric, args, kwargs):
    """Fills the corpus' metric object; `case.phase` says what was running when this raised."""
    wanted = bench.to_bench_metrics
    if "latency_base" in wanted:
        case.phase = "baseline"
        metric.latency_base = measuring.side(
            bench, case, "baseline", bench.get_latency, bench.torch_op, args, kwargs)
    if "latency" in wanted:
        case.phase = "candidate"
        with _candidate_context(measuring.base, bench):
            metric.latency = measuring.side(
                bench, case, "candidate", bench.get_latency, bench.gems_op or bench.torch_op,
                args, kwargs)
    case.phase = "metrics"
    if "speedup" in wanted:
        metric.speedup = metric.latency_base / metric.latency
    if "gbps" in wanted:
        metric.gbps_base = bench.get_gbps(args, latency=metric.latency_base)
        metric.gbps = bench.get_gbps(args, latency=metric.latency)
    if "tflops" in wanted:
        operations = bench.get_tflops(bench.torch_op, *args, **kwargs)
        metric.tflops = operations / metric.latency / 1e12 * 1e3


def derived(metric):
    """The metrics of the protocol among the corpus' fields."""
    names = ("speedup", "tflops", "gbps", "gbps_base")
    values = {name: getattr(metric, name, None) for name in names}
    return {name: value for name, value in values.items() if isinstance(value, (int, float))}


def _candidate_context(base, bench):
    """The corpus keeps its own zero_ out, which the timer calls to flush the cache."""
    if bench.gems_op:
        return contextlib.nullcontext()
    use_gems = base.flag_gems.use_gems
    return use_gems() if bench.op_name == "zero_" else use_gems(exclude=["zero_"])
