"""Judge a result of a lane against the exact arrays."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

import shims

# From best to worst; a cell is as good as its worst call.
STATES = {
    "right": "the result for the exact arrays, or an error if the exact arrays raise an error",
    "refused": "an error with the user's line and a remedy",
    "nan": "NaN, although the exact arrays give a number",
    "no error": "a number, although the exact arrays raise an error",
    "unclear": "an error without the user's line or without a remedy",
    "stopped": "no result in time, or the process ended",
    "wrong": "another number, shape or dtype",
}
RANK = {state: i for i, state in enumerate(STATES)}


def judged(compute, reference, rows: bool, precise=None, others=()) -> tuple[str, str]:
    """Return the state of one call and the reason.

    Args:
      compute: makes the call.
      reference: the result or exception of the exact arrays.
      rows: whether results have rows, as under `vmap`.
      precise: computes the result of the exact arrays in float64. A result that differs from the reference is
        right if the rounding of the reference is no smaller.
      others: other ways to compute the reference. A number is right if one of them gives it, although the
        reference is an error.
    """
    try:
        result = _materialized(compute())
    except Exception as error:  # noqa: BLE001 - every exception of the engine is judged
        if isinstance(reference, Exception):
            return "right", ""
        return _of_error(error)
    if isinstance(reference, Exception):
        if _all_nan(result) or any(_gives(other, result, rows) for other in others):
            return "right", ""
        return "no error", f"{_short(reference)}; given: {_short(result)}"
    state, why = _compared(result, reference, rows)
    if state == "wrong" and precise and _is_as_accurate(result, reference, precise):
        return "right", ""
    return state, why


def _is_as_accurate(found: list[Any], reference: Any, precise) -> bool:
    """Return whether results are as near to those in float64 as the reference is, within a factor of 2."""
    right = jax.tree.leaves(reference)
    if [np.shape(x) for x in found] != [np.shape(x) for x in right]:
        return False

    def error(x, p):
        return np.max(np.abs(np.asarray(x, p.dtype) - p), initial=0.0)

    pairs = zip(found, right, map(np.asarray, jax.tree.leaves(precise())), strict=True)
    return all(error(f, p) <= 2 * error(r, p) for f, r, p in pairs)


def _gives(compute, found: list[Any], rows: bool) -> bool:
    """Return whether a computation gives a result."""
    try:
        return _compared(found, compute(), rows)[0] == "right"
    except Exception:  # noqa: BLE001 - every exception of JAX tells that it does not
        return False


def worst(states: list[str]) -> str:
    """Return the worst of several states."""
    return max(states, key=RANK.__getitem__)


def _materialized(result: Any) -> list[Any]:
    def value(x):
        if isinstance(x, shims.Padded):
            return x.unpad()
        return np.asarray(x) if isinstance(x, jax.Array) else x

    leaves = jax.tree.leaves(result, is_leaf=lambda x: isinstance(x, shims.Padded))
    return [value(leaf) for leaf in leaves]


def _of_error(error: Exception) -> tuple[str, str]:
    text = "\n".join([str(error), *getattr(error, "__notes__", ())])
    said = f"{type(error).__name__}: {text}"
    if "Do: " not in text or "At: " not in text:
        return "unclear", said[:1500]
    return "refused", said[:1500]


def _all_nan(leaves: list[Any]) -> bool:
    arrays = [np.asarray(x) for row in leaves for x in (row if isinstance(row, list) else [row])]
    numbers = [a for a in arrays if a.size]  # an array of no elements holds none
    return bool(numbers) and all(a.dtype.kind in "fc" and np.isnan(a).all() for a in numbers)


def _compared(result: list[Any], reference: Any, rows: bool) -> tuple[str, str]:
    if not rows:
        return _equal(result, jax.tree.leaves(reference))
    first, second = map(jax.tree.leaves, reference)
    states = [_equal([leaf[i] for leaf in result], row) for i, row in enumerate((first, second))]
    return max(states, key=lambda pair: RANK[pair[0]])


def _equal(found: list[Any], right: list[Any]) -> tuple[str, str]:
    if len(found) != len(right):
        return "wrong", f"{len(found)} results, right are {len(right)}"
    states = [_equal_leaf(f, r) for f, r in zip(found, right, strict=True)]
    return max(states, key=lambda pair: RANK[pair[0]], default=("right", ""))


def _equal_leaf(found: Any, right: Any) -> tuple[str, str]:
    if hasattr(right, "dtype") and str(right.dtype) != str(getattr(found, "dtype", right.dtype)):
        return "wrong", f"dtype {found.dtype}, right is {right.dtype}"
    f, r = np.asarray(found), np.asarray(right)
    if f.shape != r.shape:
        return "wrong", f"shape {f.shape}, right is {r.shape}: {_short(f)}, right is {_short(r)}"
    if r.dtype.kind not in "fciub":
        return ("right", "") if found == right else ("wrong", f"{found}, right is {right}")
    if _close(f, r):
        return "right", ""
    if f.dtype.kind in "fc" and np.isnan(f).any() and _close(np.where(np.isnan(f), r, f), r):
        return "nan", f"NaN, right is {_short(r)}"
    return "wrong", f"{_short(f)}, right is {_short(r)}"


def _close(f: np.ndarray, r: np.ndarray) -> bool:
    if r.dtype.kind not in "fc":
        return bool(np.array_equal(f, r))
    with np.errstate(all="ignore"):
        largest = np.abs(r[np.isfinite(r)]).max(initial=0.0)
        return bool(np.allclose(f, r, rtol=1e-4, atol=1e-4 * max(1e-2, largest), equal_nan=True))


def _short(x: Any) -> str:
    if isinstance(x, Exception):
        return f"{type(x).__name__}: {str(x).splitlines()[0] if str(x) else ''}"[:150]
    return str(np.asarray(x).tolist() if not isinstance(x, list) else x).replace("\n", " ")[:150]
