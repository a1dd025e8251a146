"""Conditions in three-valued logic, under the assumption of one vendor.

A World says which vendor, and so which device name, FlagGems would find. Everything else that a module
asks of the machine (versions, capabilities, what can be imported) stays UNKNOWN, and a condition is
decided only where it has the same outcome whatever the unknown turns out to be.
"""

import ast
import collections

from source import FUNCTIONS, assigned, bound_names

World = collections.namedtuple("World", "vendor device")
ModuleRef = collections.namedtuple("ModuleRef", "name")
FunctionRef = collections.namedtuple("FunctionRef", "node scope")
PACKAGE = "flag_gems"
DEEPEST_CALL = 8


class _Unknown:
    def __repr__(self):
        return "UNKNOWN"


class _DeviceRef:
    """flag_gems.runtime.device: has .name and .vendor_name."""


UNKNOWN = _Unknown()
DEVICE_REF = _DeviceRef()
# How a block of statements ends.
FALLS_THROUGH, MAY_END, RETURNS, SKIPS = range(4)


def truth(value):
    """True, False, or None when unknown."""
    if value is UNKNOWN:
        return None
    if isinstance(value, (ModuleRef, FunctionRef, _DeviceRef)):
        return True
    return bool(value)


def join(one, other):
    if one is other:
        return one
    return one if type(one) is type(other) and _equal(one, other) is True else UNKNOWN


def _equal(one, other):
    if one is UNKNOWN or other is UNKNOWN:
        return UNKNOWN
    if isinstance(one, (tuple, list)) and UNKNOWN in one:
        return UNKNOWN
    return one == other


def _contains(item, container):
    if container is UNKNOWN or item is UNKNOWN:
        return UNKNOWN
    if isinstance(container, str):
        return item in container if isinstance(item, str) else UNKNOWN
    if not isinstance(container, (tuple, list)):
        return UNKNOWN
    found = [_equal(item, entry) for entry in container]
    if any(outcome is True for outcome in found):
        return True
    return UNKNOWN if UNKNOWN in found else False


def _negated(value):
    known = truth(value)
    return UNKNOWN if known is None else not known


class Scope:
    """The names of one module, or of one call in it, in one world."""

    def __init__(self, modules, world, path, names=None, depth=0):
        self.modules = modules  # gives other modules' scopes: see modules.Modules
        self.world = world
        self.path = path
        self.names = {} if names is None else names
        self.depth = depth

    # --- statements

    def run(self, body, returned=None):
        """Runs a block; `returned` collects what its return statements may give."""
        ending = FALLS_THROUGH
        for node in body:
            how = self.run_one(node, returned)
            if how in (RETURNS, SKIPS):
                return how
            ending = max(ending, how)
        return ending

    def run_one(self, node, returned=None):
        if isinstance(node, ast.If):
            return self._run_if(node, returned)
        if isinstance(node, ast.Try):
            return self._run_try(node, returned)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            return self.run(node.body, returned)
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            self._forget(node)
            return self._join_paths([(node.body, True), ([], True)], returned)
        if isinstance(node, ast.Return):
            if returned is not None:
                returned.append(self.value(node.value) if node.value else None)
            return RETURNS
        if isinstance(node, ast.Raise):
            return RETURNS
        if isinstance(node, ast.Expr):
            return SKIPS if is_skip_call(node.value) else FALLS_THROUGH
        self._bind(node)
        return FALLS_THROUGH

    def _run_if(self, node, returned):
        known = truth(self.value(node.test))
        if known is not None:
            return self.run(node.body if known else node.orelse, returned)
        return self._join_paths([(node.body, True), (node.orelse, True)], returned)

    def _run_try(self, node, returned):
        paths = [(node.body + node.orelse, True)]
        paths += [(handler.body, False) for handler in node.handlers]
        ending = self._join_paths(paths, returned)
        if node.finalbody:
            ending = max(ending, self.run(node.finalbody, returned))
        return ending

    def _join_paths(self, paths, returned):
        """Runs each block from here; what differs afterwards is unknown. A path that ends joins nothing."""
        before = dict(self.names)
        endings, results, handler_start = [], [], before
        for body, is_fresh in paths:
            self.names = dict(before if is_fresh else handler_start)
            ending = self.run(body, returned)
            endings.append(ending)
            if ending in (FALLS_THROUGH, MAY_END):
                results.append(self.names)
            if is_fresh:  # an exception may come before or after any assignment of the body
                handler_start = _join_names([before, self.names])
        self.names = _join_names(results) if results else before
        if not results:
            return SKIPS if all(ending == SKIPS for ending in endings) else RETURNS
        return FALLS_THROUGH if all(ending == FALLS_THROUGH for ending in endings) else MAY_END

    def _forget(self, node):
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                self.names[inner.id] = UNKNOWN

    def _bind(self, node):
        if isinstance(node, FUNCTIONS):
            self.names[node.name] = FunctionRef(node, self)
        elif isinstance(node, ast.ClassDef):
            self.names[node.name] = UNKNOWN
        elif isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.split(".")[0]
                self.names[alias.asname or name] = ModuleRef(name)
        elif isinstance(node, ast.ImportFrom):
            for alias, name in zip(node.names, bound_names(node)):
                self.names[name] = self._imported(node, alias.name)
        elif assigned(node):
            for name, value in assigned(node):
                self.names[name] = self.value(value)
        else:
            self._forget(node)

    def _imported(self, node, name):
        if name == "vendor_name":
            return self.world.vendor
        module = self.modules.absolute(self.path, node.module or "", node.level)
        return self.attribute(ModuleRef(module), name)

    # --- expressions

    def value(self, node):
        method = getattr(self, "_value_" + type(node).__name__, None)
        return method(node) if method else UNKNOWN

    def attribute(self, owner, name):
        if name == "vendor_name":
            return self.world.vendor
        if owner is DEVICE_REF:
            return self.world.device if name == "name" else UNKNOWN
        if not isinstance(owner, ModuleRef):
            return UNKNOWN
        if owner.name == PACKAGE and name == "device":
            return self.world.device
        if owner.name == PACKAGE + ".runtime" and name == "device":
            return DEVICE_REF
        return self.modules.member(owner.name, name, self.world)

    def _value_Constant(self, node):
        return node.value

    def _value_Name(self, node):
        return self.names.get(node.id, UNKNOWN)

    def _value_Attribute(self, node):
        return self.attribute(self.value(node.value), node.attr)

    def _value_Tuple(self, node):
        return tuple(self.value(item) for item in node.elts)

    def _value_List(self, node):
        return [self.value(item) for item in node.elts]

    _value_Set = _value_List

    def _value_UnaryOp(self, node):
        return _negated(self.value(node.operand)) if isinstance(node.op, ast.Not) else UNKNOWN

    def _value_BoolOp(self, node):
        ends_with = isinstance(node.op, ast.Or)  # the truth that decides
        is_known = True
        value = UNKNOWN
        for item in node.values:
            value = self.value(item)
            if truth(value) is ends_with:
                return value if is_known else ends_with
            is_known = is_known and truth(value) is not None
        return value if is_known else UNKNOWN

    def _value_IfExp(self, node):
        known = truth(self.value(node.test))
        if known is None:
            return join(self.value(node.body), self.value(node.orelse))
        return self.value(node.body if known else node.orelse)

    def _value_Compare(self, node):
        values = [self.value(item) for item in [node.left] + node.comparators]
        outcomes = [compare(op, values[i], values[i + 1]) for i, op in enumerate(node.ops)]
        if any(outcome is False for outcome in outcomes):
            return False
        return UNKNOWN if UNKNOWN in outcomes else True

    def _value_Call(self, node):
        if isinstance(node.func, ast.Attribute) and not node.keywords:
            text = self.value(node.func.value)
            if isinstance(text, str):
                return self._text_method(text, node)
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1:
            name = self.value(node.args[1])
            return self.attribute(self.value(node.args[0]), name) if isinstance(name, str) else UNKNOWN
        if isinstance(node.func, ast.Name) and node.func.id == "bool" and len(node.args) == 1:
            return _negated(_negated(self.value(node.args[0])))
        function = self.value(node.func)
        return self._call(function, node) if isinstance(function, FunctionRef) else UNKNOWN

    def _text_method(self, text, node):
        arguments = [self.value(item) for item in node.args]
        known = all(isinstance(item, str) for item in arguments)
        if known and node.func.attr in ("lower", "upper", "strip", "startswith", "endswith"):
            try:
                return getattr(text, node.func.attr)(*arguments)
            except TypeError:
                return UNKNOWN
        return UNKNOWN

    def _call(self, function, call):
        """Only functions without parameters: what they give depends on nothing but the world."""
        if call.args or call.keywords or self.depth >= DEEPEST_CALL:
            return UNKNOWN
        scope = function.scope.call(function.node, self.depth + 1)
        returned = []
        if scope.run(function.node.body, returned) in (FALLS_THROUGH, MAY_END):
            returned.append(None)
        result = returned[0] if returned else UNKNOWN
        for value in returned[1:]:
            result = join(result, value)
        return result

    def call(self, function, depth=0):
        """The scope of a call whose arguments are unknown."""
        scope = Scope(self.modules, self.world, self.path, dict(self.names), depth)
        arguments = function.args
        named = arguments.args + arguments.kwonlyargs + getattr(arguments, "posonlyargs", [])
        for argument in named + [arguments.vararg, arguments.kwarg]:
            if argument:
                is_vendor = argument.arg == "vendor_name"
                scope.names[argument.arg] = self.world.vendor if is_vendor else UNKNOWN
        return scope


def _join_names(results):
    if len(results) == 1:
        return results[0]
    names = {}
    for name in {name for result in results for name in result}:
        values = [result.get(name, UNKNOWN) for result in results]
        value = values[0]
        for other in values[1:]:
            value = join(value, other)
        names[name] = value
    return names


def compare(op, left, right):
    if isinstance(op, (ast.Eq, ast.Is)):
        return _equal(left, right)
    if isinstance(op, (ast.NotEq, ast.IsNot)):
        return _negated(_equal(left, right))
    if isinstance(op, ast.In):
        return _contains(left, right)
    if isinstance(op, ast.NotIn):
        return _negated(_contains(left, right))
    return UNKNOWN


def is_skip_call(node):
    """pytest.skip(...), pytest.exit(...), sys.exit(...), also bare skip(...)."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        return (node.func.value.id, node.func.attr) in (
            ("pytest", "skip"), ("pytest", "exit"), ("pytest", "fail"), ("pytest", "xfail"), ("sys", "exit"))
    return isinstance(node.func, ast.Name) and node.func.id == "skip"
