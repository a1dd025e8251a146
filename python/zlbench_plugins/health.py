"""Whether a device still works: `python -m zlbench_plugins.health WORD [MODULE]` makes values on
torch.WORD, calculates, and reads them back. Ends with 0 when all is well; the last line says what
is not."""

import importlib
import sys


def check(word, *modules):
    torch = importlib.import_module("torch")
    for name in modules:
        importlib.import_module(name)
    values = torch.ones(1024, device=word) + 1
    getattr(torch, word).synchronize()
    total = float(values.sum())
    if total != 2048:
        raise ArithmeticError(f"1024 times 2 gave {total} on torch.{word}")


if __name__ == "__main__":
    try:
        check(*sys.argv[1:])
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {' '.join(str(error).split())}")
