import pytest


def pytest_addoption(parser):
    parser.addoption("--quick", action="store_true", default=False)


@pytest.fixture
def dtype():
    import torch

    return torch.float32
