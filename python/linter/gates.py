"""When a test runs: its skip marks and early skips, decided for one vendor."""

import ast

from guards import SKIPS, is_skip_call, truth
from source import assigned, dotted, literal_text, statements


class Gates:
    """The skip conditions of one file's tests."""

    def __init__(self, corpus, source):
        self.corpus = corpus
        self.source = source
        self._assigned = {}
        for node in statements(source.tree.body):
            for name, value in assigned(node):
                self._assigned[name] = value

    def marks(self, test):
        """The expressions that mark a test: decorators, its class' decorators, pytestmark."""
        function, owner = test
        found = list(function.decorator_list)
        if owner is not None:
            found += owner.decorator_list
            found += _pytestmark(owner.body)
        found += _pytestmark(self.source.tree.body)
        return [mark for expression in found for mark in self._resolved(expression)]

    def _resolved(self, expression, depth=0):
        if isinstance(expression, (ast.List, ast.Tuple)):
            return [mark for item in expression.elts for mark in self._resolved(item, depth)]
        if isinstance(expression, ast.Name) and expression.id in self._assigned and depth < 4:
            return self._resolved(self._assigned[expression.id], depth + 1)
        return [expression]

    def conditions(self, test):
        """The conditions of skipif marks; None stands for an unconditional skip."""
        found = []
        for mark in self.marks(test):
            name = dotted(mark.func if isinstance(mark, ast.Call) else mark).split(".")[-1]
            if name == "skip":
                found.append(None)
            elif name == "skipif" and isinstance(mark, ast.Call):
                found += mark.args[:1]
                found += [keyword.value for keyword in mark.keywords if keyword.arg == "condition"]
        return found

    def early_skips(self, function):
        """Tests of the `if`s in a function's body whose branch skips."""
        return [node.test for node in function.body
                if isinstance(node, ast.If) and any(_skips(inner) for inner in node.body)]

    def is_skipped(self, test, world):
        """Is it certain that the test does not run with this vendor?"""
        scope = self.corpus.scope(self.source.path, world)
        if scope is None:
            return False
        for condition in self.conditions(test):
            is_text = condition is not None and literal_text(condition) is not None
            if condition is None or (not is_text and truth(scope.value(condition)) is True):
                return True
        if self.ends_before(self.source.tree.body, None, world):
            return True
        return scope.call(test[0]).run(test[0].body) == SKIPS

    def ends_before(self, body, node, world):
        """Does the module skip, for this vendor, before the statement `node` (None: at all)?"""
        scope = self.corpus.scope(self.source.path, world)
        before = body if node is None else body[:body.index(node)]
        for statement in before:
            if isinstance(statement, ast.If) and scope:
                known = truth(scope.value(statement.test))
                branch = statement.body if known else statement.orelse
                if known is not None and any(_skips(inner) for inner in branch):
                    return True
            elif _skips(statement):
                return True
        return False

    def vendors_of(self, test, worlds):
        """The vendors for which the test is not certainly skipped."""
        return [vendor for vendor, world in worlds.items() if not self.is_skipped(test, world)]


def _pytestmark(body):
    found = []
    for node in statements(body):
        found += [value for name, value in assigned(node) if name == "pytestmark"]
    return found


def _skips(node):
    return isinstance(node, ast.Expr) and is_skip_call(node.value)
