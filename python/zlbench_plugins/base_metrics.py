"""What the corpus' base class measures and derives for one case, in its order."""

import contextlib


def measure(measuring, bench, case, metric, args, kwargs):
    """Fills the corpus' metric object; `case.phase` says what was running when this raised."""
    wanted = bench.to_bench_metrics
    sides = []
    if "latency_base" in wanted:
        sides.append(("baseline", bench.torch_op, contextlib.nullcontext))
    if "latency" in wanted:
        sides.append(("candidate", bench.gems_op or bench.torch_op,
                      lambda: _candidate_context(measuring.base, bench)))
    latencies = measuring.sides(bench, case, sides, args, kwargs)
    metric.latency_base = latencies.get("baseline", metric.latency_base)
    metric.latency = latencies.get("candidate", metric.latency)
    case.phase = "metrics"
    if not all(latencies.values()):  # the engine could not tell one of them
        return
    if "speedup" in wanted and not case.no_speedup:
        metric.speedup = metric.latency_base / metric.latency
    if "gbps" in wanted:
        metric.gbps_base = bench.get_gbps(args, latency=metric.latency_base)
        metric.gbps = bench.get_gbps(args, latency=metric.latency)
    if "tflops" in wanted:
        operations = bench.get_tflops(bench.torch_op, *args, **kwargs)
        metric.tflops = operations / metric.latency / 1e12 * 1e3


def derived(metric, case):
    """The metrics of the protocol: the corpus' fields, and the bounds of a speedup that is there."""
    names = ("speedup", "tflops", "gbps", "gbps_base")
    values = {name: getattr(metric, name, None) for name in names}
    known = {name: value for name, value in values.items() if isinstance(value, (int, float))}
    return {**known, **case.speedup_bounds} if "speedup" in known else known


def _candidate_context(base, bench):
    """The corpus keeps its own zero_ out, which the timer calls to flush the cache."""
    if bench.gems_op:
        return contextlib.nullcontext()
    use_gems = base.flag_gems.use_gems
    return use_gems() if bench.op_name == "zero_" else use_gems(exclude=["zero_"])
