"""What the corpus says of itself: vendors, registered operators, exports, tuned configurations."""

import ast
import os
import posixpath
import re

from corpus import PACKAGE_PARENT
from guards import PACKAGE, World
from source import assigned, bound_names, dotted, last_name, literal_text, statements

ROOT = PACKAGE_PARENT + "/" + PACKAGE
BACKENDS = ROOT + "/runtime/backend"
UNUSED = "CUSTOMIZED_UNUSED_OPS"
TUNED_FILE = "tune_configs.yaml"
TOP_LEVEL_KEY = re.compile(rb"^[\"']?([A-Za-z_][\w.\-]*)[\"']?\s*:", re.MULTILINE)
MOST_YAML_BYTES = 4 << 20


class Facts:
    def __init__(self, corpus, operators):
        self.corpus = corpus
        self.operators = operators  # id -> names of its `for` list
        self.worlds = dict(sorted(self._vendors()))  # vendor -> World
        self.exports = self._exports()  # name -> the function's own name
        self.registered = self._registered()  # aten key -> name of the function registered for it
        self.registered_bases = frozenset(key.split(".")[0] for key in self.registered)
        self.registered_plain = {}  # with a.b written a_b, as marks are: names of all functions
        for key, function in self.registered.items():
            self.registered_plain.setdefault(key.replace(".", "_"), set()).add(function)
        self.added = {vendor: frozenset(self._added(vendor)) for vendor in self.worlds}
        self._tuned = {}
        self._tuned_in = {}
        self.default_vendor = self._default_vendor()

    @property
    def vendors(self):
        return list(self.worlds)

    # --- vendors

    def _vendors(self):
        pattern = re.compile(re.escape(BACKENDS) + r"/_(\w+)/__init__\.py")
        for path in self.corpus.paths:
            match = pattern.fullmatch(path)
            source = self.corpus.source(path) if match else None
            if not source:
                continue
            for node in source.of(ast.Call):
                if last_name(node.func) == "VendorDescriptor":
                    vendor, device = _descriptor(node)
                    if vendor and device:
                        yield vendor, World(vendor, device)

    def vendor_folder(self, vendor):
        return BACKENDS + "/_" + vendor

    def vendor_file(self, vendor):
        return self.vendor_folder(vendor) + "/__init__.py"

    def owner_of(self, path):
        """The vendor under whose folder a file lies, or None."""
        if not path.startswith(BACKENDS + "/_"):
            return None
        vendor = path[len(BACKENDS) + 2:].split("/")[0]
        return vendor if vendor in self.worlds else None

    def is_shared_device(self, device):
        return sum(world.device == device for world in self.worlds.values()) > 1

    # --- the package's names

    def _exports(self):
        names = {}
        for folder in ("ops", "fused"):
            source = self.corpus.source("%s/%s/__init__.py" % (ROOT, folder))
            for node in statements(source.tree.body) if source else ():
                if isinstance(node, ast.ImportFrom):
                    for alias in node.names:
                        names[alias.asname or alias.name] = alias.name
                elif isinstance(node, ast.FunctionDef):
                    names[node.name] = node.name
        return names

    def _registered(self):
        source = self.corpus.source(ROOT + "/__init__.py")
        own = dict(self.exports)
        found = {}
        for node in statements(source.tree.body) if source else ():
            if isinstance(node, ast.ImportFrom):
                own.update((name, alias.name) for name, alias in zip(bound_names(node), node.names))
            for name, value in assigned(node):
                if name == "_FULL_CONFIG" and isinstance(value, (ast.Tuple, ast.List)):
                    found.update(_entries(value, own))
        return found

    def _added(self, vendor):
        """Operators that a vendor's package registers beside the common ones: ("name", function)."""
        source = self.corpus.source(self.vendor_file(vendor))
        for node in source.of(ast.Tuple, ast.List) if source else ():
            for key, _ in _entries(node, {}):
                yield key.replace(".", "_")

    def functions_of(self, operator):
        """The functions registered for an operator's names in the catalogue."""
        names = {name.replace(".", "_") for name in [operator, *self.operators.get(operator, [])]}
        return frozenset().union(*[self.registered_plain.get(name, ()) for name in names])

    def unused(self, vendor):
        """[(path, statement, names)] of the vendor's CUSTOMIZED_UNUSED_OPS, one a branch."""
        path = self.vendor_file(vendor)
        source = self.corpus.source(path)
        for node in statements(source.tree.body) if source else ():
            for name, value in assigned(node):
                if name == UNUSED and isinstance(value, (ast.Tuple, ast.List, ast.Set)):
                    yield path, node, [literal_text(item) for item in value.elts if literal_text(item)]

    # --- tuned configurations

    def tuned_keys(self, folder):
        """The keys of a folder's tune_configs.yaml, read as text: the standard library has no YAML."""
        if folder not in self._tuned:
            path = folder + "/" + TUNED_FILE
            keys = frozenset()
            if path in self.corpus.files:
                try:
                    with open(os.path.join(self.corpus.root, path), "rb") as stream:
                        text = stream.read(MOST_YAML_BYTES)
                    keys = frozenset(key.decode() for key in TOP_LEVEL_KEY.findall(text))
                except OSError as error:
                    self.corpus.problems[path] = (1, str(error))
            self._tuned[folder] = keys
        return self._tuned[folder]

    def arch_folders(self, vendor):
        """Folders of the vendor that hold configurations of one architecture."""
        own = self.vendor_folder(vendor)
        found = [posixpath.dirname(path) for path in self.corpus.paths
                 if path.startswith(own + "/") and path.endswith("/" + TUNED_FILE)]
        return [folder for folder in found if folder != own]

    def tuned_in(self, vendor):
        """Every key that a device of the vendor may find."""
        if vendor not in self._tuned_in:
            folders = [self.vendor_folder(vendor)] + self.arch_folders(vendor)
            if self.default_vendor:
                folders.append(self.vendor_folder(self.default_vendor))
            self._tuned_in[vendor] = frozenset().union(*[self.tuned_keys(folder) for folder in folders])
        return self._tuned_in[vendor]

    def _default_vendor(self):
        """Whose configurations everybody falls back to: get_default_tune_config names it."""
        source = self.corpus.source(ROOT + "/runtime/configs_loader.py")
        for node in source.of(ast.FunctionDef) if source else ():
            if node.name == "get_default_tune_config":
                for inner in source.inside(node):
                    if isinstance(inner, ast.Call) and inner.args:
                        vendor = literal_text(inner.args[0])
                        if vendor in self.worlds:
                            return vendor
        return None

    def is_vendor_path(self, part):
        return part.startswith("_") and part[1:] in self.worlds


def _descriptor(call):
    values = {keyword.arg: literal_text(keyword.value) for keyword in call.keywords}
    for name, argument in zip(("vendor_name", "device_name"), call.args):
        values[name] = literal_text(argument)
    return values.get("vendor_name"), values.get("device_name")


def _entries(table, own):
    for entry in table.elts:
        if isinstance(entry, ast.Tuple) and len(entry.elts) > 1:
            key, function = literal_text(entry.elts[0]), dotted(entry.elts[1])
            if key and function:
                yield key, own.get(function, function.split(".")[-1])
