import pytest

missing = pytest.importorskip("zl_module_that_is_nowhere")


@pytest.mark.needs_missing
def test_needs_missing():
    missing.run()
