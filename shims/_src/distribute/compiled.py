"""Compile calls of `Strategy.run` outside of functions: each is traced, and equal programs are compiled once.

A compiled function would keep the Python values that it has read. Tracing again does not, as eager code.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
from jax.extend import core as jex

from shims._src.function.lift import Lifting
from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs
from shims._src.recording import state

_MOST = 128
# The compiled programs by their keys, with the jaxprs, so that the numbers of objects in keys stay theirs.
_PROGRAMS: dict[object, tuple[Any, Callable]] = {}


def called(f, arrays) -> Any:
    """Return `f(arrays)`, computed by one program; variables that it reads and assigns are operands and results."""
    scope, found = Lifting(may_create=False), {}

    def flat(*leaves):
        with state.state_scope(scope):
            results, found["tree"] = jax.tree.flatten(f(jax.tree.unflatten(tree, leaves)))
            return scope.results(results)

    leaves, tree = jax.tree.flatten(arrays)
    closed, variables = scope.lifted(jax.make_jaxpr(flat)(*leaves))
    jaxpr, constants = jp.open_jaxpr(closed)
    results = _program(jaxpr)(constants, variables.values(), leaves)
    count = len(results) - len(variables.written)
    variables.store(results[count:])
    return jax.tree.unflatten(found["tree"], results[:count])


def _program(jaxpr) -> Callable:
    with np.printoptions(threshold=sys.maxsize):
        key = (str(jaxpr), *_objects(jaxpr))
    if key not in _PROGRAMS:
        if len(_PROGRAMS) >= _MOST:
            _PROGRAMS.clear()
        run = jax.jit(
            lambda constants, *given: jp.core.eval_jaxpr(
                jaxpr, constants, *functools.reduce(operator.iadd, map(list, given), [])
            )
        )
        _PROGRAMS[key] = jaxpr, run
    return _PROGRAMS[key][1]


def _objects(jaxpr) -> Iterator[object]:
    """Yield what the text of a jaxpr does not show: types of operands, literals, nested constants."""
    yield from (v.aval for v in jp.open_jaxpr(jaxpr)[0].invars)
    for eqn in jaxprs.equations(jaxpr):
        yield from (np.asarray(v.val).tobytes() for v in eqn.invars if isinstance(v, jex.Literal))
        for inner in jaxprs.sub_jaxprs(eqn.params):
            yield from map(id, jp.open_jaxpr(inner)[1])
