"""CU1: host code in an operator that a graph capture does not survive."""

import ast

from finding import NOTE, finding
from source import FUNCTIONS, last_name

# As methods of a tensor and as functions of torch.
METHODS = frozenset("item tolist cpu nonzero unique synchronize".split())
JIT = frozenset("jit pointwise_dynamic".split())


def check_capture(context, source):
    owner = context.facts.owner_of(source.path)
    kernels = [node for node in source.of(*FUNCTIONS) if any(_is_jit(one) for one in node.decorator_list)]
    for node in source.of(ast.Call):
        words = _unsafe(node)
        if words and not any(above in kernels for above in source.ancestors(node)):
            yield finding("CU1", NOTE, source.path, node,
                          "%s on the host %s: the operator cannot be captured in a graph, and its launches do "
                          "not overlap" % words,
                          "keep the value on the device, or compute it from shapes",
                          [owner] if owner else None)


def _is_jit(decorator):
    while isinstance(decorator, ast.Call):
        decorator = decorator.func
    return last_name(decorator) in JIT


def _unsafe(node):
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    name = node.func.attr
    if name in METHODS:
        return "." + name + "()", "waits for the device"
    is_torch = isinstance(node.func.value, ast.Name) and node.func.value.id == "torch"
    return ("torch.tensor(...)", "copies from pageable memory and waits") if name == "tensor" and is_torch else None
