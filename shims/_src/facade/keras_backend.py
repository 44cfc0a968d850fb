"""Give `keras.backend` the functions that Keras 2 has there, computed by the operators of `shims`.

Keras 3 keeps the source of these functions for TensorFlow, in a module that nothing else of it imports. A copy of
that module is executed here whose `tf` is `shims`.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.errors import errors
from shims._src.facade import keras_gone
from shims._src.tensor_methods.enabling import enable_tensor_methods

_SOURCE = "keras.src.legacy.backend"
# Neither a package of Keras nor of this one, whose code sees arrays without TensorFlow's methods.
_COPY = "keras_2_backend"
# Gradients of a graph: there is none.
_LEFT_OUT = ("gradients",)
_LAYER = "call the function inside a layer, such as `keras.layers.Lambda`, or use a function of `keras.ops`"


class _Names:
    """The names of `tf` that the functions use: those of `shims`, and what asks about TensorFlow itself."""

    __internal__ = types.SimpleNamespace(
        tf2=types.SimpleNamespace(enabled=lambda: True),
        EagerTensor=(),  # `get_value` asks it inside of a trace, where no array has numbers
    )

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module("shims"), name)


class _WithoutNotes(ast.NodeTransformer):
    """Leave out what the functions note on tensors for layers of Keras 2: tracers take no attributes."""

    def visit_Assign(self, node: ast.Assign) -> ast.Assign | ast.Pass:
        """Return the assignment, or nothing in place of one to an attribute `_keras_...`."""
        attribute = getattr(node.targets[0], "attr", "")
        return ast.copy_location(ast.Pass(), node) if attribute.startswith("_keras_") else node


@functools.cache
def _functions() -> dict[str, Callable[..., Any]]:
    """Return the functions by their names."""
    listed = vars(importlib.import_module("keras._tf_keras.keras.backend"))
    spec = importlib.util.find_spec(_SOURCE)
    source = ast.parse(spec.loader.get_source(_SOURCE))  # type: ignore[union-attr]
    copy = types.ModuleType(_COPY)
    exec(compile(_WithoutNotes().visit(source), f"<{_COPY}>", "exec"), vars(copy))
    copy.tf = _Names()  # type: ignore[attr-defined]
    own = {name for name, value in listed.items() if getattr(value, "__module__", "") == _SOURCE}
    return {name: _of_arrays(name, vars(copy)[name]) for name in own.difference(_LEFT_OUT)}


def _of_arrays(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose code sees arrays with TensorFlow's methods, and that takes no symbolic tensors."""

    @functools.wraps(function)
    def called(*args, **kwargs):
        keras = importlib.import_module("keras")
        if any(isinstance(leaf, keras.KerasTensor) for leaf in jax.tree.leaves((args, kwargs))):
            raise ValueError(
                errors.message(
                    f"keras.backend.{name}",
                    "a symbolic tensor of a Keras model is not an array.",
                    do=_LAYER,
                )
            )
        # A comparison of static sizes is a NumPy number; TensorFlow's is a tensor, of which Keras asks the rank.
        args = tuple(jnp.asarray(x) if isinstance(x, np.bool_) else x for x in args)
        with enable_tensor_methods():
            return function(*args, **kwargs)

    called.__module__ = __name__  # a function of a library: AutoGraph leaves it as it is
    return called


def add_to(keras: types.ModuleType) -> None:
    """Add the functions to `keras.backend`, found when they are asked for."""
    backend = keras.backend
    missing = keras_gone.of(backend.__name__)

    def found(name: str) -> Any:
        if name.startswith("_") or name not in _functions():
            return missing(name)
        vars(backend)[name] = _functions()[name]
        return vars(backend)[name]

    vars(backend).setdefault("__getattr__", found)
