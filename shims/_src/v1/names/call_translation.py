"""Convert calls with TensorFlow 1 parameters to calls of the functions of `shims`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from shims._src.errors import errors
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.names.operators import Operator, located

# Parameter names in TensorFlow 1 and their names in TensorFlow 2, for all operators.
_RENAMED = {
    "batch_dim": "batch_axis",
    "dim": "axis",
    "dimension": "axis",
    "filter": "filters",
    "keep_dims": "keepdims",
    "reduction_indices": "axis",
    "seq_dim": "seq_axis",
    "squeeze_dims": "axis",
}
# Further renamed parameters of individual operators.
_RENAMED_BY = {
    "ones_like": {"tensor": "input"},
    "sparse_add": {"thresh": "threshold"},
    "sparse_concat": {"concat_dim": "axis", "expand_nonconcat_dim": "expand_nonconcat_dims"},
    "sparse_reduce_max": {"reduction_axes": "axis"},
    "sparse_reduce_sum": {"reduction_axes": "axis"},
    "sparse_split": {"split_dim": "axis"},
    "nn.weighted_cross_entropy_with_logits": {"targets": "labels"},
    "verify_tensor_all_finite": {"msg": "message", "t": "x"},
    "zeros_like": {"tensor": "input"},
}
# Parameters that do not affect results: kernel hints, and data that failed assertions print.
_WITHOUT_EFFECT = frozenset(
    ["allow_fast_lookup", "data", "optimize", "summarize", "use_cudnn_on_gpu", "validate_indices"]
)


def callable_of(operator: Operator) -> Callable:
    """Return a function that calls an operator and has the signature of TensorFlow 1."""
    target = located(f"shims._src.{operator.place}")
    signature = signature_of(operator.signature)
    own = inspect.signature(target)
    any_ = any(p.kind is p.VAR_KEYWORD for p in own.parameters.values())
    if any_ or _comparable_parameters(signature) == _comparable_parameters(own):
        return deferred(target, operator.name)
    translate = Translation(operator, signature, own)

    @functools.wraps(target)
    def call(*args, **kwargs):
        name, arguments = translate(args, kwargs)
        if executing_eagerly():
            return target(**arguments)
        return operation_of(target, (), arguments, public=operator.name, name=name)

    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def signature_of(text: str) -> inspect.Signature:
    """Parse the text of a signature; a default of `...` stands for an unknown default."""
    scope: dict[str, Any] = {}
    exec(f"def f({text}): pass", scope)  # the text comes from this package's own list
    return inspect.signature(scope["f"])


def _comparable_parameters(signature: inspect.Signature) -> list:
    return [(p.name, p.kind, _comparable_default(p.default)) for p in signature.parameters.values()]


def _comparable_default(default: Any) -> Any:
    """Convert a default value to one that can be compared: a dtype is replaced by its name."""
    return np.dtype(default).name if isinstance(default, type) else default


class Translation:
    """Converts TensorFlow 1 arguments to those of a function of `shims`.

    Args:
      operator: the entry of the operator in the list of operators.
      signature: the signature in TensorFlow 1.
      own: the signature of the function of `shims`.
    """

    def __init__(self, operator: Operator, signature: inspect.Signature, own: inspect.Signature):
        self.operator = operator
        self.signature = signature
        self.own = own.parameters
        renames = {**_RENAMED, **operator.renames, **_RENAMED_BY.get(operator.name, {})}
        self.renamed = {
            old: new
            for old, new in renames.items()
            if old in signature.parameters and old not in own.parameters and new in own.parameters
        }
        self.added = {
            name: p.default
            for name, p in signature.parameters.items()
            if name in own.parameters
            and p.default not in (p.empty, None, ...)
            and p.default != _comparable_default(self.own[name].default)
        }

    def __call__(self, args, kwargs) -> tuple[Any, dict[str, Any]]:
        """Convert the arguments; return the operation's name and the keyword arguments.

        Raises:
          TypeError: TensorFlow 1 has no such parameter.
          ValueError: a parameter is given under both of its names.
          UnimplementedError: a parameter has no counterpart.
        """
        bound = self.signature.bind(*args, **kwargs).arguments
        arguments = dict(self.added)
        for parameter, value in bound.items():
            if parameter == "name":
                continue
            new = self.renamed.get(parameter, parameter)
            if new not in self.own:
                self._refuse(parameter, value)
            elif value is None and (
                new != parameter or self.own[new].default not in (None, inspect.Parameter.empty)
            ):
                continue
            elif new != parameter and bound.get(new) is not None:
                raise ValueError(f"Cannot specify both '{parameter}' and '{new}'")
            else:
                arguments[new] = value
        return bound.get("name"), arguments

    def _refuse(self, parameter: str, value: Any) -> None:
        default = self.signature.parameters[parameter].default
        if (
            parameter in _WITHOUT_EFFECT
            or value is default
            or (default is not ... and type(value) is type(default) and value == default)
        ):
            return
        raise errors.UnimplementedError(
            errors.message(
                self.operator.name,
                f"the TensorFlow 1 argument `{parameter}` has no counterpart here.",
                received=f"{parameter}={value!r}",
                do=f"leave `{parameter}` out.",
            )
        )
