"""The corpus as the rules see it: its files, modules by name, and module scopes under a vendor."""

import posixpath

import source
from guards import PACKAGE, UNKNOWN, ModuleRef, Scope

PACKAGE_PARENT = "src"
TEST_FOLDERS = ("benchmark", "tests")


class Corpus:
    def __init__(self, root, paths):
        self.root = root
        self.paths = paths
        self.files = frozenset(paths)
        self.folders = frozenset(
            path[:end] for path in paths for end, letter in enumerate(path) if letter == "/")
        self.problems = {}  # path -> (line, message) of files that cannot be read or parsed
        self._sources = {}
        self._scopes = {}

    def source(self, path, data=None):
        """The parsed file, or None; then `problems` says why. `data`: its bytes, where known."""
        if path not in self._sources:
            self._sources[path] = self._load(path, data) if path in self.files else None
        return self._sources[path]

    def _load(self, path, data):
        try:
            return source.load(self.root, path) if data is None else source.Source(path, data)
        except SyntaxError as error:  # also an encoding that does not hold
            problem = (error.lineno or 1, error.msg)
        except (OSError, ValueError, RecursionError, MemoryError) as error:
            problem = (1, "%s: %s" % (type(error).__name__, error))
        self.problems[path] = problem
        return None

    def forget(self, path):
        """Frees the tree; modules that others import are read again when asked for."""
        self._sources.pop(path, None)

    # --- modules by name

    def path_of(self, module):
        """The file of a dotted module name, or None: "benchmark.base" -> "benchmark/base.py"."""
        stem = module.replace(".", "/")
        if module == PACKAGE or module.startswith(PACKAGE + "."):
            stem = PACKAGE_PARENT + "/" + stem
        for path in (stem + ".py", stem + "/__init__.py"):
            if path in self.files:
                return path
        return None

    def has_module(self, module):
        stem = PACKAGE_PARENT + "/" + module.replace(".", "/")
        return self.path_of(module) is not None or stem in self.folders

    def absolute(self, path, module, level):
        """The dotted name that an import in `path` means."""
        folder = posixpath.dirname(path)
        if level == 0:
            beside = folder.replace("/", ".") + "." + module if folder else module
            is_ours = not module.startswith(PACKAGE) and self.path_of(module) is None
            return beside if is_ours and self.path_of(beside) else module
        for _ in range(level - 1):
            folder = posixpath.dirname(folder)
        if folder.startswith(PACKAGE_PARENT + "/"):
            folder = folder[len(PACKAGE_PARENT) + 1:]
        return ".".join(part for part in (folder.replace("/", "."), module) if part)

    def member(self, module, name, world):
        """What a name of a module stands for. The package itself is never evaluated, only its tests."""
        path = self.path_of(module)
        if path and path.startswith(tuple(folder + "/" for folder in TEST_FOLDERS)):
            scope = self.scope(path, world)
            if scope and name in scope.names:
                return scope.names[name]
        whole = module + "." + name
        is_module = self.path_of(whole) is not None or self.has_module(whole)
        return ModuleRef(whole) if is_module else UNKNOWN

    def scope(self, path, world):
        """The module's names after its import; None while it is being evaluated or unreadable."""
        key = (path, world)
        if key not in self._scopes:
            self._scopes[key] = None
            parsed = self.source(path)
            if parsed:
                scope = Scope(self, world, path)
                scope.run(parsed.tree.body)
                self._scopes[key] = scope
        return self._scopes[key]
