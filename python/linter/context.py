"""What every rule is handed beside a file."""

import ast

import index_corpus

from benchmarks import Benchmark
from classes import BenchmarkClass, Names
from gates import Gates
from guards import truth


class Context:
    def __init__(self, corpus, facts):
        self.corpus = corpus
        self.facts = facts
        self._gates = (None, None)
        self._names = {}
        self._classes = {}
        self.class_keywords = {}  # filled by classes.py
        self._benchmarks = {}
        self._functions = {}

    def forget(self):
        """Frees what belongs to the file just read; the classes that files share stay."""
        self._benchmarks.clear()
        self._functions.clear()

    def gates(self, source):
        if self._gates[0] is not source:
            self._gates = (source, Gates(self.corpus, source))
        return self._gates[1]

    def names(self, source):
        if source.path not in self._names:
            self._names[source.path] = Names(self, source)
        return self._names[source.path]

    def functions(self, source):
        """What the indexer says of the file's tests: [{"name", "line", "marks", "op_names"}]."""
        if source.path not in self._functions:
            self._functions[source.path] = index_corpus.index_tree(source.tree, True)
        return self._functions[source.path]

    def marks(self, source):
        """{line of a test function: its marks}."""
        return {entry["line"]: entry["marks"] for entry in self.functions(source)}

    def benchmark(self, source, test):
        if test[0] not in self._benchmarks:
            self._benchmarks[test[0]] = Benchmark(self, source, test)
        return self._benchmarks[test[0]]

    def benchmark_class(self, found):
        """The BenchmarkClass of a (source, definition), or None."""
        if not found or not isinstance(found[1], ast.ClassDef):
            return None
        if found[1] not in self._classes:
            one = BenchmarkClass(self, *found)
            self._classes[found[1]] = one if one.is_benchmark else None
        return self._classes[found[1]]

    def reaching(self, source, node):
        """The vendors for which the conditions around a node do not rule it out."""
        if not self.facts.worlds:
            return None
        return [vendor for vendor, world in self.facts.worlds.items() if self._reaches(source, node, world)]

    def _reaches(self, source, node, world):
        scope = self.corpus.scope(source.path, world)
        below = node
        for above in source.ancestors(node) if scope else ():
            if isinstance(above, ast.If) and below is not above.test:
                known = truth(scope.value(above.test))
                if known is not None and known != (below in above.body):
                    return False
            below = above
        return True

    def vendors_of(self, source, test):
        """The vendors that run a test; None when the corpus names no vendors."""
        if not self.facts.worlds:
            return None
        return self.gates(source).vendors_of(test, self.facts.worlds)
