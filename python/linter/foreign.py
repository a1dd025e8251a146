"""FV1: an import of one vendor's code that other vendors reach. DI1: an import of a missing module."""

import ast
import posixpath
import re

from corpus import PACKAGE_PARENT
from facts import BACKENDS
from finding import ERROR, NOTE, WARNING, counted, finding, listed
from guards import PACKAGE, truth
from registry import TUNED_CALL
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
            if wanted & self._reads(test) and not self.gates.is_skipped(test, world):
                self.undecided += [condition for condition in self.gates.conditions(test)
                                   + self.gates.early_skips(test[0]) if condition is not None]
                return True
        return not wanted and self.function is None

    def _reads(self, test):
        """The names that a test reads, also through the file's own functions and classes."""
        read, todo = set(), [test[0]]
        while todo:
            for inner in self.source.inside(todo.pop()):
                if isinstance(inner, ast.Name) and inner.id not in read:
                    read.add(inner.id)
                    if inner.id in self.source.definitions:
                        todo.append(self.source.definitions[inner.id])
        return read

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


def check_foreign(context, source):
    for site in find_sites(source, context.facts):
        if context.facts.owner_of(source.path) == site.vendor:
            continue
        question = ForeignImport(context, source, site)
        exposed = question.exposed()
        is_dead = not context.corpus.has_module(site.module)
        verdict = "ok"
        if is_dead or exposed:
            result = _dead(context, question) if is_dead else _foreign(context, question, exposed)
            verdict = result["verdict"]
            yield result
        yield {"foreign_import": {"file": source.path, "line": site.node.lineno, "module": site.module,
                                  "vendor": site.vendor, "verdict": verdict}}


def _dead(context, question):
    site, path = question.site, question.source.path
    reaching = question.reaching()
    if not reaching:
        return finding("FV1", NOTE, path, site.node,
                       "imports %s, which does not exist; no vendor gets here, so it does no harm"
                       % site.module, "remove the branch", [], verdict="dead")
    name = site.module.rpartition(".")[2] + ".py"
    same = [other for other in context.corpus.paths
            if other.startswith(context.facts.vendor_folder(site.vendor) + "/")
            and posixpath.basename(other) == name]
    hint = "import it from %s" % same[0] if same else "remove the import and what depends on it"
    return finding("FV1", ERROR, path, site.node,
                   "imports %s, which does not exist: what needs it is skipped or fails on every vendor, "
                   "%s included" % (site.module, site.vendor), hint, reaching, verdict="dead")


def _foreign(context, question, exposed):
    site, facts = question.site, context.facts
    own_device = facts.worlds[site.vendor].device
    other = [vendor for vendor in exposed if facts.worlds[vendor].device != own_device]
    is_error = bool(other) or not question.is_held_back()
    message = "%s's %s is what %s would run: " % (
        site.vendor, site.module, counted(len(exposed), "other vendor"))
    if is_error:
        message += "no vendor test stands before the import"
    else:
        message += "their device is called '%s' as well, and only a version or capability test holds them " \
                   "back" % own_device
    if question.rescued:
        message += "; " + ", ".join("%s takes its own at line %d, unless that import fails" % pair
                                    for pair in sorted(question.rescued.items()))
    keys = _own_keys(context, site)
    if keys:
        message += "; there is a tuned configuration %s for %s only, others get none" % (
            listed(keys, 4), listed(_having(context, keys)))
    return finding("FV1", ERROR if is_error else WARNING, question.source.path, site.node, message,
                   _foreign_fix(context, question), exposed, verdict="error" if is_error else "warning",
                   rescued=sorted(question.rescued))


def _own_keys(context, site):
    """Keys of the imported file that vendors do not find in the common configurations."""
    path = context.corpus.path_of(site.module)
    source = context.corpus.source(path) if path else None
    if not source or not context.facts.default_vendor:
        return []
    common = context.facts.tuned_keys(context.facts.vendor_folder(context.facts.default_vendor))
    keys = TUNED_CALL.findall(source.data)
    return sorted({key.decode() for key in keys} - common)


def _having(context, keys):
    return [vendor for vendor in context.facts.vendors if set(keys) & context.facts.tuned_in(vendor)]


def _foreign_fix(context, question):
    site = question.site
    public = [name for name in site.names if name in context.facts.exports]
    if not public:
        other = "the tests that use it with the same" if question.source.tests else "give the others one of their own"
        return "guard the import with vendor_name == \"%s\", and %s" % (site.vendor, other)
    name = public[0]
    base = posixpath.basename(context.corpus.path_of(site.module) or "")
    having = re.compile(rb"^def %s\(" % re.escape(name.encode()), re.MULTILINE)
    others = []
    for path in context.corpus.paths:
        if path.startswith(BACKENDS + "/_") and posixpath.basename(path) == base:
            source = context.corpus.source(path)
            if source and having.search(source.data):
                others.append(path[len(BACKENDS) + 1:])
    fix = "call the public %s.%s, which takes each vendor's own" % (PACKAGE, name)
    return fix + (" (%s)" % listed(others, 6) if others else "")


def check_dead_imports(context, source):
    """DI1: `from flag_gems.x import y` where x is not on the disk."""
    for node in source.of(*IMPORTS):
        for module, _ in imported_modules(node):
            is_ours = module.startswith(PACKAGE + ".") and not _is_generated(module)
            if is_ours and not context.corpus.has_module(module) and not _is_attribute(context, module, node):
                yield finding("DI1", WARNING, source.path, node,
                              "imports %s, and there is no such module in the corpus" % module,
                              "correct the path, or remove the import and what depends on it",
                              context.reaching(source, node))


def _is_generated(module):
    return module.split(".")[-1] in ("_version",)


def _is_attribute(context, module, node):
    """`import_module("flag_gems.x.name")` may name something that x defines; imports may not."""
    return isinstance(node, ast.Call) and context.corpus.has_module(module.rpartition(".")[0])
