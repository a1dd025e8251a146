"""What a rule reports."""

ERROR, WARNING, NOTE = "error", "warning", "note"


def finding(rule, level, path, node, message, fix, vendors=None, **more):
    """`node`: an ast node or a line number. `vendors`: those that see it; None: whichever vendor."""
    line = node if isinstance(node, int) else node.lineno
    result = {"rule": rule, "level": level, "file": path, "line": line, "message": message, "fix": fix}
    if vendors is not None:
        result["vendors"] = list(vendors)
    result.update(more)
    return result


def listed(names, most=8):
    """"a, b and 3 more"."""
    names = list(names)
    if len(names) <= most:
        return ", ".join(names)
    return "%s and %d more" % (", ".join(names[:most]), len(names) - most)


def counted(number, what):
    return "%d %s%s" % (number, what, "" if number == 1 else "s")
