"""Which class or function a name of a file means, followed through imports inside the corpus."""

import ast

from guards import PACKAGE
from source import FUNCTIONS, assigned, dotted, literal_text, statements

ROOT_CLASS = "Benchmark"
LONGEST_CHAIN = 12


class Names:
    """Imports of one file: what each name stands for, without regard to vendors."""

    def __init__(self, context, source):
        self.context = context
        self.source = source
        self.meaning = {}  # name -> dotted name
        for node in source.of(ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.split(".")[0]
                self.meaning[alias.asname or name] = name
        for node in source.of(ast.ImportFrom):
            module = context.corpus.absolute(source.path, node.module or "", node.level)
            for alias in node.names:
                self.meaning[alias.asname or alias.name] = module + "." + alias.name

    def full_name(self, node):
        """"flag_gems.ops.x" for an expression that names something imported; else an empty text."""
        first, _, rest = dotted(node).partition(".")
        if first not in self.meaning:
            return ""
        return self.meaning[first] + ("." + rest if rest else "")

    def is_package_function(self, node):
        return self.full_name(node).startswith(PACKAGE + ".")

    def definition(self, node):
        """(source, class or function) that an expression names, or None."""
        if isinstance(node, ast.Name) and node.id in self.source.definitions:
            return self.source, self.source.definitions[node.id]
        full = self.full_name(node)
        module, _, name = full.rpartition(".")
        path = self.context.corpus.path_of(module) if module else None
        other = self.context.corpus.source(path) if path and not full.startswith(PACKAGE) else None
        if other and name in other.definitions:
            return other, other.definitions[name]
        return None


class BenchmarkClass:
    """A class and its bases, as far as the corpus defines them, nearest first."""

    def __init__(self, context, source, node):
        self.context = context
        self.chain = []
        self._keywords = None
        todo = [(source, node)]
        while todo and len(self.chain) < LONGEST_CHAIN:
            where, one = todo.pop(0)
            self.chain.append((where, one))
            names = context.names(where)
            found = [names.definition(base) for base in one.bases]
            todo += [entry for entry in found if entry and isinstance(entry[1], ast.ClassDef)]

    @property
    def is_benchmark(self):
        return any(node.name == ROOT_CLASS for _, node in self.chain)

    def own_nodes(self):
        """Every node of the classes below the root class."""
        return [inner for source, node in self.chain if node.name != ROOT_CLASS for inner in source.inside(node)]

    def initialisers(self):
        return [function for _, node in self.chain for function in node.body
                if isinstance(function, FUNCTIONS) and function.name == "__init__"]

    def keywords(self):
        """Names that some __init__ takes, reads from its **kwargs, or sets as an attribute."""
        if self._keywords is None:
            self._keywords = self._find_keywords()
        return self._keywords

    def _find_keywords(self):
        known = self.context.class_keywords
        for source, node in self.chain:
            if node not in known:
                known[node] = frozenset(_own_keywords(source, node))
        return frozenset().union(*[known[node] for _, node in self.chain]) - {None}

    def swallows(self):
        """Does every __init__ on the way up pass unknown keywords on, and the last drop them?"""
        found = self.initialisers()
        return bool(found) and all(function.args.kwarg for function in found)

    def parameter(self, index):
        """The name of the nearest __init__'s positional parameter."""
        found = self.initialisers()
        names = [argument.arg for argument in found[0].args.args[1:]] if found else []
        return names[index] if index < len(names) else None


def _own_keywords(source, node):
    """What one class takes: its members, and what its __init__ names, reads or sets."""
    for statement in statements(node.body):
        yield from (name for name, _ in assigned(statement))
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id
        if isinstance(statement, FUNCTIONS):
            yield statement.name
            if statement.name == "__init__":
                yield from _initialised(source, statement)


def _initialised(source, function):
    arguments = function.args
    yield from (argument.arg for argument in arguments.args + arguments.kwonlyargs)
    rest = arguments.kwarg.arg if arguments.kwarg else ""
    for node in source.inside(function):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.Call) and rest and dotted(node.func) in (rest + ".get", rest + ".pop"):
            yield literal_text(node.args[0]) if node.args else None
        elif isinstance(node, ast.Subscript) and rest and dotted(node.value) == rest:
            yield literal_text(getattr(node.slice, "value", None)) or literal_text(node.slice)
