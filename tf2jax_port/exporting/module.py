"""Collect the functions, helpers and constants of a module that is being written."""

from __future__ import annotations

import builtins
import dataclasses
import keyword
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from tf2jax_port.exporting import layout
from tf2jax_port.exporting.definitions import DEFINITIONS
from tf2jax_port.exporting.expressions import Expression
from tf2jax_port.importing.scope import Names

RESERVED = [
    "jax",
    "jnp",
    "lax",
    "np",
    "optax",
    "shims",
    "params",
    "state",
    "key",
    "keys",
    "functools",
    "pathlib",
    "loss_fn",
    "train_step",
    "optimizer",
    "opt_state",
    "load",
    "CONSTANTS",
    "gradients",
    "updates",
    "learning_rate",
]
_LARGEST_LITERAL = 32


@dataclasses.dataclass
class Function:
    """A function of the module, written once for all scopes with the same text.

    Args:
      text: the source, with tokens for its own name, for the names of called functions, and for arguments.
      scopes: the name scopes that it was written for.
      wanted: for each data argument the names that callers would give it.
      lines: the lines of the original program that it holds.
    """

    text: str
    scopes: list[str]
    wanted: list[list[str]]
    lines: list[Any]
    name: str = ""


class Module:
    """A module that is being written.

    Attributes:
      functions: the functions by number, each after the functions that it calls.
      helpers: the names of the helper functions that are used.
      constants: large arrays, by name.
      draws: for each random operation its path through `jax.random.split`.
      dynamic: whether sizes depend on data, so `shims.function` has to compile the functions.
      borrowed: names of operators of shims that the module calls.
    """

    def __init__(self) -> None:
        self.functions: list[Function] = []
        self.helpers: dict[str, None] = {}
        self.constants: dict[str, np.ndarray] = {}
        self.draws: dict[tuple[int, ...], Any] = {}
        self.borrowed: dict[str, None] = {}
        self.dynamic = False
        self.names = Names((*RESERVED, *dir(builtins), *keyword.kwlist, *DEFINITIONS))

    def helper(self, name: str) -> str:
        """Mark a helper function, and the helpers that it calls, as used; return its name."""
        for other in DEFINITIONS[name].needs:
            self.helper(other)
        self.helpers.setdefault(name)
        return name

    def constant(self, name: str, array: np.ndarray) -> Expression:
        """Return the expression of a constant array that is too large for a literal."""
        array = np.asarray(array)
        narrow = {"float64": "float32", "int64": "int32"}.get(str(array.dtype))
        array = array.astype(narrow) if narrow else array
        self.constants[name] = array
        return Expression(f"CONSTANTS[{name!r}]", dtype=str(array.dtype), shape=array.shape)

    def is_literal(self, array: np.ndarray) -> bool:
        """Return whether a constant is written as a literal."""
        return array.size <= _LARGEST_LITERAL

    def add(self, text: str, scope: str, wanted: list[str], lines: Iterable[Any]) -> int:
        """Add a function, unless one with the same text exists; return its number."""
        for number, known in enumerate(self.functions):
            if known.text == text:
                known.scopes.append(scope)
                for names, name in zip(known.wanted, wanted, strict=True):
                    names.append(name)
                return number
        self.functions.append(Function(text, [scope], [[w] for w in wanted], list(lines)))
        return len(self.functions) - 1

    # ---- names -----------------------------------------------------------------------------------

    def named_functions(self, *others: str) -> list[str]:
        """Choose the names of all functions and their arguments; return their sources.

        others: the sources of further functions, whose names for values are not used again.
        """
        texts = [*(f.text for f in self.functions), *others]
        code = re.sub(r"\"[^\"\n]*\"|#.*", "", "\n".join(texts))
        used = set(re.findall(r"[A-Za-z_]\w*", code))
        for function in self.functions:
            name = _function_name(function.scopes)
            is_taken = name in used or name in self.names.taken
            function.name = self.names.new(f"{name}_scope" if is_taken else name)
        return [self._finished(function) for function in self.functions]

    def finished(self, text: str) -> str:
        """Return a text with the names of the called functions."""
        return re.sub(r"_function_(\d+)_", lambda m: self.functions[int(m[1])].name, text)

    def _finished(self, function: Function) -> str:
        text = self.finished(function.text.replace("_this_function_", function.name))
        for i, wanted in enumerate(function.wanted):
            token = f"_argument_{i}_"
            chosen = _argument_name(wanted, i, len(function.wanted))
            used = set(re.findall(r"[A-Za-z_]\w*", text))
            number, name = 1, "inputs" if chosen == "x" and chosen in used else chosen
            while name in used or keyword.iskeyword(name) or name in DEFINITIONS:
                number += 1
                name = f"{chosen}_{number}"
            text = text.replace(token, name)
        head, rest = text.split("_docstring_", 1)
        head = " ".join(head.split()).replace("( ", "(").replace(", )", ")").replace(" )", ")")
        return "\n".join(layout.wrapped(head, 0)) + "\n_docstring_" + rest


def identifier(name: str) -> str:
    """Return a name as a Python identifier: `conv_maxpool_2` for `conv-maxpool-2`."""
    name = re.sub(r"\W+", "_", name).strip("_") or "value"
    name = name if name.isupper() and len(name) == 1 else name.lower()
    return f"n_{name}" if name[0].isdigit() or keyword.iskeyword(name) else name


def _function_name(scopes: list[str]) -> str:
    """Return the name of a function: the name of its scope, or the common part of the names of its scopes."""
    lasts = [identifier(scope.rpartition("/")[2]) for scope in scopes]
    if len(set(lasts)) == 1:
        return re.sub(r"_\d+$", "", lasts[0]) if len(lasts) > 1 else lasts[0]
    stems = {re.sub(r"_?\d+$", "", last) for last in lasts}
    if len(stems) == 1:
        return stems.pop() or lasts[0]
    words = [last.split("_") for last in lasts]
    shared = 0
    while all(len(w) > shared and w[-1 - shared] == words[0][-1 - shared] for w in words):
        shared += 1
    return "_".join(words[0][len(words[0]) - shared :]) if shared else lasts[0]


def _argument_name(wanted: list[str], place: int, count: int) -> str:
    if len(set(wanted)) == 1:
        return wanted[0]
    return "x" if count == 1 else ("x", "y", "z")[place] if place < 3 else f"x_{place}"
