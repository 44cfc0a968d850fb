"""Keep the signatures that a function was traced for, which `saved_model.save` exports."""

from __future__ import annotations

import weakref
from typing import Any

import jax
import numpy as np

from shims._src.control_flow.staging import is_key
from shims._src.function.calls import ARGUMENT_TYPES
from shims._src.platform import jax_private as jp
from shims._src.platform.weak_keys import drop_dead, static_key
from shims._src.sizes.padded import Padded
from shims._src.types.composite_specs import has_spec, is_spec, spec_of
from shims._src.types.tensor_spec import TensorSpec
from shims._src.variables.variable import Variable


class SignaturesMet:
    """The distinct arguments of a function, with a spec in place of each array.

    The receiver of a method is kept by a weak reference.
    """

    def __init__(self):
        self._by_receiver: dict[int, tuple[Any, dict[tuple, list]]] = {}

    def note(self, args, kwargs, *, relaxed: bool = False) -> None:
        """Keep the signature of a call.

        Args:
          args: the positional arguments: arrays, tracers, specs and Python values, in pytrees.
          kwargs: the keyword arguments.
          relaxed: whether all sizes are unknown.
        """
        receiver = args[0] if args and not isinstance(args[0], ARGUMENT_TYPES) else None
        if is_spec(receiver) or jp.is_tracer(receiver) or isinstance(receiver, Variable):
            receiver = None
        given = args if receiver is None else args[1:]
        leaves, tree = jax.tree.flatten((given, kwargs), is_leaf=_is_leaf)
        if any(isinstance(x, jax.Array) and is_key(x) for x in leaves):
            return  # keys of `jax.random` have no spec
        specs = [_spec_of(x, relaxed) for x in leaves]
        keys = [x if is_spec(x) else static_key(x) for x in specs]
        _, met = self._by_receiver.setdefault(id(receiver), (self._reference(receiver), {}))
        drop_dead(met)
        # What the key refers to weakly is found through the key.
        kept = [None if _is_weak(k) else x for k, x in zip(keys, specs, strict=True)]
        met.setdefault((tree, tuple(keys)), kept)

    def _reference(self, receiver):
        key = id(receiver)
        try:
            return weakref.ref(receiver, lambda _: self._by_receiver.pop(key, None))
        except TypeError:
            return lambda: receiver

    def of(self, receiver) -> list[tuple]:
        """Return `(args, kwargs)` of each signature, without the receiver."""
        _, met = self._by_receiver.get(id(receiver), (None, {}))
        drop_dead(met)
        return [
            jax.tree.unflatten(
                tree, [k[1]() if _is_weak(k) else x for k, x in zip(keys, kept, strict=True)]
            )
            for (tree, keys), kept in met.items()
        ]


def _is_weak(key) -> bool:
    return isinstance(key, tuple) and isinstance(key[1], weakref.ref)


def _is_leaf(x) -> bool:
    return isinstance(x, (Padded, Variable)) or is_spec(x) or has_spec(x)


def _spec_of(x, relaxed: bool):
    if is_spec(x) or isinstance(x, Variable):
        return x
    if has_spec(x):
        return spec_of(x)
    if isinstance(x, Padded):
        sizes = [None if i in x.sizes else d for i, d in enumerate(x.values.shape)]
        return TensorSpec(sizes, x.values.dtype)
    if not isinstance(x, (jax.Array, np.ndarray, np.generic)) and not jp.is_tracer(x):
        return x
    sizes = [None if relaxed or jp.is_symbolic(d) else d for d in np.shape(x)]
    return TensorSpec(sizes, x.dtype)
