"""The corpus' loop over dtypes and shapes, taken over so that a failing shape loses no other one
and the phase of a failure is known by construction. What is measured and how stays the corpus'."""

import dataclasses
import gc
import traceback

import pytest

from .base_metrics import derived, measure
from .cases import Case
from .channel import channel
from .ending import end_case, end_session, leave_when_told
from .failures import described, described_chain, is_sticky

_SKIPPED = pytest.skip.Exception
_CAUGHT = (Exception, pytest.fail.Exception, _SKIPPED)


class Loop:
    def __init__(self, measuring, bench):
        self.measuring = measuring
        self.hook = measuring.hook
        self.base = measuring.base
        self.bench = bench
        self.cases = 0
        self.failures = []  # texts: an exception would keep its tensors alive
        self.skip = None
        self.device_is_lost = False

    def run(self):
        self.bench.init_user_config()
        for dtype in self.bench.to_bench_dtypes:
            metrics = self._run_dtype(dtype)
            if metrics:
                self._print_table(dtype, metrics)
            if self.device_is_lost:
                break
        self._conclude()

    def _run_dtype(self, dtype):
        metrics = []
        inputs = None
        while not self.device_is_lost:
            leave_when_told(self.measuring.item, self.hook)
            channel.send("phase", phase="input")
            try:
                inputs = inputs or iter(self.bench.get_input_iter(dtype))
                item = next(inputs)
            except StopIteration:
                break
            except _CAUGHT as error:  # a generator that raised cannot go on
                self._end(self._begin(dtype, None), error)
                break
            metrics.append(self._run_case(dtype, item))
            del item
            gc.collect()
            if self.cases == 1:  # what the first call imported stays to the end
                gc.freeze()
        return metrics

    def _run_case(self, dtype, item):
        metric = self.base.BenchmarkMetrics()
        case = None
        try:
            args, kwargs = self.bench.unpack_to_args_kwargs(item)
            metric.shape_detail = self.bench.record_shapes(*args, **kwargs)
            case = self._begin(dtype, metric.shape_detail)
            measure(self.measuring, self.bench, case, metric, args, kwargs)
        except _CAUGHT as error:
            case = case or self._begin(dtype, None)
            metric.error_msg = self._end(case, error)
        else:
            end_case(self.hook, case, "ok", metrics=derived(metric, case))
        return metric

    def _begin(self, dtype, shape):
        self.cases += 1
        case = Case(self.measuring.item, self.bench.op_name, dtype, shape)
        self.hook.pytest_zlbench_case_begin(case=case)
        return case

    def _end(self, case, error):
        """Books a failure or a skip; returns its text."""
        if isinstance(error, _SKIPPED):
            return self._end_skipped(case, error)
        text = described_chain(error)
        if not any(text in earlier for earlier in self.failures):
            traceback.print_exception(type(error), error, error.__traceback__)
        self.failures.append(f"{case.phase}: {text} ({case.shape_text}, {case.dtype})")
        self.device_is_lost = is_sticky(error)
        end_case(self.hook, case, "failed", text)
        return text

    def _end_skipped(self, case, error):
        end_case(self.hook, case, "skipped", described(error))
        if not channel.open:
            raise error
        self.skip = error.with_traceback(None)
        return described(error)

    def _print_table(self, dtype, metrics):
        base, config = self.base, self.base.Config
        result = base.BenchmarkResult(
            level=config.bench_level.value, op_name=self.bench.op_name, dtype=str(dtype),
            mode=config.mode.value, result=metrics)
        try:
            print(result)
            base.update_result(self.bench.op_name, dataclasses.asdict(result))
            base.emit_record_logger(result.to_json())
        except Exception as error:
            channel.note("warning", "TABLE", f"{self.bench.op_name}: {described(error)}")

    def _conclude(self):
        if self.device_is_lost:
            end_session(self.measuring.item.session, self.failures[-1])
        if self.failures:
            pytest.fail(f"{self.failures[0]}; {len(self.failures)} of {self.cases} cases failed",
                        pytrace=False)
        if self.skip is not None:
            raise self.skip
        if not self.cases:
            pytest.fail("no shapes", pytrace=False)
