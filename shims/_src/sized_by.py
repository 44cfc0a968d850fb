"""Operators whose result has a size that some of their arguments decide."""

from __future__ import annotations

import functools
import inspect

import jax

from shims._src import jax_private as jp
from shims._src.dispatch import operator
from shims._src.padded import Padded


def sized_by(*names: str):
    """Make an operator of a function whose result's size depends on the arguments `names`.

    Where these are known, also under `jax.grad` and also when other arguments are traced, the
    result has its exact size. Where they are traced it has a size of its own, and outside of a
    dynamic trace it is a `Padded`.
    """

    def decorate(f):
        places = {n: i for i, n in enumerate(inspect.signature(f).parameters) if n in names}
        known, fresh = operator(f), operator(f, fresh=True)

        @functools.wraps(f)
        def call(*args, **kwargs):
            for name, place in places.items():
                value = args[place] if place < len(args) else kwargs.get(name)
                if value is not None and _is_traced(value):
                    return fresh(*args, **kwargs)
            return known(*args, **kwargs)

        return call

    return decorate


def _is_traced(value) -> bool:
    leaves = jax.tree.leaves(value, is_leaf=lambda v: isinstance(v, Padded))
    return any(isinstance(v, Padded) or jp.is_tracer(jp.primal_tracer(v)) for v in leaves)
