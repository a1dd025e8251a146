"""One Python file of the corpus: its tree, and the few views of it that the rules share."""

import ast
import os

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LEAVES = frozenset([ast.Name, ast.Constant, ast.Pass, ast.alias])
DEFINITIONS = FUNCTIONS + (ast.ClassDef,)

_fields = {}  # of each type of node, those that may hold nodes


class Source:
    def __init__(self, path, data):
        self.path = path
        self.data = data
        self.tree = ast.parse(data)
        self._index = None
        self._parents = {}
        self._inside = {}
        self._lines = None
        self._tests = None
        self._definitions = None

    def of(self, *kinds):
        """Every node of these types. Only one walk over the tree is made, for all rules."""
        if self._index is None:
            self._index = {}
            for node in flatten(self.tree, self._parents):
                self._index.setdefault(type(node), []).append(node)
        return [node for kind in kinds for node in self._index.get(kind, ())]

    def inside(self, node):
        """The node and every node below it."""
        if node not in self._inside:
            self._inside[node] = flatten(node)
        return self._inside[node]

    def ancestors(self, node):
        """From the node's parent up to the module."""
        self.of()
        while node in self._parents:
            node = self._parents[node]
            yield node

    @property
    def tests(self):
        """[(function, class or None)] of what pytest would collect here."""
        if self._tests is None:
            self._tests = list(_tests(self.tree.body, None))
        return self._tests

    @property
    def definitions(self):
        """{name: function or class} at module level, also under if, try and with."""
        if self._definitions is None:
            self._definitions = {
                node.name: node for node in statements(self.tree.body) if isinstance(node, DEFINITIONS)
            }
        return self._definitions

    def test_of(self, node):
        """The (function, class) of the test around a node, or None."""
        around = {node, *self.ancestors(node)}
        return next((test for test in self.tests if test[0] in around), None)

    def test_named(self, name):
        return next((test for test in self.tests if test[0].name == name), None)

    def words(self, node):
        """The node as written."""
        if self._lines is None:
            self._lines = self.data.split(b"\n")
        first, last = node.lineno - 1, node.end_lineno - 1
        lines = self._lines[first:last + 1]
        lines[-1] = lines[-1][:node.end_col_offset]
        lines[0] = lines[0][node.col_offset:]
        return b"\n".join(lines).decode("utf-8", "replace")

    def text(self, node):
        """The node on one line, for messages."""
        words = " ".join(self.words(node).split())
        return words if len(words) <= 100 else words[:97] + "..."


def flatten(root, parents=None):
    """The root and every node below it but contexts and operators: some times faster than ast.walk."""
    nodes = [root]
    for node in nodes:
        kind = type(node)
        if kind in LEAVES:
            continue
        children = []
        for field in fields_of(kind):
            value = getattr(node, field, None)
            if type(value) is list:
                children += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                children.append(value)
        nodes += children
        if parents is not None:
            for child in children:
                parents[child] = node
    return nodes


def fields_of(kind):
    if kind not in _fields:
        _fields[kind] = [field for field in kind._fields if field not in ("ctx", "op", "ops")]
    return _fields[kind]


def load(root, path):
    with open(os.path.join(root, path), "rb") as stream:
        return Source(path, stream.read())


def statements(body):
    """The statements of a block, also those under if, try, with and loops, but not of definitions."""
    for node in body:
        yield node
        if isinstance(node, DEFINITIONS):
            continue
        for field in ("body", "orelse", "finalbody"):
            yield from statements(getattr(node, field, None) or [])
        for handler in getattr(node, "handlers", []):
            yield from statements(handler.body)


def walk_import_time(tree):
    """Every node that runs when the module is imported: all but the bodies of functions."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, FUNCTIONS):
            todo += node.decorator_list
        elif not isinstance(node, ast.Lambda):
            todo += ast.iter_child_nodes(node)


def _tests(body, owner):
    for node in statements(body):
        if isinstance(node, FUNCTIONS) and node.name.startswith("test"):
            yield node, owner
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from _tests(node.body, node)


def dotted(node):
    """"a.b.c" of names and attributes; else an empty text."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join(reversed(parts + [node.id]))


def last_name(node):
    return getattr(node, "attr", None) or getattr(node, "id", None)


def literal_text(node):
    """The value of a string literal, else None."""
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_text else None


def bound_names(node):
    """The names that an import statement binds."""
    if isinstance(node, ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    if isinstance(node, ast.Import):
        return [alias.asname or alias.name.split(".")[0] for alias in node.names]
    return []


def assigned(node):
    """[(name, value)] of a plain assignment to names."""
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        targets = [node.target]
    else:
        return []
    return [(target.id, node.value) for target in targets if isinstance(target, ast.Name)]
