"""The question of FV1: which vendors get to an import of another vendor's code, and use it?"""

import ast

from guards import PACKAGE, truth
from source import FUNCTIONS, assigned, bound_names, last_name, literal_text

IMPORTS = (ast.Import, ast.ImportFrom, ast.Call)
IMPORT_CALLS = ("import_module", "__import__", "importorskip")
BACKEND_MODULE = PACKAGE + ".runtime.backend"


class Site:
    """One import of a vendor's module."""

    def __init__(self, node, module, vendor, names):
        self.node = node
        self.module = module
        self.vendor = vendor
        self.names = names  # that it binds


def imported_modules(node):
    """[(dotted module, names bound)] of an import statement or an import call with a literal."""
    if isinstance(node, ast.ImportFrom):
        return [(node.module or "", bound_names(node))] if node.level == 0 else []
    if isinstance(node, ast.Import):
        return [(alias.name, [alias.asname or alias.name.split(".")[0]]) for alias in node.names]
    if isinstance(node, ast.Call) and last_name(node.func) in IMPORT_CALLS and node.args:
        text = literal_text(node.args[0])
        return [(text, [])] if text else []
    return []


def find_sites(source, facts):
    for node in source.of(*IMPORTS):
        for module, names in imported_modules(node):
            parts = module.split(".")
            vendor = next((part[1:] for part in parts if facts.is_vendor_path(part)), None)
            is_rooted = module.startswith(BACKEND_MODULE + ".") or facts.is_vendor_path(parts[0])
            if vendor and is_rooted:
                whole = module if module.startswith(PACKAGE) else BACKEND_MODULE + "." + module
                yield Site(node, whole, vendor, names)


class ForeignImport:
    """The question of one site: which other vendors get there?"""

    def __init__(self, context, source, site):
        self.facts = context.facts
        self.corpus = context.corpus
        self.gates = context.gates(source)
        self.source = source
        self.site = site
        self.chain = list(source.ancestors(site.node))  # inside out
        self.statement = self._statement()
        if isinstance(self.statement, ast.Assign):
            site.names = [name for name, _ in assigned(self.statement)]
        self.function = next((node for node in self.chain if isinstance(node, FUNCTIONS)), None)
        self.flags = self._flags()
        self.rescued = {}  # vendor -> line of the import that rebinds the name
        self.undecided = []

    def _statement(self):
        """The statement of the site: itself, or the one around a call."""
        node = self.site.node
        return node if isinstance(node, ast.stmt) else next(
            above for above in self.chain if isinstance(above, ast.stmt))

    def _flags(self):
        """Names that tell whether the import worked: assigned in the `try` around it."""
        names = set(self.site.names)
        for node in self.chain:
            if isinstance(node, ast.Try) and not self._is_in_handler(node):
                for statement in node.body + node.orelse:
                    names.update(name for name, _ in assigned(statement))
        return names

    def _is_in_handler(self, node):
        return any(above in node.handlers for above in self.chain)

    def _worlds(self):
        """A vendor's own folder is loaded with that vendor only."""
        owner = self.facts.owner_of(self.source.path)
        return {owner: self.facts.worlds[owner]} if owner else self.facts.worlds

    def reaching(self):
        return [vendor for vendor, world in self._worlds().items() if self._is_reached(world)]

    def exposed(self):
        return [vendor for vendor, world in self._worlds().items()
                if vendor != self.site.vendor and self._is_exposed(vendor, world)]

    def _is_exposed(self, vendor, world):
        if not self._is_reached(world):
            return False
        line = self._rebinding_line(world)
        if line:
            self.rescued[vendor] = line
            return False
        return self._is_consumed(world)

    # --- reached?

    def _is_reached(self, world):
        scope = self.corpus.scope(self.source.path, world)
        if scope is None:
            return True
        if self.function is not None:
            scope = scope.call(self.function)
        below = self.site.node
        for node in self.chain:
            if isinstance(node, ast.If) and not self._takes_branch(node, below, scope):
                return False
            body = _block_with(node, below)
            if body and self._ends_before(body, below, scope):
                return False
            if isinstance(node, FUNCTIONS):
                test = self.source.test_of(node)
                if test and self.gates.is_skipped(test, world):
                    return False
                if test:
                    self.undecided += self.gates.conditions(test)
            below = node
        return True

    def _takes_branch(self, node, below, scope):
        if below is node.test:
            return True
        known = truth(scope.value(node.test))
        if known is None:
            self.undecided.append(node.test)
            return True
        return known == (below in node.body)

    def _ends_before(self, body, below, scope):
        """Does a decided early skip, return or raise come first?"""
        for statement in body[:body.index(below)]:
            if isinstance(statement, ast.If) and truth(scope.value(statement.test)) is not None:
                branch = statement.body if truth(scope.value(statement.test)) else statement.orelse
                if any(isinstance(inner, (ast.Return, ast.Raise)) for inner in branch):
                    return True
        return self.gates.ends_before(body, below, scope.world)

    # --- rebound?

    def _rebinding_line(self, world):
        """A later import at module level of the same names, certain for this vendor."""
        if self.function is not None or not self.site.names:
            return None
        scope = self.corpus.scope(self.source.path, world)
        for node in self.source.of(ast.Import, ast.ImportFrom):
            is_later = node.lineno > self.statement.lineno
            if is_later and set(self.site.names) <= set(bound_names(node)):
                above = list(self.source.ancestors(node))
                guards = [over for over in above if isinstance(over, ast.If)]
                inside = any(isinstance(over, FUNCTIONS) for over in above)
                if guards and not inside and all(truth(scope.value(over.test)) for over in guards):
                    return node.lineno
        return None

    # --- consumed?

    def _is_consumed(self, world):
        if not self.source.tests:
            return True  # the package, or a module that tests share
        if self.function is not None:
            own = self.source.test_of(self.function)
            if own:
                return True
            wanted = {self.function.name}
        else:
            wanted = self.flags
        for test in self.source.tests:
            if wanted & self._reads(test, world) and not self.gates.is_skipped(test, world):
                self.undecided += [condition for condition in self.gates.conditions(test)
                                   + self.gates.early_skips(test[0]) if condition is not None]
                return True
        return not wanted and self.function is None

    def _reads(self, test, world):
        """The names that a test gets to read, also through the file's own functions and classes."""
        module = self.corpus.scope(self.source.path, world)
        read, todo = set(), [test[0]]
        while todo:
            definition = todo.pop()
            scope = module.call(definition) if isinstance(definition, FUNCTIONS) else module
            for inner in self.source.inside(definition):
                if isinstance(inner, ast.Name) and inner.id not in read and self._is_read(inner, definition, scope):
                    read.add(inner.id)
                    if inner.id in self.source.definitions:
                        todo.append(self.source.definitions[inner.id])
        return read

    def _is_read(self, node, definition, scope):
        """Whether no decided condition, return or skip keeps a definition from getting to a node."""
        below = node
        for above in self.source.ancestors(node):
            if isinstance(above, (ast.If, ast.IfExp)) and below is not above.test:
                known = truth(scope.value(above.test))
                is_body = below is above.body or isinstance(above.body, list) and below in above.body
                if known is not None and known != is_body:
                    return False
            body = _block_with(above, below)
            if body and self._ends_before(body, below, scope):
                return False
            if above is definition:
                break
            below = above
        return True

    def is_held_back(self):
        """Is there an undecided condition beside the outcome of the import itself?"""
        return any(not self._is_about_import(condition) for condition in self.undecided)

    def _is_about_import(self, condition):
        names = {node.id for node in ast.walk(condition) if isinstance(node, ast.Name)}
        return bool(names) and names <= self.flags


def _block_with(node, below):
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list) and below in block:
            return block
    return None
