"""Comments that silence a finding, each with a reason.

    x = f()  # zlbench: ignore[FV1] only built for that vendor
    # zlbench: ignore[SV1, CP1] on a line of its own: for the next line
    # zlbench: ignore-file[CU1] for the whole file
"""

import re

from finding import NOTE, WARNING, finding

COMMENT = re.compile(rb"#\s*zlbench:\s*(ignore(?:-file)?)\s*(\[([^\]\n]*)\])?[ \t]*:?[ \t]*([^\n]*)")
RULE = "SU1"


class Suppression:
    def __init__(self, line, rules, reason, is_file, covers):
        self.line = line
        self.rules = rules
        self.reason = reason
        self.is_file = is_file
        self.covers = covers  # lines
        self.is_used = False

    def matches(self, entry):
        return entry["rule"] in self.rules and (self.is_file or entry["line"] in self.covers)


def apply(path, data, findings, known_rules):
    """Marks the suppressed findings of a file; returns findings about the comments themselves."""
    if b"zlbench:" not in data:
        return []
    found, own = [], []
    lines = data.split(b"\n")
    for number, text in enumerate(lines, 1):
        match = COMMENT.search(text)
        if match and _is_comment(text, match.start()):
            own += _read(path, number, text, match, lines, found, known_rules)
    for entry in findings:
        for suppression in found:
            if suppression.matches(entry):
                suppression.is_used = True
                entry["suppressed"] = suppression.reason
    for suppression in found:
        if not suppression.is_used:
            own.append(finding(RULE, NOTE, path, suppression.line,
                               "the comment suppresses nothing: no finding of %s here"
                               % ", ".join(suppression.rules), "remove the comment"))
    return own


def _is_comment(text, start):
    """Not inside a string, as far as one line can tell."""
    before = text[:start]
    return before.count(b'"') % 2 == 0 and before.count(b"'") % 2 == 0


def _read(path, number, text, match, lines, found, known_rules):
    rules = [name.strip() for name in (match.group(3) or b"").decode("utf-8", "replace").split(",")]
    rules = [name for name in rules if name]
    reason = match.group(4).decode("utf-8", "replace").strip()
    unknown = [name for name in rules if name not in known_rules]
    if unknown or not rules:
        problem = "names no rule" if not rules else "names %s, which is no rule" % ", ".join(unknown)
        return [finding(RULE, WARNING, path, number, "the comment suppresses nothing: it " + problem,
                        "write # zlbench: ignore[RULE] why it is right here")]
    if not reason:
        return [finding(RULE, WARNING, path, number,
                        "the comment suppresses nothing: it gives no reason",
                        "write # zlbench: ignore[%s] why it is right here" % ", ".join(rules))]
    covers = {number}
    if not text[:match.start()].strip():
        following = number + 1  # further comment lines may stand between
        while following <= len(lines) and lines[following - 1].lstrip().startswith(b"#"):
            following += 1
        covers.add(following)
    found.append(Suppression(number, rules, reason, match.group(1) == b"ignore-file", covers))
    return []
