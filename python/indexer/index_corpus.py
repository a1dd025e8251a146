"""Reads pytest files without importing them and says which marks each test function carries.

Input (standard input, or the descriptor whose number is the first argument), one JSON object:
  {"root": FOLDER, "files": [PATH RELATIVE TO root, ...]}
Output, one JSON object a line and file, in no particular order:
  {"file": PATH, "functions": [{"name", "class", "line", "marks", "op_names"}, ...]}
  {"file": PATH, "error": {"line": N, "message": TEXT}}
Marks stand in pytest's order: nearest decorator, class, module, then those of single parameters.
Only the standard library of Python 3.8: this runs under the interpreter of whoever owns the corpus.
"""

import ast
import gc
import json
import os
import re
import sys
import warnings

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Marks that steer pytest itself and so never name an operator.
BUILTIN = frozenset(
    "parametrize skip skipif xfail usefixtures filterwarnings timeout tryfirst trylast".split()
)
OPERATOR_ID = re.compile(r"[A-Za-z0-9_.\-]+")
FILES_PER_WORKER = 100
MOST_WORKERS = 8


class Marks:
    """What the names of one module stand for, as far as marks are concerned."""

    def __init__(self):
        self.pytest = {"pytest"}  # names of the pytest module
        self.mark = set()  # names of pytest.mark itself
        self.param = set()  # names of pytest.param
        self.bound = {}  # name -> marks bound to it
        self.in_params = {}  # name -> marks of the pytest.param calls in its value

    def learn_import(self, node):
        for alias in node.names:
            name = alias.asname or alias.name
            if isinstance(node, ast.Import) and alias.name == "pytest":
                self.pytest.add(name)
            elif isinstance(node, ast.ImportFrom) and node.module == "pytest":
                if alias.name == "mark":
                    self.mark.add(name)
                elif alias.name == "param":
                    self.param.add(name)

    def learn_assignment(self, name, value):
        if self._is_mark(value):
            self.mark.add(name)
            return
        self.bound[name] = self.of(value)
        self.in_params[name] = self.of_params(value)

    def of(self, node):
        """The marks that an expression stands for: a mark, a name, or a list of them."""
        if isinstance(node, ast.Name):
            return self.bound.get(node.id, [])
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return [mark for item in node.elts for mark in self.of(item)]
        if isinstance(node, ast.BinOp):  # MARKS + [pytest.mark.x]
            return self.of(node.left) + self.of(node.right)
        if isinstance(node, ast.IfExp):
            return self.of(node.body) + self.of(node.orelse)
        if isinstance(node, ast.Attribute):
            if self._is_mark(node.value):
                return [node.attr]
            return self.of(node.value) if node.attr == "with_args" else []
        if isinstance(node, ast.Call):
            return self._of_call(node)
        return []

    def of_params(self, node):
        """The marks of every pytest.param(..., marks=...) inside an expression."""
        found = []
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name):
                found += self.in_params.get(inner.id, [])
            elif isinstance(inner, ast.Call) and self._is_param(inner.func):
                for keyword in inner.keywords:
                    if keyword.arg == "marks":
                        found += self.of(keyword.value)
        return found

    def _of_call(self, node):
        name = _last_name(node.func)
        if name == "getattr" and len(node.args) > 1 and self._is_mark(node.args[0]):
            return _text(node.args[1])
        # pytest.mark refuses names with a leading underscore; a corpus then builds the mark itself.
        if name == "MarkDecorator" and node.args:
            return self.of(node.args[0])
        if name == "Mark" and node.args:
            return _text(node.args[0])
        return self.of(node.func)

    def _is_mark(self, node):
        if isinstance(node, ast.Name):
            return node.id in self.mark
        return isinstance(node, ast.Attribute) and node.attr == "mark" and self._is_pytest(node.value)

    def _is_param(self, node):
        if isinstance(node, ast.Name):
            return node.id in self.param
        return isinstance(node, ast.Attribute) and node.attr == "param" and self._is_pytest(node.value)

    def _is_pytest(self, node):
        return isinstance(node, ast.Name) and node.id in self.pytest


def _last_name(node):
    return getattr(node, "id", None) or getattr(node, "attr", None)


def _text(node):
    """A string literal that could name an operator, as a list of one; else an empty list."""
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return [node.value] if is_text and OPERATOR_ID.fullmatch(node.value) else []


def _statements(body):
    """The statements of a module or class, also those under if, try, with and for."""
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
            for field in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(node, field, []))
            for handler in getattr(node, "handlers", []):
                yield from _statements(handler.body)


def _assigned(node):
    """(name, value) of a plain assignment; nothing for any other statement."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        for target in targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value


def _op_names(node):
    """String literals given as op_name= inside a function, in the order of the text."""
    found = []
    for inner in ast.walk(node):
        if isinstance(inner, ast.keyword) and inner.arg == "op_name":
            found += [(inner.value.lineno, text) for text in _text(inner.value)]
    return [text for _, text in sorted(found)]


def _decorator_marks(node, marks):
    """(marks, marks of single parameters) of the decorators, the nearest first."""
    own, in_params = [], []
    for decorator in reversed(node.decorator_list):
        names = marks.of(decorator)
        own += names
        if "parametrize" in names:
            in_params += marks.of_params(decorator)
    return own, in_params


def _functions(body, marks, owner, inherited, find_op_names):
    found = {}  # a later definition of a name replaces the earlier one, as in Python
    for node in _statements(body):
        if isinstance(node, FUNCTIONS) and node.name.startswith("test"):
            own, in_params = _decorator_marks(node, marks)
            wanted = own + inherited[0] + in_params + inherited[1]
            found[node.name] = [
                {
                    "name": node.name,
                    "class": owner,
                    "line": node.lineno,
                    "marks": list(dict.fromkeys(m for m in wanted if m not in BUILTIN)),
                    "op_names": _op_names(node) if find_op_names else [],
                }
            ]
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            own, in_params = _decorator_marks(node, marks)
            own += _pytestmark(node.body, marks)
            path = owner + "::" + node.name if owner else node.name
            down = (own + inherited[0], in_params + inherited[1])
            found[node.name] = _functions(node.body, marks, path, down, find_op_names)
    return [function for functions in found.values() for function in functions]


def _pytestmark(body, marks):
    found = []
    for node in _statements(body):
        for name, value in _assigned(node):
            if name == "pytestmark":
                found = marks.of(value)
    return found


def index_source(source):
    return index_tree(ast.parse(source), b"op_name" in source)


def index_tree(tree, find_op_names):
    marks = Marks()
    for node in _statements(tree.body):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            marks.learn_import(node)
        for name, value in _assigned(node):
            marks.learn_assignment(name, value)
    module = (_pytestmark(tree.body, marks), [])
    return _functions(tree.body, marks, "", module, find_op_names)


def index_file(root, path):
    try:
        with open(os.path.join(root, path), "rb") as stream:
            return {"file": path, "functions": index_source(stream.read())}
    except SyntaxError as error:  # also an encoding that does not hold
        problem = {"line": error.lineno or 0, "message": error.msg}
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        problem = {"line": 0, "message": "%s: %s" % (type(error).__name__, error)}
    problem["message"] = problem["message"].encode("utf-8", "replace").decode()
    return {"file": path, "error": problem}


def index_share(root, files, out):
    lines = [json.dumps(index_file(root, path)) for path in files]
    out.write("".join(line + "\n" for line in lines))
    out.flush()


def start_worker(root, files):
    """Forks one helper; returns the stream on which it answers when it is done."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            os.close(reader)
            with os.fdopen(writer, "w") as out:
                index_share(root, files, out)
        finally:
            os._exit(0)  # never back into the caller; what is not answered shows there
    os.close(writer)
    return os.fdopen(reader)


def main(arguments):
    if sys.version_info < (3, 8):
        sys.exit("needs Python 3.8 or newer, this is %d.%d" % sys.version_info[:2])
    gc.disable()  # a third of the time, and nothing here lives long
    warnings.simplefilter("ignore")  # the corpus' invalid escapes are not ours to report
    with os.fdopen(int(arguments[0]) if arguments else 0) as stream:
        request = json.load(stream)
    root, files = request["root"], request["files"]
    count = min(len(os.sched_getaffinity(0)), MOST_WORKERS, 1 + len(files) // FILES_PER_WORKER)
    helpers = [start_worker(root, files[n::count]) for n in range(1, count)]
    index_share(root, files[::count], sys.stdout)
    for helper in helpers:
        sys.stdout.write(helper.read())
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
