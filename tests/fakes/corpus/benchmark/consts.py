import dataclasses
import enum
import json
from typing import List, Optional

import torch

FLOAT_DTYPES = [torch.float16, torch.float32]
DEFAULT_SHAPES = [(64, 64), (1024, 1024)]
DEFAULT_METRICS = ["latency_base", "latency", "speedup"]


class BenchMode(enum.Enum):
    KERNEL = "kernel"
    OPERATOR = "operator"
    WRAPPER = "wrapper"
    CUDAGRAPH = "cudagraph"


class BenchLevel(enum.Enum):
    COMPREHENSIVE = "comprehensive"
    CORE = "core"


@dataclasses.dataclass
class BenchmarkMetrics:
    shape_detail: Optional[list] = None
    latency_base: Optional[float] = None
    latency: Optional[float] = None
    gbps_base: Optional[float] = None
    gbps: Optional[float] = None
    speedup: Optional[float] = None
    tflops: Optional[float] = None
    error_msg: Optional[str] = None


@dataclasses.dataclass
class BenchmarkResult:
    op_name: str
    dtype: str
    mode: str
    level: str
    result: List[BenchmarkMetrics]

    def __str__(self):
        first = self.result[0]  # an empty table is an error here too
        lines = [f"Operator: {self.op_name} dtype={self.dtype} mode={self.mode} level={self.level}"
                 f" tflops={'yes' if first.tflops else 'no'}"]
        for metric in self.result:
            status = "SUCCESS" if metric.error_msg is None else "FAILED"
            lines.append(f"{status:<10}{metric.latency_base} {metric.latency} {metric.speedup} "
                         f"{metric.shape_detail}")
        return "\n".join(lines)

    def to_json(self):
        return json.dumps(dataclasses.asdict(self), default=str)
