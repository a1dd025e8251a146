"""SE1, DN1, MK1, OP1, GM1: what goes wrong between a file and the run that collects it."""

import ast
import posixpath

from corpus import TEST_FOLDERS
from finding import ERROR, NOTE, WARNING, finding, listed
from source import FUNCTIONS, dotted, literal_text, walk_import_time

INTERPRETER_STATE = ("sys.path", "sys.modules", "sys.meta_path", "sys.path_hooks")
CHANGERS = ("insert", "append", "extend", "remove", "pop", "clear", "update", "setdefault")
MACHINE_PATHS = ("/tmp/", "/home/", "/Users/", "/mnt/")


def check_import_effects(context, source):
    lines, what, first = [], [], None
    for node in walk_import_time(source.tree):
        changed = _changed(node)
        if changed:
            first = first or node
            lines.append(node.lineno)
            what.append(changed)
        text = literal_text(node)
        if text and text.startswith(MACHINE_PATHS) and "\n" not in text:
            first = first or node
            lines.append(node.lineno)
            what.append("the path " + text)
    if lines:
        yield finding("SE1", ERROR, source.path, min(lines),
                      "importing the file changes or names %s (lines %s): every file collected after it sees "
                      "that, so that a run of the folder is not a run of its files" % (
                          listed(sorted(set(what)), 5), ", ".join(str(line) for line in sorted(set(lines)))),
                      "move it into a fixture that puts it back, or remove it", context.reaching(source, first))


def _changed(node):
    """The interpreter's state that a statement changes, or None."""
    targets = []
    if isinstance(node, (ast.Assign, ast.Delete)):
        targets = node.targets
    elif isinstance(node, ast.AugAssign):
        targets = [node.target]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGERS:
        targets = [node.func.value]
    for target in targets:
        name = dotted(target.value if isinstance(target, ast.Subscript) else target)
        if name in INTERPRETER_STATE:
            return name
    return None


def check_module_names(context):
    """Two test files of one name, neither in a package: Python imports only the first."""
    found = {}
    for path in context.corpus.paths:
        folder, name = posixpath.split(path)
        is_test = name.startswith("test_") and name.endswith(".py") and path.split("/")[0] in TEST_FOLDERS
        if is_test and folder + "/__init__.py" not in context.corpus.files:
            found.setdefault(name, []).append(path)
    for paths in found.values():
        for path in paths[1:]:
            yield finding("DN1", WARNING, path, 1,
                          "has the name of %s, and neither lies in a package: collected together, pytest stops "
                          "with 'import file mismatch'" % paths[0],
                          "put an __init__.py into both folders, or rename one file")


def check_marks(context, source):
    """MK1 and OP1."""
    if not context.facts.operators:
        return
    for function in context.functions(source):
        test = source.test_named(function["name"])
        if not function["marks"]:
            yield finding("MK1", WARNING, source.path, function["line"],
                          "%s has no operator's mark: -m selects it never, and its numbers belong to no operator"
                          % function["name"], "add @pytest.mark.<operator>",
                          context.vendors_of(source, test) if test else None)
        names = function["op_names"] + (_backward_names(source, test) if test else [])
        if function["op_names"] and function["marks"] and not set(names) & set(function["marks"]):
            yield finding("OP1", NOTE, source.path, _line_of_name(test, names[0]) or function["line"],
                          "op_name is %s and the mark is %s: the numbers are kept under one name and the result "
                          "under another" % (listed(sorted(set(function["op_names"])), 3), listed(function["marks"], 3)),
                          "use one name for both", context.vendors_of(source, test) if test else None)


def _backward_names(source, test):
    """The base class of the benchmarks appends _backward itself where is_backward is given."""
    for node in source.inside(test[0]):
        if isinstance(node, ast.Call):
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            name = literal_text(given.get("op_name"))
            if name and getattr(given.get("is_backward"), "value", False) is True:
                return [name if "_backward" in name else name + "_backward"]
    return []


def _line_of_name(test, name):
    for node in ast.walk(test[0]) if test else ():
        if isinstance(node, ast.keyword) and node.arg == "op_name" and literal_text(node.value) == name:
            return node.value.lineno
    return None


def check_global_mode(context, source):
    """The shared Config is set and stays so: the other tests of the process run differently."""
    seen = set()
    for node in source.of(ast.Assign):
        for target in node.targets:
            name = dotted(target)
            if name.split(".")[-2:-1] != ["Config"] or _is_put_back(source, node, name):
                continue
            function = next((one for one in source.ancestors(node) if isinstance(one, FUNCTIONS)), None)
            if (name, function) in seen:
                continue
            seen.add((name, function))
            yield finding("GM1", WARNING, source.path, node,
                          "%s sets %s for all tests of the process and never puts it back: their numbers depend "
                          "on which files are collected with them, and in which order" % (
                              "importing the file" if function is None else function.name, name),
                          "set it with monkeypatch.setattr in the test, or put it back in a finally",
                          context.reaching(source, node))


def _is_put_back(source, node, name):
    """Is it set again in the `finally` of a `try` in the same function?"""
    for above in source.ancestors(node):
        if isinstance(above, FUNCTIONS):
            return any(dotted(target) == name for one in source.inside(above) if isinstance(one, ast.Try)
                       for last in one.finalbody if isinstance(last, ast.Assign) for target in last.targets)
    return False
