"""Choose the names of values: names of the original program, or names derived from operations."""

from __future__ import annotations

from typing import Any

from tf2jax_port.exporting.module import identifier
from tf2jax_port.exporting.original import statement_of
from tf2jax_port.exporting.step import Version

# Parts of names of operations that say nothing about a value.
_SAY_NOTHING = (
    *("tensorarraygatherv", "tensorarraystack", "tensorarrayreadv", "tensorliststack"),
    "merge",
    "switch",
    "cond",
    "identity",
    "value",
    "while",
    "exit",
    "loopcond",
)
_PLAIN_NAMES = {"truediv": "quotient", "mul": "product", "sub": "difference", "add": "total"}


def wanted_name(key: Any, index: int = 0, count: int = 1, is_last: bool = True) -> str:
    """Return the name that the original gives to a value, or one after its operation.

    is_last: whether it is the result of a statement of the original, and not a part of it.
    """
    if isinstance(key, Version):
        return identifier(key.variable.op.name.rpartition("/")[2])
    op = key.op
    frames = op.attributes.get("statements") or [statement_of(op)]
    for statement in frames if is_last else ():
        if statement is None:
            continue
        targets = statement.targets
        if len(targets) == 1 and count == 1:
            return _safe(targets[0])
        if len(targets) > 1 and len(targets) == len(op.outputs) > key.value_index:
            return _safe(targets[key.value_index])
        if not statement.is_return:
            break
    parts = [identifier(part).rstrip("0123456789").rstrip("_") for part in op.name.split("/")]
    named = [p for p in parts if p and p not in _SAY_NOTHING]
    stem = named[-1] if named else "value"
    return _PLAIN_NAMES.get(stem, stem)


def is_named(op: Any) -> bool:
    """Return whether the original assigns what an operation computes to a name."""
    for statement in op.attributes.get("statements") or [statement_of(op)]:
        if statement is None or statement.targets:
            return statement is not None
        if not statement.is_return:
            return False
    return False


def _safe(name: str) -> str:
    return identifier(name) if name != "_" else "value"
