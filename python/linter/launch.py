"""Makes the linter's other files importable from memory, then runs it.

The request (JSON, on the descriptor whose number is the first argument) carries their texts, so that
nothing has to lie on a disk: {"modules": {NAME: TEXT}, ...}; linter.py documents the rest.
"""

import importlib.util
import json
import os
import sys


class Embedded:
    """Finds modules among texts."""

    def __init__(self, texts):
        self.texts = texts

    def find_spec(self, name, path=None, target=None):
        if name in self.texts:
            return importlib.util.spec_from_loader(name, self)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        exec(compile(self.texts[name], name + ".py", "exec"), module.__dict__)


def launch(descriptor):
    if sys.version_info < (3, 8):
        sys.exit("needs Python 3.8 or newer, this is %d.%d" % sys.version_info[:2])
    with os.fdopen(descriptor, encoding="utf-8") as stream:
        request = json.load(stream)
    sys.meta_path.insert(0, Embedded(request["modules"]))
    import linter

    linter.run(request)


if __name__ == "__main__":
    launch(int(sys.argv[1]))
