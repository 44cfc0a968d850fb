"""Run the programs of saved functions: choose one for the arguments, and pass it values of variables."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from shims._src.arguments.conversion import as_array, narrow_array
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.recording import state
from shims._src.saved_model import structures
from shims._src.saved_model.saved_functions import Program, SavedConcrete
from shims._src.saved_model.size_patterns import program_for
from shims._src.sizes import primitives
from shims._src.sizes.padded import Padded, check_status
from shims._src.tracing.dynamic import exact
from shims._src.types.tensor_spec import TensorSpec
from shims._src.variables.keras_state import standing_for
from shims._src.variables.variable import Variable


def operands_of(concrete: SavedConcrete, arguments: dict[str, Any], convert: bool) -> list | None:
    """Return the operands for a signature if the arguments match it, else `None`.

    Args:
      concrete: the signature.
      arguments: the arguments by name.
      convert: whether Python numbers are accepted in place of tensors.
    """
    operands: list = []
    for name, structure in concrete.arguments.items():
        if not _collect(structure, arguments[name], convert, operands):
            return None
    return operands


def _collect(structure, value, convert: bool, operands: list) -> bool:
    """Append the operands of one argument to a list; return whether it matches."""
    pairs = structures.matched(structure, value)
    if pairs is None:
        return False
    for spec, x in pairs:
        if isinstance(spec, TensorSpec):
            operand = as_operand(x, spec, convert)
            if operand is None or not is_compatible(operand, spec):
                return False
            operands.append(operand)
        elif _is_tensor(x) or not _equal(x, spec):
            return False
    return True


def _equal(x, literal) -> bool:
    return x is None if literal is None else bool(x == literal)


def _is_tensor(x) -> bool:
    return isinstance(x, (jax.Array, np.ndarray, np.generic, Variable, Padded)) or jp.is_tracer(x)


def as_operand(x, spec: TensorSpec, convert: bool):
    """Convert an argument to an array; return `None` if it is not a tensor.

    Args:
      x: the argument.
      spec: its spec, whose dtype Python numbers get if they fit it.
      convert: whether Python numbers and lists are tensors.
    """
    x = standing_for(x)
    if isinstance(x, Variable):
        return as_array(x)
    if isinstance(x, Padded):
        check_status(x.status, x.values)
        return x.unpad()
    if _is_tensor(x):
        return narrow_array(x)
    if not convert or x is None or isinstance(x, (str, TensorSpec)):
        return None
    try:
        return as_array(x, jax.dtypes.canonicalize_dtype(spec.dtype))
    except (TypeError, ValueError):
        return _as_any_array(x)


def _as_any_array(x):
    try:
        return as_array(x)
    except (TypeError, ValueError, errors.OpError):
        return None


def is_compatible(x, spec: TensorSpec) -> bool:
    """Return whether an array has the dtype and the shape of a spec."""
    wanted = jax.dtypes.canonicalize_dtype(spec.dtype)
    return x.dtype == wanted and spec.shape.is_compatible_with(_sizes(x))


def _sizes(x) -> tuple[int, ...]:
    """Return the sizes of an array; in a traced function, unknown ones become constants."""
    return tuple(int(d) for d in np.shape(x))


def run(concrete: SavedConcrete, operands: list):
    """Run the program for some operands; assign variables, and return the outputs.

    Raises:
      InvalidArgumentError: no program is for operands of these shapes.
      OpError: a run-time check failed.
    """
    sizes = [_sizes(x) for x in operands]
    program = program_for(concrete.programs, sizes)
    if program is None:
        raise _no_program(
            concrete, sizes, f"the function was saved for other sizes. {concrete.refused}".rstrip()
        )
    values = [state.read(v) for v in program.used]
    try:
        results = list(program.compiled(*values, *operands))
    except ValueError as error:  # of JAX, which computes all sizes from those of the operands
        reason = str(error).strip().splitlines()[0]
        raise _no_program(
            concrete, sizes, f"the saved program raises an error: {reason}"
        ) from error
    if program.checks:
        failed, numbers = results[-2:]
        del results[-2:]
        _raise_failed(program, failed, numbers)
    count = len(results) - len(program.written)
    for variable, value in zip(program.written, results[count:], strict=True):
        state.write(variable, value)
    left = iter(results[:count])
    return structures.decode(program.outputs, lambda axes: _result(axes, left))


def _result(axes: list[int], left: Iterator):
    values = next(left)
    if not axes:
        return values
    result = Padded(values, {axis: next(left) for axis in axes}, next(left))
    if any(map(jp.is_tracer, jax.tree.leaves(result))):
        return result
    check_status(result.status, result.values)
    return exact(result.values, result.sizes)


def _raise_failed(program: Program, failed, numbers) -> None:
    """Raise the error of the first check that failed; in a traced function, check when that runs."""
    if not jp.is_tracer(failed) and not np.asarray(failed).any():
        return
    for i, check in enumerate(program.checks):
        text = check.text
        if not jp.is_tracer(numbers):
            text = text.replace(errors.NUMBER, str(int(numbers[i])))
        primitives.check(failed[i], text, numbers[i], error=_error_class(check.error))


def _error_class(name: str) -> type[Exception]:
    found = getattr(errors, name, None) or getattr(builtins, name, None)
    if isinstance(found, type) and issubclass(found, Exception):
        return found
    return errors.InvalidArgumentError


def _no_program(concrete: SavedConcrete, sizes, reason: str) -> errors.InvalidArgumentError:
    shown = " or ".join(dict.fromkeys(str(p.shapes) for p in concrete.programs))
    return errors.InvalidArgumentError(
        errors.message(
            "saved_model",
            f"the function does not accept operands of these sizes, because {reason}",
            required=f"operands of shapes {shown}",
            received=str(tuple(sizes)),
            do="save the function with a signature that accepts these sizes",
        )
    )
