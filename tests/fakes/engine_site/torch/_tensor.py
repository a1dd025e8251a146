"""Tensors that hold data, in lists: for shapes of a few elements."""

import itertools
import struct

from . import _runtime

dispatch_overrides = {}
inside_library = []  # checks that were made while a library had torch's operators replaced
strided, sparse = "strided", "sparse"


def _not_for_the_library(name):
    if dispatch_overrides:
        inside_library.append(name)


class Size(tuple):
    def __repr__(self):
        return f"torch.Size({list(self)})"

    def numel(self):
        count = 1
        for size in self:
            count *= size
        return count


class _Storage(list):
    def data_ptr(self):
        return id(self)


def _contiguous(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= max(size, 1)
    return tuple(strides)


class Tensor:
    layout = strided
    device = "cpu"
    _grad_of = ()  # tensors that the backward of this one needs, with their versions

    def __init__(self, storage, shape, kind, strides=None, offset=0, version=None):
        self.shape = Size([shape] if isinstance(shape, int) else shape)
        self.dtype = kind
        self.requires_grad = False
        self.grad = None
        self.version = version if version is not None else [0]
        self._storage = storage if isinstance(storage, _Storage) else _Storage(storage)
        self._strides = _contiguous(self.shape) if strides is None else tuple(strides)
        self._offset = offset

    def sum(self):
        """A plain number: enough for who reads it back."""
        return sum(self._storage[place] for place in self.places())

    # Not torch's: how the stand-in reads and writes.

    def places(self):
        return [self._offset + sum(i * stride for i, stride in zip(index, self._strides))
                for index in itertools.product(*map(range, self.shape))]

    def values(self):
        return [self._storage[place] for place in self.places()]

    def write(self, values):
        self.version[0] += 1
        for place, value in zip(self.places(), list(values)):
            self._storage[place] = value

    def fresh(self, kind=None, shape=None):
        """Another one, with nothing in it yet."""
        shape = self.shape if shape is None else Size(shape)
        return Tensor([0] * shape.numel(), shape, kind or self.dtype)

    def _made(self, compute, kind=None, shape=None):
        """Of `compute()`, by one kernel."""
        made = self.fresh(kind, shape)
        _runtime.launch(lambda: made.write(compute()))
        return made

    def _seen_as(self, **changes):
        view = Tensor(self._storage, self.shape, self.dtype, self._strides, self._offset,
                      self.version)
        for name, value in changes.items():
            setattr(view, name, value)
        return view

    # Torch's.

    def detach(self):
        return self._seen_as()

    @property
    def data(self):
        return self._seen_as(version=[0])

    @property
    def ndim(self):
        return len(self.shape)

    def size(self):
        return self.shape

    def stride(self):
        return self._strides

    def numel(self):
        return self.shape.numel()

    def element_size(self):
        return 4

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def untyped_storage(self):
        return self._storage

    def requires_grad_(self, wanted=True):
        self.requires_grad = wanted
        return self

    def to(self, _device):
        return self

    def t(self):
        return self._seen_as(shape=Size(reversed(self.shape)), _strides=self._strides[::-1])

    def expand(self, count):
        return self._seen_as(shape=Size([count]), _strides=(0,))

    def clone(self):
        return self._made(self.values)

    def contiguous(self):
        return self if self._strides == _contiguous(self.shape) else self.clone()

    def copy_(self, other):
        _not_for_the_library("copy_")
        _runtime.launch(lambda: self.write(other.values()))
        return self

    def fill_(self, value):
        _not_for_the_library("fill_")
        _runtime.launch(lambda: self.write([value] * self.numel()))
        return self

    def reshape(self, *shape):
        shape = shape[0] if isinstance(shape[0], tuple) else shape
        plain = self.contiguous()
        sizes = (self.numel(),) if shape == (-1,) else shape
        return plain._seen_as(shape=Size(sizes), _strides=_contiguous(sizes))

    def view(self, kind):
        _not_for_the_library("view")
        form = "d" if self.is_floating_point() else "q"
        raw = b"".join(struct.pack(form, value) for value in self.values())
        return Tensor(raw, len(raw), kind)

    def flip(self, _dimension):
        _not_for_the_library("flip")
        return self._made(lambda: self.values()[::-1])

    def double(self):
        _not_for_the_library("double")
        return self.clone()

    def abs(self):
        return self._made(lambda: map(abs, self.values()))

    def max(self):
        return self._made(lambda: [max(self.values())], shape=(1,))

    def item(self):
        _runtime.synchronize()
        return self.values()[0]

    __float__ = item

    def __add__(self, number):
        return self._made(lambda: [value + number for value in self.values()])

    def __getitem__(self, which):
        if isinstance(which, slice):
            kept = self.places()[which]
            return Tensor(self._storage, len(kept), self.dtype, self._strides, kept[0])
        kept = [value for value, wanted in zip(self.values(), which.values()) if wanted]
        return Tensor(kept, len(kept), self.dtype)
