import json
import os

import pytest
import torch

import flag_gems
from flag_gems.runtime import torch_device_fn

from . import consts

Config = None
RESULTS = {}


class BenchConfig:
    def __init__(self, config):
        self.mode = consts.BenchMode(config.getoption("--mode"))
        self.bench_level = consts.BenchLevel(config.getoption("--level"))
        self.warm_up = int(config.getoption("--warmup"))
        self.repetition = int(config.getoption("--iter"))
        names = config.getoption("--dtypes")
        self.user_desired_dtypes = [getattr(torch, name) for name in names] if names else None
        self.user_desired_metrics = config.getoption("--metrics")
        self.shape_file = config.getoption("--shape_file")
        self.query = config.getoption("--query")
        self.record = config.getoption("--record")


def pytest_addoption(parser):
    here = os.path.dirname(__file__)
    parser.addoption("--mode", default="kernel", choices=[mode.value for mode in consts.BenchMode])
    parser.addoption("--level", default="comprehensive",
                     choices=[level.value for level in consts.BenchLevel])
    parser.addoption("--warmup", default=1000)
    parser.addoption("--iter", default=100)
    parser.addoption("--query", action="store_true", default=False)
    parser.addoption("--metrics", action="append", default=None)
    parser.addoption("--dtypes", action="append", default=None)
    parser.addoption("--shape_file", default=os.path.join(here, "core_shapes.yaml"))
    parser.addoption("--record", default="none", choices=["none", "log", "json"])
    parser.addoption("--output", default="benchmark_result.json")


def pytest_configure(config):
    global Config
    Config = BenchConfig(config)


def update_result(op, data):
    if Config.record == "json":
        RESULTS.setdefault(op, []).append(data)


def emit_record_logger(message):
    if Config.record == "log":
        print(f"RECORDED {message}")


@pytest.fixture(scope="function", autouse=True)
def clear_function_cache():
    yield
    torch_device_fn.empty_cache()


def pytest_terminal_summary(config):
    if Config.record == "json":
        with open(config.getoption("--output"), "w") as file:
            json.dump(RESULTS, file, default=str)


device = flag_gems.device
vendor_name = flag_gems.vendor_name
