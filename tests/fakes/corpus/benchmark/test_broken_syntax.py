import pytest


@pytest.mark.broken_syntax
def test_broken_syntax(:
    pass
