class HookChain:
    def __init__(self):
        self.calls = []

    def add(self, function):
        if function not in self.calls:
            self.calls.append(function)

    def remove(self, function):
        if function in self.calls:
            self.calls.remove(function)

    def __call__(self, *args):
        for function in self.calls:
            function(*args)


class _Compilation:
    listener = None


class _Runtime:
    launch_enter_hook = HookChain()


compilation = _Compilation()
runtime = _Runtime()
