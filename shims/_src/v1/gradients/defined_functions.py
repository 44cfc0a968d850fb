"""Provide `Defun`, which in TensorFlow 1 makes a function of the graph, with a gradient of its own."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from shims._src.v1.gradients.custom_gradients import custom_gradient
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.flat_structures import flat_tensors


@dataclasses.dataclass(frozen=True)
class _Call:
    """The call of a function, as its gradient function sees the operation: with inputs and outputs."""

    inputs: list
    outputs: list


class Defun:
    """Decorate a function of tensors that may have a gradient function of its own.

    Args:
      *input_types: the dtypes to which the arguments are converted. Give no dtypes if they are known from the calls.
      grad_func: a function of the arguments and the gradients of the results, which returns the gradients
        of the arguments.
      python_grad_func: like `grad_func`, but a function of the operation (which has `inputs` and
        `outputs`) and of the gradients of the results.
      func_name: the name scope of the calls.
      **options: names and shapes of results, and settings of TensorFlow's runtime. All of them are ignored.

    Raises:
      ValueError: a gradient function does not return one gradient for each argument.

    Differs from TensorFlow:
      Each call adds the operations of the function to the graph, where TensorFlow adds one operation.
    """

    def __init__(
        self,
        *input_types,
        grad_func: Callable | None = None,
        python_grad_func: Callable | None = None,
        func_name: str | None = None,
        **options,
    ):
        self._types = input_types
        self._rule = python_grad_func
        if grad_func is not None:
            self._rule = lambda op, *gradients: grad_func(*op.inputs, *gradients)
        self._name = func_name

    def __call__(self, f: Callable) -> Callable:
        """Return the function whose calls add operations to the graph."""

        @functools.wraps(f)
        def call(*args, name=None, **options):
            given = [
                convert_to_tensor(x, dtype)
                for x, dtype in zip(args, self._types or [None] * len(args), strict=True)
            ]
            with get_default_graph().name_scope(name or self._name or f.__name__):
                return self._with_rule(f)(*given)

        return call

    def _with_rule(self, f: Callable) -> Callable[..., Any]:
        rule = self._rule
        if rule is None:
            return f

        def with_gradient(*args):
            result = f(*args)
            outputs, _ = flat_tensors(result)
            return result, lambda *gradients: rule(_Call(list(args), outputs), *gradients)

        return custom_gradient(with_gradient)
