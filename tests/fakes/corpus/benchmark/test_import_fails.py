import pytest

try:
    import zl_module_that_is_nowhere  # noqa: F401
except ImportError as error:
    raise RuntimeError("this benchmark cannot go on") from error


@pytest.mark.import_fails
def test_import_fails():
    pass
