"""SC1, GK1, GS1, NR1: what a benchmark times on either side.

A benchmark times `torch_op` twice: plainly, and as FlagGems. The second is `gems_op` where one is given,
else `torch_op` again under use_gems(), which changes it only if FlagGems registers that operator.
"""

import ast

from finding import ERROR, NOTE, WARNING, finding, listed
from guards import PACKAGE
from source import FUNCTIONS, dotted, last_name

# Operators of torch without a kernel of their own: they call others, and those may be FlagGems'.
COMPOSITE = frozenset(
    "alias_copy contiguous copy cosine_similarity cross_entropy_loss einsum expand_as flatten kron "
    "layer_norm matmul meshgrid outer pixel_shuffle reshape stack_copy tensordot tile vander".split())


class Benchmark:
    """One test function of the benchmark folder and everything of its file that it uses."""

    def __init__(self, context, source, test):
        self.context = context
        self.source = source
        self.test = test
        self.names = context.names(source)
        self.nodes = list(self._used(test[0]))
        self._classes = None
        self.calls = [node for node in self.nodes if isinstance(node, ast.Call)]

    def _used(self, function):
        seen, todo = set(), [function]
        while todo:
            for node in self.source.inside(todo.pop()):
                yield node
                if isinstance(node, ast.Name) and node.id not in seen:
                    seen.add(node.id)
                    if node.id in self.source.definitions:
                        todo.append(self.source.definitions[node.id])

    def classes(self):
        """[(call, BenchmarkClass)] of the benchmarks that are made."""
        if self._classes is None:
            found = [(call, self.context.benchmark_class(self.names.definition(call.func)))
                     for call in self.calls]
            self._classes = [(call, one) for call, one in found if one]
        return self._classes

    def gems_sides(self):
        """Expressions that are given as the FlagGems side."""
        found = [keyword.value for call in self.calls for keyword in call.keywords
                 if keyword.arg == "gems_op"]
        found += [call.args[0] for call in self.calls
                  if last_name(call.func) == "set_gems" and call.args]
        return [value for value in found if not _is_none(value)]

    def has_gems_side(self):
        """Given, set by the class, or the class times in a way of its own."""
        nodes = list(self.nodes)
        for _, one in self.classes():
            nodes += one.own_nodes()
        for node in nodes:
            if isinstance(node, FUNCTIONS) and node.name in ("run", "get_latency"):
                return True
            if isinstance(node, ast.Attribute) and node.attr == "gems_op" and isinstance(node.ctx, ast.Store):
                return True
            if isinstance(node, ast.Call) and (last_name(node.func) in ("set_gems", "use_gems") or any(
                    keyword.arg == "gems_op" and not _is_none(keyword.value) for keyword in node.keywords)):
                return True
        return False

    def torch_ops(self):
        """[(expression, node to point at)] of the plain side."""
        for call in self.calls:
            for keyword in call.keywords:
                if keyword.arg == "torch_op":
                    yield keyword.value, keyword.value
        for call, one in self.classes():
            for index, argument in enumerate(call.args):
                if one.parameter(index) == "torch_op":
                    yield argument, argument


def _is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def check_self_comparison(context, source):
    seen = set()
    for test in source.tests:
        benchmark = context.benchmark(source, test)
        for operator, place in benchmark.torch_ops():
            if place in seen or not benchmark.names.is_package_function(operator):
                continue
            seen.add(place)
            other = [side for side in benchmark.gems_sides() if dotted(side) != dotted(operator)]
            if not other:
                yield finding("SC1", ERROR, source.path, place,
                              "torch_op is %s itself: FlagGems is timed against FlagGems, and the speedup is "
                              "1 whatever the kernel does" % source.text(operator),
                              "give torch's operator, or a reference in torch, as torch_op",
                              context.vendors_of(source, test))


def check_keywords(context, source):
    seen = set()
    for test in source.tests:
        for call, one in context.benchmark(source, test).classes():
            if call in seen or not one.swallows():
                continue
            seen.add(call)
            known = one.keywords()
            for keyword in call.keywords:
                if keyword.arg and keyword.arg not in known:
                    yield _swallowed(context, source, test, call, keyword, known)


def _swallowed(context, source, test, call, keyword, known):
    meant = _nearest(keyword.arg, known)
    effect = "nothing is passed on, and no error says so"
    if meant == "gems_op":
        effect = "the FlagGems function is never timed"
    line = getattr(keyword, "lineno", keyword.value.lineno)
    return finding("GK1", ERROR, source.path, line,
                   "%s takes no keyword %s and drops it: %s" % (
                       source.text(call.func), keyword.arg, effect),
                   "write %s=" % meant if meant else "remove it", context.vendors_of(source, test))


def _nearest(word, known):
    """The keyword that was meant: one letter more or less, or with a prefix."""
    for name in sorted(known, key=len):
        if name in (word[:-1], "is_" + word, word + "s", word.strip("_")):
            return name
    return None


# --- the registered operators


def operator_names(benchmark, marks, op_names):
    """(names in the catalogue, names of the timed functions)."""
    facts = benchmark.context.facts
    ids = [name for name in marks if name in facts.operators]
    listed_names = [name for one in ids for name in facts.operators[one]]
    timed = [name for operator, _ in benchmark.torch_ops() for name in _timed(operator)]
    return ids, listed_names, timed


def _timed(node):
    """The operator that an expression calls: torch.x, torch.ops.aten.x.y, lambda a: a.x_()."""
    if isinstance(node, ast.Lambda) and isinstance(node.body, ast.Call):
        node = node.body.func
    name = dotted(node)
    if ".aten." in name:
        name = name.split(".aten.")[1]
        return [name[:-len(".default")] if name.endswith(".default") else name]
    found = [last_name(node)] if last_name(node) else []
    if name.startswith("torch.") and name.count(".") > 1:
        found.append(_plain(name[len("torch."):]))  # torch.special.x is special_x
    return found


def is_registered(facts, ids, names, timed):
    """Overloads are told apart: that hypot is registered does not make hypot.out FlagGems'."""
    spelled_out = [name for name in timed if "." in name]
    if any(_plain(name) in facts.registered_plain for name in ids + names + spelled_out):
        return True
    if names and all("." in name for name in names):
        return False  # the catalogue says which overload is timed, and it is not there
    return any(name in facts.registered_bases or _plain(name) in facts.registered_plain
               for name in ids + names + timed)


def _plain(name):
    """aten's a.b_out and the catalogue's a_b_out are one."""
    return name.replace(".", "_")


def check_gems_side(context, source):
    if not context.facts.registered:
        return
    marks = context.marks(source)
    for test in source.tests:
        benchmark = context.benchmark(source, test)
        operators = list(benchmark.torch_ops())
        if not operators or benchmark.has_gems_side():
            continue
        if any(benchmark.names.is_package_function(operator) for operator, _ in operators):
            continue  # SC1
        ids, names, timed = operator_names(benchmark, marks.get(test[0].lineno, []), [])
        if not is_registered(context.facts, ids, names, timed):
            yield _unreached(context, source, test, operators[0], ids + names + timed)


def _unreached(context, source, test, operator, names):
    vendors = [vendor for vendor in context.vendors_of(source, test) or []
               if not {_plain(name) for name in names} & context.facts.added[vendor]]
    bases = {name.split(".")[0].lower() for name in names}
    bases |= {name[:-4] for name in bases if name.endswith("_out")}
    is_composite = bool(bases & COMPOSITE)
    shown = listed(dict.fromkeys(names), 4)
    message = "no gems_op, and FlagGems registers none of %s: " % shown
    if is_composite:
        return finding("GS1", NOTE, source.path, operator[1],
                       message + "it is reached only through the operators that this one is made of",
                       "give gems_op, or say in a comment that the parts are what is timed",
                       vendors, certainty="inferred")
    return finding("GS1", WARNING, source.path, operator[1],
                   message + "both sides time the same function, and the speedup is about 1",
                   "give gems_op=%s.<operator>, or register it" % PACKAGE,
                   vendors, certainty="definite")
