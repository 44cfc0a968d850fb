"""Which outputs of an operation TensorFlow would differentiate by which inputs.

A gradient that is zero everywhere is an array of zeros in JAX. TensorFlow says `None` where nothing
connects a result to a source, and optimizers treat the two differently.
"""

from __future__ import annotations

import weakref

import jax.numpy as jnp

from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import evaluate

Links = tuple[frozenset[int], ...]

# What TensorFlow does not differentiate at all.
_NOT_DIFFERENTIABLE = ("ceil", "floor", "round", "stop_gradient")
# What hands its operands to one inner program, in order. Functions with a derivative of their own are
# not among them: what connects their results to their operands is the rule, which may pass on what the
# program rounds.
_CALLS = ("jit", "pjit", "closed_call", "core_call", "remat", "remat2", "checkpoint")
_NONE: frozenset[int] = frozenset()
_KNOWN: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def is_differentiable(x) -> bool:
    """Whether an array, or what stands for one, can have a gradient."""
    dtype = getattr(x, "dtype", None)
    return dtype is not None and jnp.issubdtype(dtype, jnp.inexact)


def links_between(inputs, outputs) -> Links:
    """The links of an operation of which nothing is known but its operands and results."""
    every = frozenset(i for i, x in enumerate(inputs) if is_differentiable(x))
    return tuple(every if is_differentiable(y) else _NONE for y in outputs)


def links_of(primitive, params, inputs, outputs) -> Links:
    """For each output of an operation, the positions of the inputs that it is differentiable by.

    Args:
      primitive: the JAX primitive.
      params: its parameters.
      inputs: its operands, or values with their dtypes.
      outputs: its results, or values with their dtypes.
    """
    name = primitive.name
    if name in _NOT_DIFFERENTIABLE:
        return (_NONE,) * len(outputs)
    found = links_between(inputs, outputs)
    if name in _CALLS:
        inner = next(iter(jp.sub_jaxprs(params)), None)
        if inner is None or len(jp.open_jaxpr(inner)[0].invars) != len(inputs):
            return found
        found = _meet(found, links_through(inner))
    elif name == "cond":
        branches = [links_through(branch) for branch in params["branches"]]
        joined = [frozenset().union(*per) for per in zip(*branches, strict=True)]
        found = _meet(found, [frozenset(i + 1 for i in link) for link in joined])
    elif name == "scan":
        consts, carries = jp.scan_counts(params)
        found = _meet(found, _repeated(links_through(params["jaxpr"]), consts, carries))
    elif name == "while":
        skipped, consts = params["cond_nconsts"], params["body_nconsts"]
        body = links_through(params["body_jaxpr"])
        repeated = _repeated(body, consts, len(outputs))
        found = _meet(found, [frozenset(i + skipped for i in link) for link in repeated])
    return found


def joined(links: Links, outputs) -> Links:
    """The links of an operation that is differentiated as a whole."""
    every = _NONE.union(*links)
    return tuple(every if is_differentiable(y) else _NONE for y in outputs)


def _meet(outer, inner) -> Links:
    return tuple(a & b for a, b in zip(outer, inner, strict=True))


def links_through(closed) -> Links:
    """The links between the inputs and the outputs of an inner program."""
    jaxpr, _ = jp.open_jaxpr(closed)
    known = _KNOWN.get(jaxpr)
    if known is None:
        known = _KNOWN[jaxpr] = _walk(jaxpr)
    return known


def _walk(jaxpr) -> Links:
    reached = dict.fromkeys(jaxpr.constvars, _NONE)
    reached.update((v, frozenset([i])) for i, v in enumerate(jaxpr.invars))

    def step(eqn, sources):
        inputs = [a.aval for a in eqn.invars]
        outputs = [v.aval for v in eqn.outvars]
        links = links_of(eqn.primitive, eqn.params, inputs, outputs)
        return [_NONE.union(*(sources[i] for i in link)) for link in links]

    return tuple(evaluate(jaxpr, reached, step, lambda number: _NONE))


def _repeated(body: Links, consts: int, carries: int) -> list[frozenset[int]]:
    """The links of a loop: of its final carries, then of what each iteration gives."""
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
