"""Provide `case` and `switch_case` for graphs, as nested conditionals."""

from __future__ import annotations

import collections
import functools

import shims
from shims._src.v1.control_flow.assertions import Assert
from shims._src.v1.control_flow.branches import cond
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.standard_operators import (
    cast,
    equal,
    greater_equal,
    less_equal,
    logical_and,
    reduce_sum,
    stack,
)


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """Compute the function that belongs to the first true condition.

    Args:
      pred_fn_pairs: a list of pairs (bool scalar, function without arguments), or a dictionary that maps bool
        scalars to such functions. A dictionary that is not an `OrderedDict` is sorted by the names of
        its scalars.
      default: the function if no condition is true; if there is no default, an error is raised.
      exclusive: whether it is an error if two conditions are true.
      strict: whether to return a list of one result as a list, instead of the result itself.
      name: the scope of all branches.

    Returns:
      Tensors in the structure that all functions return.

    Raises:
      TypeError: an element is not a pair of a bool tensor and a function.

    Differs from TensorFlow:
      With `exclusive`, two true conditions are always an error.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/case
    """
    if executing_eagerly():
        return shims.case(pred_fn_pairs, default, exclusive, strict, name)
    pairs = _check_pairs(pred_fn_pairs)
    with get_default_graph().name_scope(name or "case"):
        preds, functions = [p for p, _ in pairs], [f for _, f in pairs]
        result = default
        if result is None:
            text = "Input error: None of conditions evaluated as True:"
            result = _with_assertion(preds, 1, len(preds), text, functions.pop())
        for pred, f in reversed(list(zip(preds, functions, strict=False))):
            result = functools.partial(cond, pred, f, result, strict=strict)
        if exclusive:
            text = "Input error: exclusive=True: more than 1 conditions evaluated as True:"
            return _with_assertion(preds, 0, 1, text, result)()
        return result()


def _check_pairs(pairs) -> list[tuple]:
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pairs)}")
    if isinstance(pairs, collections.OrderedDict):
        pairs = list(pairs.items())
    elif isinstance(pairs, dict):
        pairs = sorted(pairs.items(), key=lambda item: item[0].name)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        pred, f = pair
        if not isinstance(pred, Tensor):
            raise TypeError(f"pred must be a Tensor, got: {pred}")
        if not pred.dtype.is_bool:
            raise TypeError(f"pred must be Tensor of type bool: {pred.name}")
        if not callable(f):
            raise TypeError(f"fn for pred {pred.name} must be callable.")
    return list(pairs)


def _with_assertion(preds, least: int, most: int, text: str, f):
    """Wrap the branch `f` in a check of the number of true conditions: between `least` and `most`."""

    def stated():
        together = stack(preds)
        count = reduce_sum(cast(together, "int32"))
        holds = logical_and(greater_equal(count, least), less_equal(count, most))
        with get_default_graph().control_dependencies([Assert(holds, [text, together])]):
            return f()

    return stated


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """Compute the function with the index `branch_index`.

    Args:
      branch_index: an int32 scalar.
      branch_fns: functions without arguments, as a list, a dictionary that maps indices to
        functions, or a list of `(index, function)` pairs. The indices start at 0 and are contiguous.
      default: the function for any other index; the last function if missing.
      name: the scope of all branches.

    Returns:
      Tensors in the structure that all functions return.

    Raises:
      TypeError: the index is not int32; a branch is not a function.
      ValueError: the indices are not contiguous from 0.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/switch_case
    """
    if executing_eagerly():
        return shims.switch_case(branch_index, branch_fns, default, name)
    functions = _functions_by_index(branch_fns)
    index = convert_to_tensor(branch_index)
    if index.dtype.name != "int32":
        raise TypeError(f"branch_index must a Tensor of type int32, got {index.dtype.name}")
    with get_default_graph().name_scope(name or "switch_case"):
        result = default or functions.pop()
        for number, f in reversed(list(enumerate(functions))):
            result = functools.partial(cond, equal(index, number), f, result, strict=True)
        return result()


def _functions_by_index(branch_fns) -> list:
    pairs = list(branch_fns.items() if isinstance(branch_fns, dict) else branch_fns)
    if all(map(callable, pairs)):
        pairs = list(enumerate(pairs))
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in branch_fns must be a 2-tuple. Received {pair}.")
        if not callable(pair[1]):
            raise TypeError(f"fn for key {pair[0]} must be callable.")
    by_number = dict(pairs)
    if not pairs or sorted(by_number) != list(range(len(pairs))):
        raise ValueError(
            f"branch indices must form contiguous range of [0 to {len(pairs)}) but "
            f"found {sorted(by_number)}"
        )
    return [by_number[i] for i in range(len(pairs))]
