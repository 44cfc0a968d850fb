"""Compile the loops and branches of an eager dynamic program once per text, not once per call.

Every call traces its program anew, and JAX keeps what it has compiled for a nested program by the identity of that
program. Here it is kept by the text of the operations, which is the same at the next call.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs

_COMPILED: OrderedDict[object, Any] = OrderedDict()
_MOST = 512
_LOCK = threading.Lock()


def evaluates(eqn, operands: Sequence) -> bool:
    """Return whether an equation is a program of its own that can be kept: without effects, on one device, not followed."""
    return (
        jaxprs.has_programs(eqn)
        and not eqn.effects
        and jp.ambient_is_eager()
        and all(map(_is_plain, operands))
    )


def _is_plain(x) -> bool:
    if isinstance(x, jax.Array):
        return not jp.is_tracer(x) and isinstance(x.sharding, jax.sharding.SingleDeviceSharding)
    return isinstance(x, (np.ndarray, np.generic, bool, int, float, complex))


def evaluate(eqn, call: Callable, operands: Sequence) -> list:
    """Return `call(operands)`, the results of an equation, from a program compiled for the text of its operations."""
    lowered = jax.jit(lambda *xs: call(list(xs))).lower(*operands)
    text = lowered.as_text()
    # A callback is an address in the text, and constants that are operands are not in it.
    if "callback" in text or jp.has_constant_operands(lowered):
        return call(operands)
    kinds = tuple(str(jp.abstract_of(x)) for x in (*operands, *eqn.outvars))
    devices = frozenset(d for x in operands if isinstance(x, jax.Array) for d in x.devices())
    # Operands of NumPy go to the default device, which the text does not name.
    key = text, kinds, devices or jax.config.jax_default_device
    compiled = _kept(key) or _keep(key, lowered.compile())
    return list(compiled(*operands))


def _kept(key):
    with _LOCK:
        if key in _COMPILED:
            _COMPILED.move_to_end(key)
        return _COMPILED.get(key)


def _keep(key, compiled):
    with _LOCK:
        _COMPILED[key] = compiled
        if len(_COMPILED) > _MOST:
            _COMPILED.popitem(last=False)
    return compiled
