"""A stand-in for triton 3.6: kernels that are "compiled" once per specialisation, the knobs with
their hooks, and the timer that both the corpus and its tuner take from triton.testing."""

from . import backends, compiler, knobs, language, runtime, testing  # noqa: F401
from .runtime.jit import jit  # noqa: F401

__version__ = "3.6.0"
