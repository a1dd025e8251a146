"""A tuner that takes its timer from triton.testing, the module that the benchmarks time with."""

import triton


class Tuner:
    def __init__(self, kernel, configs):
        self.kernel = kernel
        self.configs = configs
        self.best = None

    def run(self, *args):
        if self.best is None:
            timer = triton.testing.do_bench
            print(f"TUNED_WITH {timer.__module__}.{timer.__qualname__}")
            self.best = min(self.configs, key=lambda config: timer(
                lambda: self.kernel[(1,)](*args, **config), warmup=1, rep=1))
        return self.kernel[(1,)](*args, **self.best)
