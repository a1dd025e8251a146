"""What a timing of the engine adds to the measurement message."""


def engine_fields(timing):
    summary = timing["summary"]
    interval = summary.get("ci95_ns")
    known = {
        "ci_low_ns": interval and interval[0], "ci_high_ns": interval and interval[1],
        "samples": summary["samples"], "host_ns": summary.get("host_ns"),
        "fallback": timing["fallback"] or None,
        "flags": [*summary["flags"], *timing["flags"]] or None,
        "timing": {name: timing[name] for name in ("summary", "record", "census", "lease")},
    }
    return {name: value for name, value in known.items() if value is not None}
