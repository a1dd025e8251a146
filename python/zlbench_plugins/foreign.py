"""Vendor modules of other vendors among what is loaded."""

_BACKENDS = ["flag_gems", "runtime", "backend"]


def foreign_vendors(module_names, known_vendors, active):
    """Vendors whose modules are loaded although another one is active. A vendor's module root is a
    whole segment `_vendor`: the first one (the corpus puts its backends on sys.path), or the one
    below the corpus' backend package."""
    roots = {_root(name.split(".")) for name in module_names}
    return sorted(v for v in set(known_vendors) if v != active and "_" + v in roots)


def _root(segments):
    inside = segments[:3] == _BACKENDS and len(segments) > 3
    return segments[3] if inside else segments[0]


def descriptor_device(modules, vendor):
    """The torch device word in the descriptor of the vendor's package, if that much is loaded."""
    for name in ("_" + vendor, ".".join([*_BACKENDS, "_" + vendor])):
        descriptor = getattr(modules.get(name), "vendor_info", None)
        word = getattr(descriptor, "device_name", None)
        if isinstance(word, str):
            return word
    return None
