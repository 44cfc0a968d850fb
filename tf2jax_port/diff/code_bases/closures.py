"""Distinguish functions without names of their own: lambdas, and functions that other functions create."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Mapping
from pathlib import Path
from types import CellType, CodeType, FunctionType
from typing import Any

from tf2jax_port.diff.code_bases.reached import codes_in


def ordinal_of(function: Any) -> int | None:
    """Return the position of a function among all functions of its file with the same qualified name, or `None`."""
    return ordinal_of_code(inspect.unwrap(function).__code__)


def ordinal_of_code(code: CodeType) -> int | None:
    """Return the same position for a code object."""
    try:
        alike = _alike(code.co_filename, code.co_qualname)
    except (OSError, SyntaxError, ValueError):
        return None
    for index, other in enumerate(alike):
        if other.co_firstlineno == code.co_firstlineno and other.co_code == code.co_code:
            return index
    return None


def function_at(
    module: str, name: str, ordinal: int, defaults: Any, free: Mapping[str, Any]
) -> Any:
    """Return the function of a port at the same position, with given values for its closure.

    Raises:
      LookupError: the port has no such function, or it uses names that the original does not.
    """
    home = importlib.import_module(module)
    alike = _alike(str(home.__file__), name)
    if ordinal >= len(alike):
        raise LookupError(f"the port has no {name}")
    code = alike[ordinal]
    lacking = [each for each in code.co_freevars if each not in free]
    if lacking:
        raise LookupError(
            f"{name} of the port uses `{lacking[0]}`, but the original does not use this name"
        )
    closure = tuple(CellType(free[each]) for each in code.co_freevars)
    args, kwargs = defaults
    made = FunctionType(code, vars(home), code.co_name, tuple(args) or None, closure)
    made.__kwdefaults__ = kwargs or None
    return made


@functools.cache
def _alike(file: str, name: str) -> list[CodeType]:
    """Return the functions of a file that have a qualified name, in their order."""
    code = compile(Path(file).read_bytes(), file, "exec", dont_inherit=True)
    return [each for each in codes_in(code) if each.co_qualname == name]
