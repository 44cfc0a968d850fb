"""Provide operations that update a variable and its optimizer slots at once.

Their types and names are those of TensorFlow's training kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax.numpy as jnp

import shims
from shims._src.array.unique import unique
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.variables.variables import GraphVariable


def assigning(
    type_: str,
    name: str | None,
    variables: Sequence[GraphVariable],
    f: Callable,
    operands: Sequence = (),
    gives: bool = False,
) -> Operation:
    """Add an operation that computes and assigns new values of variables from their latest values.

    Args:
      type_: TensorFlow's type of the operation.
      name: the name of the operation, `type_` when `None`; one that ends in `/` is an absolute name.
      variables: the variables that are read and assigned.
      f: a function of the arrays of the variables and of the operands that returns new arrays.
      operands: the operands.
      gives: whether the operation outputs the new value of the first variable.

    Returns:
      The operation.
    """
    first = variables[0]
    graph = get_default_graph()
    name = name or type_
    full = name[:-1] if name.endswith("/") else graph.unique_name(name)

    def compute(run, op, values):
        before = [run.newest(v) for v in variables]
        after = [jnp.asarray(new, v.slot.dtype) for v, new in zip(variables, f(*before, *values))]
        for v, new in zip(variables, after, strict=True):
            run.write(v, new, op)
        return after[: len(op.outputs)]

    outputs = [(first.shape, first.dtype)] if gives else ()
    op = Operation(graph, type_, full, compute, operands, outputs, graph.present_control_inputs())
    op.links = (frozenset(),)
    for tensor in op.outputs:
        tensor.read_of = first
    op.attributes["variables"] = tuple(variables)
    op.writes = tuple(variables)
    return op


def deduplicated(values, indices) -> tuple[Tensor, Tensor]:
    """Sum rows with equal indices; indices keep the order of their first occurrence.

    Args:
      values: tensor `[n, ...]`.
      indices: integer tensor `[n]`.

    Returns:
      `(values, indices)`, with one row per distinct index.
    """
    return operation_of(
        _sum_rows_by_index,
        (values, indices),
        {},
        public="unsorted_segment_sum",
        type_="UnsortedSegmentSum",
    )


def _sum_rows_by_index(values, indices):
    different, positions = unique(indices)
    count = shims.shape(different)[0]
    return shims.math.unsorted_segment_sum(values, positions, count), different


def apply_dense(type_: str, variables, formula: Callable, grad, numbers) -> Operation:
    """Add the operation that updates a variable and its slots with a dense gradient.

    Args:
      type_: TensorFlow's type of the kernel for reference variables, such as `"ApplyAdam"`.
      variables: the variable and its optimizer slots.
      formula: a function of the variables' arrays, the gradient and the numbers; returns new arrays.
      grad: the gradient, of the shape and dtype of the variable.
      numbers: scalar tensors, such as learning rates.

    Raises:
      TypeError, ValueError: the gradient has a different dtype or shape, or a number is not a scalar.
    """
    variable = variables[0]
    check_gradient(type_, variable, grad)
    check_numbers(type_, numbers)
    fits = grad.shape.is_fully_defined() and variable.shape.is_fully_defined()

    def f(*values):
        arrays, given, rest = _split_values(values, len(variables))
        if not fits:
            given = shims.ensure_shape(given, arrays[0].shape)
        return formula(*arrays, given, *rest)

    return assigning(_kernel_type(type_, variable), None, variables, f, [grad, *numbers])


def apply_rows(type_: str, variables, formula: Callable, rows, indices, numbers) -> Operation:
    """Add the operation that updates some rows of a variable and its slots; other rows stay.

    Args:
      type_: TensorFlow's type of the kernel for reference variables, such as
        `"SparseApplyAdagrad"`.
      variables: the variable and its optimizer slots.
      formula: a function of the variables' rows, the gradients and the numbers; returns new rows.
      rows: the gradients `[n, ...]`.
      indices: an integer tensor `[n]` of distinct row indices.
      numbers: scalar tensors, such as learning rates.

    Raises:
      TypeError, ValueError: the gradient has a different dtype or shape, or a number is not a scalar.
    """
    check_rows(type_, variables[0], rows)
    check_numbers(type_, numbers)

    def f(*values):
        arrays, given, (places, *rest) = _split_values(values, len(variables))
        taken = [shims.gather(a, places) for a in arrays]
        new = formula(*taken, given, *rest)
        at = shims.expand_dims(places, 1)
        return [shims.tensor_scatter_nd_update(a, at, n) for a, n in zip(arrays, new, strict=True)]

    return assigning(
        _kernel_type(type_, variables[0]), None, variables, f, [rows, indices, *numbers]
    )


def _split_values(values, count: int):
    return values[:count], values[count], values[count + 1 :]


def _kernel_type(type_: str, variable) -> str:
    return f"Resource{type_}" if variable.is_resource else type_


def check_gradient(type_: str, variable, grad) -> None:
    """Check that a gradient has the dtype and shape of its variable."""
    _check_dtype(type_, variable, grad)
    if not variable.shape.is_compatible_with(grad.shape):
        raise ValueError(
            f"Shapes must be equal for '{type_}': the variable {variable.name} has shape "
            f"{variable.shape}, but its gradient {grad.name} has shape {grad.shape}."
        )


def check_rows(type_: str, variable, rows) -> None:
    """Check that gradient rows have the variable's dtype, and its shape except for the first axis."""
    _check_dtype(type_, variable, rows)
    whole, inner = variable.shape, rows.shape
    if None in (whole.rank, inner.rank):
        return
    if whole.rank != inner.rank or not whole[1:].is_compatible_with(inner[1:]):
        raise ValueError(
            f"Shapes must be equal after the first axis for '{type_}': the variable "
            f"{variable.name} has shape {whole}, but its rows {rows.name} have shape {inner}."
        )


def _check_dtype(type_: str, variable, grad) -> None:
    if grad.dtype != variable.dtype:
        raise TypeError(
            f"Input 'grad' of '{type_}' Op has type {grad.dtype.name} that does not match type "
            f"{variable.dtype.name} of argument 'var'."
        )


def check_numbers(type_: str, numbers) -> None:
    """Check that all hyperparameters are scalars."""
    for number in numbers:
        if number.shape.rank:
            raise ValueError(
                f"Shape must be rank 0 but is rank {number.shape.rank} for '{type_}' with input "
                f"{number.name} of shape {number.shape}."
            )


def as_dtype_of(variable, number, name: str | None = None) -> Tensor:
    """Convert a number to a tensor with the dtype of a variable; Python numbers become float32 first."""
    tensor = convert_to_tensor(number, name=name)
    if tensor.dtype == variable.dtype:
        return tensor
    return operation_of(shims.cast, (tensor, variable.dtype), {}, public="cast", type_="Cast")
