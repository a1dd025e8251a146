"""Whether a device still works: `python -m zlbench_plugins.health WORD [MODULE]` makes values on
torch.WORD, calculates, and reads them back. Ends with 0 when all is well, and when it cannot ask,
which says nothing of the device; the last line says what is not."""

import importlib
import sys


def main(word, *modules):
    try:
        torch = importlib.import_module("torch")
    except Exception as error:
        return print(f"torch cannot be imported, nothing was asked: {_told(error)}")
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception as error:  # some versions of torch need none
            print(f"{name} cannot be imported: {_told(error)}")
    if not hasattr(torch, word):
        return print(f"torch has no {word}, nothing was asked")
    try:
        _check(torch, word)
    except Exception as error:
        sys.exit(_told(error))


def _check(torch, word):
    values = torch.ones(1024, device=word) + 1
    getattr(torch, word).synchronize()
    total = float(values.sum())
    if total != 2048:
        raise ArithmeticError(f"1024 times 2 gave {total} on torch.{word}")


def _told(error):
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


if __name__ == "__main__":
    main(*sys.argv[1:])
