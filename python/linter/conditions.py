"""CP1, VL1, SV1: conditions that do not say what their author meant."""

import ast

from finding import ERROR, WARNING, counted, finding
from guards import PACKAGE, UNKNOWN
from source import FUNCTIONS, assigned, dotted, last_name, literal_text, statements

CAPABILITY = frozenset(
    "get_device_capability get_device_properties sm_version_num SUPPORTED_FP8_DTYPE".split())
ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


class Evidence:
    """What a test's skip conditions look at, through names and functions of the file."""

    def __init__(self, context, source, test):
        self.source = source
        self.values = {}
        for node in statements(source.tree.body):
            for name, value in assigned(node):
                self.values.setdefault(name, []).append(value)
        self.definitions = source.definitions
        gates = context.gates(source)
        conditions = [one for one in gates.conditions(test) if one is not None]
        conditions += gates.early_skips(test[0])
        self.nodes = []
        seen = set()
        for condition in conditions:
            self._expand(condition, seen)

    def _expand(self, expression, seen):
        for node in self.source.inside(expression):
            self.nodes.append(node)
            if isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                for value in self.values.get(node.id, []):
                    self._expand(value, seen)
                if isinstance(self.definitions.get(node.id), FUNCTIONS):
                    self._expand(self.definitions[node.id], seen)

    def names_vendor(self):
        return any(last_name(node) == "vendor_name" for node in self.nodes)

    def asks_capability(self):
        return any(last_name(node) in CAPABILITY for node in self.nodes)

    def compared_device(self, facts):
        """The device name that several vendors share and that a condition compares with, or None."""
        for node in self.nodes:
            if isinstance(node, ast.Compare):
                for side in [node.left] + node.comparators:
                    text = literal_text(side)
                    if text and facts.is_shared_device(text):
                        return text
        return None

    def upper_bound(self):
        """The comparison that shuts later architectures out, if any: version < 100."""
        for node in self.nodes:
            if isinstance(node, ast.Compare) and isinstance(node.ops[-1], (ast.Lt, ast.LtE)):
                bound = node.comparators[-1]
                is_number = isinstance(bound, ast.Constant) and isinstance(bound.value, int)
                if is_number and last_name(node.left) in ("sm_version_num", "major") and bound.value >= 10:
                    return node
        return None


def check_capability(context, source):
    for test in source.tests:
        evidence = Evidence(context, source, test)
        if not evidence.asks_capability() or evidence.names_vendor():
            continue
        device = evidence.compared_device(context.facts)
        if not device:
            continue
        vendors = context.vendors_of(source, test)
        message = "%s runs wherever the device is called '%s' and its capability fits: that of %s, each of which " \
                  "may report a capability of that form" % (
                      test[0].name, device, counted(len(vendors), "vendor"))
        bound = evidence.upper_bound()
        if bound:
            message += "; %s (line %d) also skips it silently on every later architecture" % (
                source.text(bound), bound.lineno)
        yield finding("CP1", WARNING, source.path, test[0], message,
                      "test %s.vendor_name as well, and leave the upper bound open" % PACKAGE if bound
                      else "test %s.vendor_name as well" % PACKAGE, vendors)


# --- VL1


def check_never_true(context, source):
    worlds = list(context.facts.worlds.values())
    subjects = _subjects(source)
    for node in source.of(ast.Compare) if len(worlds) > 1 else ():
        if not _is_about_vendor(source, node, subjects):
            continue
        is_negated = isinstance(node.ops[0], (ast.NotEq, ast.NotIn))
        worlds.sort(key=lambda world: not _names_vendor(source, node, world))  # the likely exception first
        if not all(_outcome(context, source, node, world) is is_negated for world in worlds):
            continue
        yield finding("VL1", ERROR, source.path, node,
                      "%s is %s on every vendor%s" % (
                          source.text(node), str(is_negated).lower(), _reason(context, source, node)),
                      _never_true_fix(node), context.facts.vendors)


def _subjects(source):
    """Names and attributes that may hold the vendor or its device."""
    subjects = {"vendor_name", "device"}
    for node in statements(source.tree.body):
        for name, value in assigned(node):
            if any(last_name(inner) in subjects for inner in source.inside(value)):
                subjects.add(name)
    return subjects


def _is_about_vendor(source, node, subjects):
    """One comparison of something that may be the vendor with a constant; "in []" is a switch that is off."""
    sides = [node.left] + node.comparators
    constants = [side for side in sides if isinstance(side, (ast.Constant, ast.List, ast.Tuple, ast.Set))]
    if len(sides) != 2 or len(constants) != 1 or getattr(constants[0], "elts", True) == []:
        return False
    other = sides[0] if constants[0] is sides[1] else sides[1]
    return any(last_name(inner) in subjects for inner in source.inside(other))


def _names_vendor(source, node, world):
    return any(literal_text(inner) in world for inner in source.inside(node))


def _outcome(context, source, node, world):
    """The value where it stands; the names that its function sets are unknown."""
    scope = context.corpus.scope(source.path, world)
    function = next((above for above in source.ancestors(node) if isinstance(above, FUNCTIONS)), None)
    if function is not None:
        scope = scope.call(function)
        for inner in source.inside(function):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                scope.names[inner.id] = UNKNOWN
            elif isinstance(inner, ast.arg):
                scope.names[inner.arg] = UNKNOWN
    return scope.value(node)


def _reason(context, source, node):
    texts = [literal_text(side) for side in [node.left] + node.comparators]
    text = next((one for one in texts if one), None)
    if any(isinstance(side, (ast.List, ast.Tuple, ast.Set)) for side in node.comparators) and \
            isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
        return ": a text never equals a list"
    if text in context.facts.worlds:
        return ": '%s' is a vendor, and its device is called '%s'" % (
            text, context.facts.worlds[text].device)
    return ": no vendor and no device is called '%s'" % text if text else ""


def _never_true_fix(node):
    if isinstance(node.ops[0], (ast.Eq, ast.NotEq)) and not literal_text(node.comparators[0]):
        return "write %s" % ("in" if isinstance(node.ops[0], ast.Eq) else "not in")
    return "compare vendor_name with vendors and device with device names"


# --- SV1


def check_version_text(context, source):
    for node in source.of(ast.Compare):
        if not any(isinstance(op, ORDER) for op in node.ops):
            continue
        sides = [node.left] + node.comparators
        versions = [dotted(side) for side in sides if last_name(side) == "__version__"]
        texts = [literal_text(side) for side in sides if literal_text(side)]
        # torch's own version compares as a version; every other module's is plain text
        if versions and texts and versions[0] != "torch.__version__":
            yield finding("SV1", WARNING, source.path, node,
                          "%s compares texts letter by letter: '3.10' comes before '3.6'" % source.text(node),
                          "compare packaging.version.Version of both sides")
