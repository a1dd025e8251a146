"""A pytest plug-in (-p headline_times): how long the tests took, and how much of it went
into compiling kernels, appended to the file that HEADLINE_TIMES names."""

import json
import os
import time

import pytest

_spent = {"test_s": 0.0, "compile_s": 0.0}


def pytest_collection_finish():
    compiler = __import__("triton.compiler", fromlist=["compile"])
    wrapped = compiler.compile

    def compile(*args, **kwargs):
        begin = time.perf_counter()
        try:
            return wrapped(*args, **kwargs)
        finally:
            _spent["compile_s"] += time.perf_counter() - begin

    compiler.compile = compile


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call():
    begin = time.perf_counter()
    yield
    _spent["test_s"] += time.perf_counter() - begin
    with open(os.environ["HEADLINE_TIMES"], "w", encoding="utf-8") as file:
        json.dump(_spent, file)
