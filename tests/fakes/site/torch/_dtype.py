class dtype:
    def __init__(self, name):
        self.name = name

    @property
    def is_floating_point(self):
        return "float" in self.name

    def __repr__(self):
        return f"torch.{self.name}"


class iinfo:
    def __init__(self, kind):
        self.max = 2**7 - 1
        self.min = -(2**7)


class finfo(iinfo):
    pass
