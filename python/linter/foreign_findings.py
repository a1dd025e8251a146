"""FV1: an import of one vendor's code that other vendors reach. DI1: an import of a missing module."""

import ast
import posixpath
import re

from facts import BACKENDS
from finding import ERROR, NOTE, WARNING, counted, finding, listed
from foreign import IMPORTS, ForeignImport, find_sites, imported_modules
from guards import PACKAGE
from registry import TUNED_CALL


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
