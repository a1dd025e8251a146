import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True

from parent import Child  # noqa: E402


@pytest.fixture
def start(tmp_path):
    """Starts a child; it and its group are gone when the test ends."""
    children = []

    def started(*nodes, **options):
        children.append(Child(tmp_path, [f"benchmark/{n}" if "/" not in n else n for n in nodes],
                              **options))
        return children[-1]

    yield started
    for child in children:
        child.end()


@pytest.fixture
def run(start):
    """Starts a child and reads until its end."""

    def ran(*nodes, **options):
        child = start(*nodes, **options)
        child.status = child.finish()
        return child

    return ran
