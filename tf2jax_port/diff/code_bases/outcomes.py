"""Compare the result of a replayed call with the captured one."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

import numpy as np

from tf2jax_port.diff.code_bases.encoding import Node, leaf_nodes
from tf2jax_port.diff.code_bases.reached import Reached
from tf2jax_port.diff.vocabulary.numbers import number

_RELATIVE = {2: 1e-2, 4: 1e-4, 8: 1e-4}  # by the size of the real part; JAX computes in 32 bits


class Outcome(enum.StrEnum):
    """The outcome of a replayed call in one lane."""

    EQUAL = "equal"
    DIFFERENT = "different"
    ERROR = "error"
    RANDOM = "random"  # two calls of the port give two results
    NOT_REPLAYABLE = "not replayable"


class Replayed(NamedTuple):
    """The outcome of one call in one lane.

    Attributes:
      outcome: the outcome.
      detail: the reason if it is not equal, or the limits within which it is.
      place: the file and line of the port that raised, as `path:line`, if it is known.
      reached: the lines and branches of the port that an eager call reached, if they were measured.
    """

    outcome: Outcome
    detail: str = ""
    place: str = ""
    reached: Reached | None = None


def compare(
    expected: Node, found: Node, before: list[np.ndarray], after: list[np.ndarray]
) -> Replayed:
    """Compare two encoded results with their arrays."""
    old_leaves, new_leaves = leaves(expected, before), leaves(found, after)
    if len(old_leaves) != len(new_leaves):
        return Replayed(Outcome.DIFFERENT, f"{len(old_leaves)} values became {len(new_leaves)}")
    for index, (one, other) in enumerate(zip(old_leaves, new_leaves, strict=True)):
        why = difference(one, other)
        if why:
            return Replayed(Outcome.DIFFERENT, f"value {index}: {why}")
    return Replayed(Outcome.EQUAL)


def is_within_spread(wanted: list[Any], found: list[Any], others: list[list[Any]]) -> bool:
    """Return whether the port's result differs from the original's by at most twice its change for nudged arguments.

    Args:
      wanted: the leaves of the original's result.
      found: the leaves of the port's result.
      others: the leaves of the port's results for arguments that are one bit larger or smaller.
    """
    for index, (one, other) in enumerate(zip(wanted, found, strict=True)):
        if not difference(one, other):
            continue
        a, b = np.asarray(one), np.asarray(other)
        if a.shape != b.shape or a.dtype.kind not in "fc" or b.dtype.kind not in "fc":
            return False
        spreads = [np.max(np.abs(np.asarray(nudged[index]) - b), initial=0) for nudged in others]
        if not np.max(np.abs(a - b)) <= 2 * max(spreads):
            return False
    return True


def leaves(node: Node, arrays: list[np.ndarray]) -> list[Any]:
    """Return the values of an encoded result in order; numbers count as arrays without axes."""
    return [
        arrays[leaf["array"]] if "array" in leaf else leaf.get("value", leaf.get("name"))
        for leaf in leaf_nodes(node)
    ]


def difference(one: Any, other: Any) -> str:
    """Return how two leaves differ; empty if they do not."""
    if isinstance(one, str | None) or isinstance(other, str | None):
        return "" if one == other else f"{one!r} became {other!r}"
    a, b = np.asarray(one), np.asarray(other)
    if a.shape != b.shape:
        return f"shape {a.shape} became {b.shape}"
    kinds = a.dtype.kind.replace("u", "i"), b.dtype.kind.replace("u", "i")
    if kinds[0] != kinds[1]:
        return f"{a.dtype} became {b.dtype}"
    if a.dtype.kind in "biu":
        return "" if np.array_equal(a, b) else _worst(a.astype(float), b.astype(float))
    size = min(a.dtype.itemsize, b.dtype.itemsize) // (2 if kinds[0] == "c" else 1)
    relative = _RELATIVE[min(size, 8)]
    finite = np.abs(a[np.isfinite(a)])
    absolute = relative * 0.1 * float(finite.max(initial=0.0))
    if np.allclose(b, a, rtol=relative, atol=max(absolute, 1e-6), equal_nan=True):
        return ""
    return _worst(a, b)


def _worst(a: np.ndarray, b: np.ndarray) -> str:
    with np.errstate(all="ignore"):
        place = int(np.argmax(np.where(a == b, 0.0, np.nan_to_num(np.abs(a - b), nan=np.inf))))
    old, new = number(a.reshape(-1)[place].item()), number(b.reshape(-1)[place].item())
    return f"{old} became {new}" + (f", at element {place} of {a.size}" if a.size > 1 else "")
