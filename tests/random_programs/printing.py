"""A program as code that a person reads, and can paste: `import tensorflow as tf`, or `shims`."""

from __future__ import annotations

import numpy as np


def code(program) -> str:
    """The program as a function of its inputs, and the call that it was run with."""
    parameters = ", ".join(i.name for i in program.inputs)
    lines = ["", "nan, inf = float('nan'), float('inf')", f"def program({parameters}):"]
    lines += [f"    {_targets(call)}{_expression(call)}" for call in program.calls]
    lines += [f"    return {', '.join(program.returns) or None}", "program("]
    for each in program.inputs:
        sizes = ", ".join(map(str, _signature(each)))
        lines.append(f"    {_array(each.value)},  # {each.name}: TensorSpec([{sizes}])")
    return "\n".join([*lines, ")"])


def _signature(given) -> list[int | None]:
    return [None if u else s for u, s in zip(given.unknown, given.value.shape, strict=True)]


def _targets(call) -> str:
    if not call.results:
        return ""  # it raises
    return ", ".join(call.results) + (", = " if call.row.name in ("split", "unstack") else " = ")


def _expression(call) -> str:
    given = ", ".join(f"{name}={_argument(value)}" for name, value in call.arguments)
    return f"tf.{call.row.name}({given})"


def _argument(value) -> str:
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_argument, value))}]"
    return getattr(value, "name", None) or repr(value)


def _array(value: np.ndarray) -> str:
    if not value.size and value.ndim:
        return f"tf.zeros({list(value.shape)}, tf.{value.dtype.name})"
    return f"tf.constant({_numbers(value.tolist())}, tf.{value.dtype.name})"


def _numbers(value) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_numbers, value))}]"
    return repr(float(f"{value:.9g}")) if isinstance(value, float) else repr(value)
