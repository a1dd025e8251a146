"""Tensors in the arguments and results of a call: which there are, what a call changed, and whether
two results are the same."""

_POISON = 0x55
_PART = 1 << 24  # elements compared at a time: a comparison takes many times their memory


def tensors_in(torch, value):
    """In the order in which they stand; those of nested lists, tuples and dicts too."""
    if torch.is_tensor(value):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, (list, tuple)):
        return []
    return [tensor for item in value for tensor in tensors_in(torch, item)]


def is_dense(torch, tensor):
    """Each element has a place of its own, so that it can be written from outside."""
    if tensor.layout != torch.strided:
        return False
    strides = sorted((stride, size) for stride, size in zip(tensor.stride(), tensor.shape)
                     if size != 1)
    expected = 1
    for stride, size in strides:
        if stride != expected:
            return False
        expected *= size
    return type(tensor).__name__ in ("Tensor", "Parameter") and tensor.numel() > 0


def dense_in(torch, tensors):
    return [tensor for tensor in tensors if is_dense(torch, tensor)]


def bytes_of(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


class Snapshot:
    """Copies of tensors, to compare with and to put back."""

    def __init__(self, torch, tensors):
        self._torch = torch
        self.tensors = list(tensors)
        with torch.no_grad():
            self.copies = [tensor.detach().clone() for tensor in self.tensors]

    def restore(self):
        with self._torch.no_grad():
            for tensor, copy in zip(self.tensors, self.copies):
                _to_write(tensor).copy_(copy)

    def changed(self):
        """The part of it that is no longer as it was."""
        part = Snapshot(self._torch, [])
        for tensor, copy in zip(self.tensors, self.copies):
            if not is_same(self._torch, tensor, copy):
                part.tensors.append(tensor)
                part.copies.append(copy)
        return part


def _to_write(tensor):
    """The same memory. Of a write to it autograd knows nothing: a backward that was prepared on the
    tensor would refuse to run else."""
    return tensor.data


def _as_words(torch, tensor):
    """The same memory as integers, the widest that fit: there are fewer of those to compare."""
    flat = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
    try:
        return flat.view(torch.int64)
    except RuntimeError:  # it begins or ends within one
        return flat


def is_same(torch, one, other):
    """Bit for bit, so that a NaN is the same as itself."""
    one, other = _as_words(torch, one), _as_words(torch, other)
    return one.dtype == other.dtype and torch.equal(one, other)


def is_close(torch, one, other):
    """To what two orders of the same sum may differ by."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if is_same(torch, one, other):
        return True
    if not one.is_floating_point():
        return False
    scale = max((_largest(torch, part) for part in _parts(other)), default=0.0)
    return all(torch.allclose(*pair, rtol=1e-2, atol=1e-3 * scale, equal_nan=True)
               for pair in zip(_parts(one), _parts(other)))


def _parts(tensor):
    flat = tensor.detach().reshape(-1)
    return (flat[begin:begin + _PART].double() for begin in range(0, flat.numel(), _PART))


def _largest(torch, part):
    finite = part[torch.isfinite(part)]
    return float(finite.abs().max()) if finite.numel() else 0.0


def reverse(torch, tensors):
    """Other values of the same kind in each: its own, in reverse order."""
    with torch.no_grad():
        for tensor in tensors:
            plain = _to_write(tensor)
            plain.copy_(plain.reshape(-1).flip(0).reshape(plain.shape))


def poison(torch, tensors):
    """Fills them with bytes that no result is made of; copies, to compare with."""
    with torch.no_grad():
        for tensor in tensors:
            _fill(torch, _to_write(tensor))
    return Snapshot(torch, tensors)


def _fill(torch, tensor):
    if tensor.dtype == torch.bool:
        tensor.fill_(True)
    elif tensor.is_floating_point():
        tensor.fill_(float("nan"))
    else:
        tensor.fill_(_POISON)
