import os


class Size(tuple):
    def __repr__(self):
        return f"torch.Size({list(self)})"

    def numel(self):
        count = 1
        for size in self:
            count *= size
        return count


class Tensor:
    def __init__(self, shape, kind, device):
        self.shape = Size([shape] if isinstance(shape, int) else shape)
        self.dtype = kind
        self.device = device
        self.requires_grad = False
        self.grad = None
        self.value = 0.0  # of every element
        self.base = self

    def __add__(self, other):
        if os.environ.get("FAKE_BROKEN_ADD"):
            raise RuntimeError("CUDA error: invalid device function")
        result = self.clone()
        result.value = self.value + (other.value if is_tensor(other) else other)
        result.base = self
        return result

    def sum(self):
        return self.value * self.numel()

    def tolist(self):
        return [self.value] * self.numel()

    @property
    def ndim(self):
        return len(self.shape)

    def size(self):
        return self.shape

    def numel(self):
        return self.shape.numel()

    def element_size(self):
        return 4

    def clone(self):
        return Tensor(self.shape, self.dtype, self.device)

    def to(self, device):
        return Tensor(self.shape, self.dtype, device)

    def requires_grad_(self, wanted=True):
        self.requires_grad = wanted
        return self


def is_tensor(value):
    return isinstance(value, Tensor)


def is_floating_point(tensor):
    return tensor.dtype.is_floating_point
