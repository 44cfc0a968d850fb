"""Determine which outputs of an operation are connected to which inputs for differentiation.

A gradient that is zero everywhere is an array of zeros in JAX. TensorFlow returns `None` if nothing
connects a result to a source, and optimizers treat the two differently.
"""

from __future__ import annotations

import weakref

import jax.numpy as jnp

from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import evaluate, sub_jaxprs

Links = tuple[frozenset[int], ...]

# Operations that TensorFlow does not differentiate.
_NOT_DIFFERENTIABLE = ("ceil", "floor", "round", "stop_gradient")
# Operations that pass their operands to one inner program, in order. Functions with a custom derivative
# are not among them: their links follow from the rule, which may pass a gradient where the program
# rounds.
_CALLS = ("jit", "pjit", "closed_call", "core_call", "remat", "remat2", "checkpoint")
_NONE: frozenset[int] = frozenset()
_LINKS_CACHE: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def is_differentiable(x) -> bool:
    """Return whether an array, or another value with a dtype, can have a gradient."""
    dtype = getattr(x, "dtype", None)
    return dtype is not None and jnp.issubdtype(dtype, jnp.inexact)


def links_between(inputs, outputs) -> Links:
    """Return links that connect every differentiable output to every differentiable input."""
    every = frozenset(i for i, x in enumerate(inputs) if is_differentiable(x))
    return tuple(every if is_differentiable(y) else _NONE for y in outputs)


def links_of(primitive, params, inputs, outputs) -> Links:
    """Return, for each output of an operation, the indices of the inputs that it is connected to.

    Args:
      primitive: the JAX primitive.
      params: the parameters of the primitive.
      inputs: the operands, or values with their dtypes.
      outputs: the results, or values with their dtypes.
    """
    name = primitive.name
    if name in _NOT_DIFFERENTIABLE:
        return (_NONE,) * len(outputs)
    found = links_between(inputs, outputs)
    if name in _CALLS:
        inner = next(iter(sub_jaxprs(params)), None)
        if inner is None or len(jp.open_jaxpr(inner)[0].invars) != len(inputs):
            return found
        found = _intersect(found, links_through(inner))
    elif name == "cond":
        branches = [links_through(branch) for branch in params["branches"]]
        joined = [frozenset().union(*per) for per in zip(*branches, strict=True)]
        found = _intersect(found, [frozenset(i + 1 for i in link) for link in joined])
    elif name == "scan":
        consts, carries = jp.scan_counts(params)
        found = _intersect(found, _links_of_loop(links_through(params["jaxpr"]), consts, carries))
    elif name == "while":
        skipped, consts = params["cond_nconsts"], params["body_nconsts"]
        body = links_through(params["body_jaxpr"])
        repeated = _links_of_loop(body, consts, len(outputs))
        found = _intersect(found, [frozenset(i + skipped for i in link) for link in repeated])
    return found


def joined(links: Links, outputs) -> Links:
    """Link each differentiable output to every input that any output is linked to.

    This is for an operation treated as a whole, such as a call of a function.
    """
    every = _NONE.union(*links)
    return tuple(every if is_differentiable(y) else _NONE for y in outputs)


def _intersect(outer, inner) -> Links:
    return tuple(a & b for a, b in zip(outer, inner, strict=True))


def links_through(closed) -> Links:
    """Return the links of a nested jaxpr: for each output, the indices of the inputs it depends on."""
    jaxpr, _ = jp.open_jaxpr(closed)
    known = _LINKS_CACHE.get(jaxpr)
    if known is None:
        known = _LINKS_CACHE[jaxpr] = _links_of_jaxpr(jaxpr)
    return known


def _links_of_jaxpr(jaxpr) -> Links:
    reached = dict.fromkeys(jaxpr.constvars, _NONE)
    reached.update((v, frozenset([i])) for i, v in enumerate(jaxpr.invars))

    def step(eqn, sources):
        inputs = [a.aval for a in eqn.invars]
        outputs = [v.aval for v in eqn.outvars]
        links = links_of(eqn.primitive, eqn.params, inputs, outputs)
        return [_NONE.union(*(sources[i] for i in link)) for link in links]

    return tuple(evaluate(jaxpr, reached, step, lambda literal: _NONE))


def _links_of_loop(body: Links, consts: int, carries: int) -> list[frozenset[int]]:
    """Return a loop's links, given those of its body: for the final carry, then for outputs."""
    carried = [frozenset([consts + i]) for i in range(carries)]

    def traced_back(link):
        own = [
            carried[i - consts] if consts <= i < consts + carries else frozenset([i]) for i in link
        ]
        return _NONE.union(*own)

    while True:
        grown = [c | traced_back(link) for c, link in zip(carried, body, strict=False)]
        if grown == carried:
            return carried + [traced_back(link) for link in body[carries:]]
        carried = grown
