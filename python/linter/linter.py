"""Static findings in a FlagGems corpus, from its syntax trees alone: nothing of it is imported.

Request: {"root", "files": [[PATH, BYTES]], "operators": {ID: [NAME]}, "rules": [ID], "modules"}.
Answer, one JSON object a line: findings (finding.py), {"foreign_import": {...}}, {"note": TEXT},
{"facts": {...}} and, last of all, {"done": true}.
"""

import gc
import io
import json
import os
import re
import sys
import warnings

import suppressions
from context import Context
from corpus import TEST_FOLDERS, Corpus
from facts import Facts
from finding import ERROR, finding
from rules import CORPUS_RULES, FILE_RULES, LAST_RULES

FILES_PER_WORKER = 60
MOST_WORKERS = 8
TOO_LONG_BYTES = 4 << 20
SHARE_DONE = '{"share": true}'


class Linter:
    def __init__(self, request):
        sizes = {path: size for path, size in request["files"]}
        self.sizes = {path: size for path, size in sizes.items() if size <= TOO_LONG_BYTES}
        self.too_long = sorted(set(sizes) - set(self.sizes))
        self.corpus = Corpus(request["root"], sorted(self.sizes))
        self.known_rules = frozenset(request["rules"])
        self.context = Context(self.corpus, Facts(self.corpus, request["operators"]))
        self.rules = [(check, folders, self._trigger(trigger)) for check, folders, trigger in FILE_RULES]
        self.last = {self.context.facts.vendor_file(vendor) for vendor in self.context.facts.vendors}

    def _trigger(self, trigger):
        """(path, bytes) -> whether the rule is worth asking."""
        if callable(trigger):
            return lambda path, data: trigger(self.context, path, data)
        vendors = "|".join(re.escape(vendor) for vendor in self.context.facts.vendors) or "(?!)"
        pattern = re.compile(trigger.replace(b"VENDOR", ("(?:%s)" % vendors).encode()))
        return lambda path, data: pattern.search(data)

    def describe(self):
        facts = {"vendors": self.context.facts.vendors, "files": len(self.corpus.paths)}
        notes = ["%s: left out, it is longer than %d MiB" % (path, TOO_LONG_BYTES >> 20)
                 for path in self.too_long]
        if not self.context.facts.worlds:
            notes.append("no VendorDescriptor below src/flag_gems/runtime/backend: the rules about "
                         "vendors have nothing to go by")
        return [{"note": note} for note in notes] + [{"facts": facts}]

    def whole_corpus(self, rules, *more):
        """{file: findings} of rules that look at no single file."""
        by_file = {}
        for check in rules:
            for entry in check(self.context, *more):
                by_file.setdefault(entry["file"], []).append(entry)
        return by_file

    def lint_files(self, paths, by_file, out):
        for path in paths:
            write(out, self.lint_file(path, by_file.get(path, [])))
            self.corpus.forget(path)
            self.context.forget()

    def lint_file(self, path, findings):
        if not path.endswith(".py"):
            return findings
        try:
            with open(os.path.join(self.corpus.root, path), "rb") as stream:
                data = stream.read()
        except OSError as error:
            return findings + [unreadable(path, (1, error.strerror))]
        is_test = path.split("/")[0] in TEST_FOLDERS
        checks = [check for check, folders, trigger in self.rules
                  if path.startswith(folders) and trigger(path, data)]
        if checks or is_test:
            source = self.corpus.source(path, data)
            if source is None:
                return findings + [unreadable(path, self.corpus.problems[path])]
            findings = findings + [entry for check in checks for entry in self._ask(check, source)]
        found = [entry for entry in findings if "rule" in entry]
        return findings + suppressions.apply(path, data, found, self.known_rules)

    def _ask(self, check, source):
        """The rule's answers; a file on which it breaks costs that rule there, and a note says so."""
        try:
            return list(check(self.context, source))
        except Exception as error:  # nested too deeply, or a fault of ours
            return [{"note": "%s: %s gave up: %s" % (source.path, check.__name__, type(error).__name__)}]


def unreadable(path, problem):
    line, message = problem
    return finding("PY1", ERROR, path, line, "cannot be read as Python: %s; pytest stops at it, and "
                   "none of its tests is known" % message, "correct the file, or take it out of the corpus")


def write(out, entries):
    for entry in entries:
        text = json.dumps(entry)
        out.write(text + "\n")


def start_worker(work):
    """Forks one worker; returns the stream on which it answers when it is done."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            os.close(reader)
            answer = io.StringIO()  # a pipe would fill up and stop the work until it is read
            work(answer)
            with os.fdopen(writer, "w") as out:
                out.write(answer.getvalue() + SHARE_DONE + "\n")
        finally:
            os._exit(0)  # never back into the caller; what is not answered shows there
    os.close(writer)
    return os.fdopen(reader)


def shares(sizes, count):
    """The files in `count` lists of about the same number of bytes."""
    lists, loads = [[] for _ in range(count)], [0] * count
    for path in sorted(sizes, key=lambda path: (-sizes[path], path)):
        least = loads.index(min(loads))
        lists[least].append(path)
        loads[least] += sizes[path] + 2000
    return lists


def run(request):
    gc.disable()  # a third of the time, and nothing here lives long
    warnings.simplefilter("ignore")  # the corpus' invalid escapes are not ours to report
    sys.setrecursionlimit(5000)
    linter = Linter(request)
    sizes = {path: size for path, size in linter.sizes.items() if path not in linter.last}
    count = min(len(os.sched_getaffinity(0)), MOST_WORKERS, 1 + len(sizes) // FILES_PER_WORKER)
    parts = shares(sizes, count)
    by_file = linter.whole_corpus(CORPUS_RULES)
    workers = [start_worker(lambda out, part=part: linter.lint_files(part, by_file, out))
               for part in parts[1:]]
    own = io.StringIO()
    linter.lint_files(parts[0], by_file, own)
    lines = own.getvalue().splitlines()
    is_whole = True
    for worker in workers:
        answered = worker.read().splitlines()
        is_whole = is_whole and answered[-1:] == [SHARE_DONE]
        lines += answered[:-1]
    # What all files together say, and then the vendors' files, to which that belongs.
    reliance = [json.loads(line) for line in lines if line.startswith('{"reliance"')]
    lines = [line for line in lines if not line.startswith('{"reliance"')]
    for path, found in linter.whole_corpus(LAST_RULES, reliance).items():
        by_file.setdefault(path, []).extend(found)
    sys.stdout.write("".join(line + "\n" for line in lines))
    linter.lint_files(sorted(linter.last), by_file, sys.stdout)
    write(sys.stdout, linter.describe() + ([{"done": True}] if is_whole else []))
    sys.stdout.flush()
