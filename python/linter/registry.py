"""TC1, NR1, IC1: tables of the package that name operators and tuned configurations."""

import ast
import io
import re
import tokenize

from facts import BACKENDS, TUNED_FILE, UNUSED
from finding import ERROR, NOTE, counted, finding, listed
from source import assigned, last_name, literal_text, statements


TUNED_CALL = re.compile(rb"get_tuned_config\(\s*[\"']([\w.\-]+)[\"']")


def may_lack_keys(context, path, data):
    """Whether check_tuned_keys could find something: spares parsing all that have what they need."""
    keys = {key.decode() for key in TUNED_CALL.findall(data)}
    owner = context.facts.owner_of(path)
    return any(keys - context.facts.tuned_in(vendor)
               for vendor in ([owner] if owner else context.facts.vendors))


def check_tuned_keys(context, source):
    """A kernel whose tuned configuration a vendor does not have is tuned over nothing."""
    facts = context.facts
    if not facts.default_vendor:
        return
    owner = facts.owner_of(source.path)
    for node in source.of(ast.Call):
        if last_name(node.func) != "get_tuned_config" or not node.args:
            continue
        key = literal_text(node.args[0])
        if key is None:
            continue
        lacking = [vendor for vendor in ([owner] if owner else facts.vendors)
                   if key not in facts.tuned_in(vendor)]
        if lacking:
            yield finding("TC1", ERROR, source.path, node,
                          "no %s of %s has an entry %s: the list of configurations is empty, and the launch "
                          "fails with 'missing required positional arguments'" % (
                              TUNED_FILE, listed(lacking, 16), key),
                          "add %s to %s/_%s/%s" % (key, BACKENDS, facts.default_vendor, TUNED_FILE), lacking)


def note_reliance(context, source):
    """Which operators' benchmarks in this file give a FlagGems side, and which rely on registration."""
    marks = context.marks(source)
    for test in source.tests:
        own = [mark for mark in marks.get(test[0].lineno, []) if mark in context.facts.operators]
        if own:
            yield {"reliance": own, "has_gems_side": context.benchmark(source, test).has_gems_side()}


def check_unused(context, reliance):
    """NR1, from the `reliance` of every benchmark file: an operator of which no benchmark gives a side."""
    facts = context.facts
    given = {name for entry in reliance if entry["has_gems_side"] for name in entry["reliance"]}
    relying = {name for entry in reliance for name in entry["reliance"]} - given
    functions = {name: facts.functions_of(name) for name in relying}
    for vendor in facts.vendors:
        for path, node, names in facts.unused(vendor):
            hit = sorted(name for name in relying if functions[name] and functions[name] <= set(names))
            if hit:
                yield finding("NR1", NOTE, path, node,
                              "%s takes %s out of the registration whose benchmarks give no gems_op (%s): both "
                              "sides time the vendor's own operator, and the speedup is about 1" % (
                                  UNUSED, counted(len(hit), "operator"), listed(hit)),
                              "leave them out of a run with this vendor, or give gems_op in the benchmark",
                              [vendor], operators=hit)


def check_lost_commas(context):
    """IC1: "a" "b" in a list of names is one name, which nothing has."""
    for vendor in context.facts.vendors:
        path = context.facts.vendor_folder(vendor) + "/__init__.py"
        source = context.corpus.source(path)
        for node in statements(source.tree.body) if source else ():
            for name, value in assigned(node):
                if isinstance(value, (ast.Tuple, ast.List, ast.Set)):
                    for item in value.elts:
                        yield from _joined(source, vendor, name, item)


def _joined(source, vendor, name, item):
    text = literal_text(item)
    words = source.words(item) if text else ""
    if len(words) <= len(text or "") + 2:
        return  # nothing but the text and its quotes
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO("(" + words + ")").readline))
    except (tokenize.TokenError, SyntaxError):
        return
    parts = [token.string for token in tokens if token.type == tokenize.STRING]
    if len(parts) > 1:
        yield finding("IC1", ERROR, source.path, item,
                      "%s without a comma between them are one name, '%s', in %s: neither is in the list" % (
                          " ".join(parts), text, name), "put a comma between them", [vendor])
