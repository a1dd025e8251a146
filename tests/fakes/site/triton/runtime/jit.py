from .. import compiler


class JITFunction:
    """`kernel[grid](*args, **options)`: compiled per set of options, then launched."""

    def __init__(self, body):
        self.body = body
        self.name = body.__name__
        self.kernels = {}

    def __getitem__(self, grid):
        def run(*args, **options):
            key = tuple(sorted(options.items()))
            if key not in self.kernels:
                self.kernels[key] = compiler.compile(self.name, options)
            self.kernels[key].launch(self.body, args)
            return self.kernels[key]

        return run


def jit(body):
    return JITFunction(body)
