"""The stand-in's loop: same methods and order as the real one, and the same faults: the first
failing shape ends the test, and its numbers are printed after a dtype's last shape."""

import dataclasses
import gc
import time

import pytest
import torch
import triton
import yaml

import flag_gems

from . import consts
from .conftest import Config, emit_record_logger, update_result
from .consts import BenchmarkMetrics, BenchmarkResult

vendor_name = flag_gems.vendor_name
torch_device_fn = flag_gems.runtime.torch_device_fn


class Benchmark:
    device = flag_gems.device
    DEFAULT_METRICS = consts.DEFAULT_METRICS
    DEFAULT_DTYPES = consts.FLOAT_DTYPES
    DEFAULT_SHAPES = consts.DEFAULT_SHAPES
    DEFAULT_SHAPE_DESC = "M, N"

    def __init__(self, op_name, torch_op, dtypes=None, is_backward=False, is_inplace=False,
                 gems_op=None):
        self.op_name = op_name
        self.torch_op = torch_op
        self.gems_op = gems_op
        self.is_backward = is_backward
        self.is_inplace = is_inplace
        self.dtypes = dtypes if dtypes is not None else self.DEFAULT_DTYPES
        self.shapes = self.DEFAULT_SHAPES
        self.shape_desc = self.DEFAULT_SHAPE_DESC
        self.to_bench_dtypes = self.dtypes
        self.to_bench_metrics = self.DEFAULT_METRICS

    def set_shapes(self, shape_file_path=None):
        with open(shape_file_path) as file:
            known = yaml.safe_load(file) or {}
        names = [self.op_name, *(cls.__name__ for cls in type(self).__mro__)]
        entry = next((known[name] for name in names if name in known), {})
        self.shapes = [tuple(shape) for shape in entry.get("shapes", self.DEFAULT_SHAPES)]
        self.shape_desc = entry.get("shape_desc", self.DEFAULT_SHAPE_DESC)

    def record_shapes(self, *args, **kwargs):
        def parse(item):
            if isinstance(item, torch.Tensor):
                return item.size()
            if isinstance(item, (list, tuple)):
                return [parse(part) for part in item]
            return item if isinstance(item, (int, float, str, torch.dtype)) else None

        parsed = [parse(arg) for arg in args]
        named = {key: parse(value) for key, value in kwargs.items()}
        return (parsed, named) if parsed and named else parsed or named

    def init_default_config(self):
        self.set_shapes(Config.shape_file)

    def init_user_config(self):
        self.mode = Config.mode
        self.to_bench_dtypes = Config.user_desired_dtypes or self.dtypes
        self.to_bench_metrics = Config.user_desired_metrics or self.DEFAULT_METRICS
        self.set_shapes(Config.shape_file)

    def get_latency(self, op, *args, **kwargs):
        fn = lambda: op(*args, **kwargs)
        if self.is_backward:
            out = fn()
            dout = torch.randn_like(out)
            xs = [x for x in args if torch.is_tensor(x) and x.requires_grad]
            fn = lambda: torch.autograd.grad((out,), xs, grad_outputs=(dout,), retain_graph=True)
        if Config.mode == consts.BenchMode.KERNEL:
            return triton.testing.do_bench(fn, warmup=Config.warm_up, rep=Config.repetition,
                                           return_mode="median")
        if Config.mode == consts.BenchMode.CUDAGRAPH:
            return triton.testing.do_bench_cudagraph(fn, rep=Config.repetition,
                                                     return_mode="median")
        torch_device_fn.synchronize()
        start = time.perf_counter()
        fn()
        return (time.perf_counter() - start) * 1000

    def get_gbps(self, args, latency=None):
        raise NotImplementedError

    def get_tflops(self, op, *args, **kwargs):
        return args[0].numel()

    def get_input_iter(self, dtype):
        raise NotImplementedError

    def unpack_to_args_kwargs(self, item):
        args = [part for part in item if not isinstance(part, dict)]
        kwargs = {}
        for part in item:
            if isinstance(part, dict):
                kwargs.update(part)
        if self.is_backward:
            args = [arg.clone().requires_grad_() if torch.is_tensor(arg) else arg for arg in args]
        return args, kwargs

    def run(self):
        if Config.query:
            self.init_default_config()
            print(f"QUERY {self.op_name} {self.shapes}")
            return
        self.init_user_config()
        for dtype in self.to_bench_dtypes:
            metrics = []
            for item in self.get_input_iter(dtype):
                metric = BenchmarkMetrics()
                try:
                    args, kwargs = self.unpack_to_args_kwargs(item)
                    metric.shape_detail = self.record_shapes(*args, **kwargs)
                    metric.latency_base = self.get_latency(self.torch_op, *args, **kwargs)
                    with flag_gems.use_gems(exclude=["zero_"]):
                        metric.latency = self.get_latency(
                            self.gems_op or self.torch_op, *args, **kwargs)
                    metric.speedup = metric.latency_base / metric.latency
                except Exception as error:
                    metric.error_msg = str(error)
                    pytest.fail(str(error))
                finally:
                    metrics.append(metric)
                    gc.collect()
            result = BenchmarkResult(op_name=self.op_name, dtype=str(dtype),
                                     mode=Config.mode.value, level=Config.bench_level.value,
                                     result=metrics)
            print(result)
            update_result(self.op_name, dataclasses.asdict(result))
            emit_record_logger(result.to_json())


class UnaryBenchmark(Benchmark):
    def get_input_iter(self, dtype):
        for shape in self.shapes:
            yield (torch.randn(shape, dtype=dtype, device=self.device),)


class GenericBenchmark(Benchmark):
    def __init__(self, *args, input_fn, **kwargs):
        super().__init__(*args, **kwargs)
        self.input_fn = input_fn

    def get_input_iter(self, dtype):
        for shape in self.shapes:
            yield from self.input_fn(shape, dtype, self.device)
