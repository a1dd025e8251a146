"""One package per vendor, `_<vendor>`, with its descriptor and its operators."""

import importlib
import pathlib
import sys

FOLDER = str(pathlib.Path(__file__).parent)


def descriptor_of(vendor):
    """Imported under its bare name, as the library does for its own vendor."""
    if FOLDER not in sys.path:
        sys.path.append(FOLDER)
    return importlib.import_module("_" + vendor).vendor_info
