"""Define `cond`, `case` and `switch_case`, which call one of several functions."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp

from shims._src.arguments.conversion import as_array
from shims._src.control_flow import recursion
from shims._src.control_flow.staged_branches import stage_branches
from shims._src.control_flow.staging import current_value, is_number, is_staged
from shims._src.errors import errors
from shims._src.sizes import primitives


def cond(pred, true_fn=None, false_fn=None, name=None):
    """Return `true_fn()` if `pred` is true, otherwise `false_fn()`.

    Args:
      pred: a Python bool or a bool scalar.
      true_fn: a function of no arguments.
      false_fn: a function of no arguments that returns the same structure.
      name: accepted and ignored.

    Returns:
      The result of one function. For a traced `pred` both functions are traced, and one of them runs.

    Raises:
      TypeError: `pred` is traced, and the two results differ in structure or dtype.
      UnimplementedError: `pred` is traced outside of `shims.function`, and the results' shapes differ.

    Differs from TensorFlow:
      In an enclosing trace, and outside of `shims.dynamic`, a traced condition needs results of equal shapes. In
      `shims.function`, a branch that is invalid only for arrays of 0 or 1 elements (such as `argmax` of an empty array)
      raises its error when the branch runs. A branch that is invalid for arrays of all sizes (such as a wrong axis)
      raises its error during tracing, as in TensorFlow.

    Under jit:
      Becomes `lax.cond`. Assignments to variables take effect only in the branch that runs.

    Example:
      >>> import jax.numpy as jnp
      >>> x = jnp.float32(3)
      >>> float(cond(x > 2, lambda: x * 2, lambda: x))
      6.0

    https://www.tensorflow.org/api_docs/python/tf/cond
    """
    del name
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError("cond: `true_fn` and `false_fn` must be callable.")
    pred = current_value(pred)
    if not is_staged(pred):
        return _as_arrays(true_fn() if pred else false_fn())
    thunks = (lambda: (true_fn(),), lambda: (false_fn(),))
    results, holds = recursion.staged(
        pred, true_fn, lambda: stage_branches(pred, thunks, labels=("true_fn", "false_fn"))
    )
    if holds is not None:
        return _as_arrays(true_fn() if holds else false_fn())
    return _as_arrays(results[0])


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """Return the result of the function of the first condition that holds.

    Args:
      pred_fn_pairs: pairs of a bool scalar and a function of no arguments, or a dictionary of them.
      default: the function that is called if no condition holds.
      exclusive: whether it is an error if two conditions hold.
      strict: accepted and ignored.
      name: the name in messages.

    Returns:
      The result of one of the functions.

    Raises:
      InvalidArgumentError: no condition holds and there is no `default`, or two conditions hold and
        `exclusive` is true.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Becomes nested `lax.cond` calls. In a dynamic trace, the two errors are raised after the call;
      in an enclosing `jit`, the last function replaces a missing default.

    Example:
      >>> import jax.numpy as jnp
      >>> int(case([(jnp.array(False), lambda: 1)], default=lambda: 2))
      2

    https://www.tensorflow.org/api_docs/python/tf/case
    """
    del strict
    pairs = list(pred_fn_pairs.items() if hasattr(pred_fn_pairs, "items") else pred_fn_pairs)
    if not pairs:
        raise ValueError(f"{name}: `pred_fn_pairs` must have at least one pair.")
    if any(not isinstance(pair, tuple) or len(pair) != 2 for pair in pairs):
        raise TypeError(f"{name}: each entry of `pred_fn_pairs` must be a pair of two.")
    preds = [current_value(p) for p, _ in pairs]
    count = sum(jnp.asarray(p, jnp.int32) for p in preds)
    if exclusive:
        text = errors.message(
            name,
            "more than one condition is true.",
            required="at most one",
            do="put the conditions in order of preference, and leave `exclusive` out.",
        )
        primitives.check(count > 1, text)
    if default is None:
        text = errors.message(
            name,
            "no condition is true, and there is no `default`.",
            do="pass a `default` function.",
        )
        primitives.check(count < 1, text)
        default = pairs[-1][1]

    def choose(position: int):
        if position == len(pairs):
            return _as_arrays(default())
        return cond(preds[position], pairs[position][1], lambda: choose(position + 1))

    return choose(0)


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """Return the result of the function at index `branch_index`.

    Args:
      branch_index: an int scalar.
      branch_fns: functions without arguments, as a list, a dictionary that maps indices to
        functions, or a list of `(index, function)` pairs. The indices are 0, 1, 2, ...
      default: the function for any other index; the last function of `branch_fns` by default.
      name: the name in messages.

    Returns:
      The result of one of the functions.

    Raises:
      ValueError: the indices are not 0, 1, 2, ...
      TypeError: the index is traced, and the results differ in structure or dtype.
      UnimplementedError: the index is traced, and the results differ in shape.

    Differs from TensorFlow:
      A traced index needs results of equal shapes.

    Under jit:
      `lax.switch`.

    Example:
      >>> int(switch_case(1, [lambda: 5, lambda: 7]))
      7

    https://www.tensorflow.org/api_docs/python/tf/switch_case
    """
    functions = _in_order(branch_fns, name)
    functions.append(functions[-1] if default is None else default)
    index, count = current_value(branch_index), len(functions) - 1
    if not jnp.issubdtype(jnp.result_type(index), jnp.integer):
        raise TypeError(
            f"{name}: `branch_index` must be an integer, not {jnp.result_type(index).name}."
        )
    if not is_staged(index):
        index = int(index)
        return _as_arrays(functions[index if 0 <= index < count else count]())
    position = jnp.where((index >= 0) & (index < count), index, count).astype(jnp.int32)
    labels = (*(f"branch {k}" for k in range(count)), "default")
    thunks = [lambda f=f: (f(),) for f in functions]
    selector = position == 0 if count == 1 else position
    return _as_arrays(stage_branches(selector, thunks, labels=labels, label=name)[0])


def _as_arrays(result):
    """Convert Python numbers in a branch's result to arrays, since TensorFlow returns tensors."""
    return jax.tree.map(lambda leaf: as_array(leaf) if is_number(leaf) else leaf, result)


def _in_order(branch_fns, name: str) -> list[Callable]:
    if hasattr(branch_fns, "items"):
        pairs = list(branch_fns.items())
    else:
        pairs = [
            item if isinstance(item, tuple) else (position, item)
            for position, item in enumerate(branch_fns)
        ]
    numbered = {int(number): function for number, function in pairs}
    if not pairs or sorted(numbered) != list(range(len(pairs))):
        raise ValueError(
            errors.message(
                name,
                "the indices in `branch_fns` must be 0, 1, 2, ..., and each index must occur exactly once.",
                required="0, 1, ..., one index per function",
                received=", ".join(str(number) for number, _ in pairs) or "no functions",
            )
        )
    return [numbered[number] for number in range(len(pairs))]
