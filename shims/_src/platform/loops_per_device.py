"""Stage loops whose values vary over mesh axes of `shard_map`, which by default must vary from the start.

A loop that begins with a constant, which is equal on all devices, and adds what differs between them is refused
by `lax.while_loop`, `lax.scan` and `lax.fori_loop`. The loops here begin with values that vary as they
will after a step.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs


def while_loop(test, step, state):
    """Run `lax.while_loop`; each part of the state varies over the mesh axes of all, and of the test."""
    return lax.while_loop(test, step, _varying(lambda s: (step(s), test(s)), state))


def fori_loop(low, high, step, state):
    """Run `lax.fori_loop`; each part of the state varies over the mesh axes of all, and of the limits."""
    state = jp.varying_as(_varying(lambda s: step(jnp.int32(0), s), state), (low, high))
    return lax.fori_loop(low, high, step, state)


def scan(step, carry, xs, *, reverse=False):
    """Run `lax.scan`; each part of the carry varies over the mesh axes of all, and of a row of `xs`."""
    row = jax.tree.map(lambda x: jp.abstract(x, x.shape[1:]), xs)
    carry = _varying(lambda c, row: step(c, row)[0], carry, row)
    return lax.scan(step, carry, xs, reverse=reverse)


def _varying(step, state, *others):
    if not jp.has_manual_axes():
        return state
    return jp.varying_as(state, [state, *others, jax.eval_shape(step, state, *others)])


def with_varying_loops(f):
    """Return a function in which what a loop carries varies over the mesh axes of all that the loop reads.

    JAX's functions begin loops with constants, which are equal on all devices, and `shard_map` refuses such a
    loop where a step makes them vary. Outside of `shard_map` the function is called as it is. Derivative rules
    inside of the function are lost in `shard_map`: give the whole function one.
    """

    @functools.wraps(f)
    def run(*args):
        if not jp.has_manual_axes():
            return f(*args)
        closed, tree = jp.traced_without_varying_axes(f, args)
        return jax.tree.unflatten(tree, _evaluated(closed, jax.tree.leaves(args)))

    return run


def _evaluated(closed, args):
    jaxpr, consts = jp.open_jaxpr(closed)
    env = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *args), strict=True))
    return jaxprs.evaluate(jaxpr, env, _step, lambda literal: literal.val)


def _step(eqn, args):
    rule = _RULES.get(eqn.primitive.name)
    if rule is not None:
        return rule(eqn.params, args)
    inner = [] if eqn.primitive.name.startswith("reduce") else jaxprs.sub_jaxprs(eqn.params)
    if len(inner) == 1 and len(inner[0].in_avals) == len(args):
        return _evaluated(inner[0], args)
    return jp.bind(eqn, jp.varying_as(args, args))


def _while(params, args):
    n, m = params["cond_nconsts"], params["body_nconsts"]
    args = jp.varying_as(args, args)
    of_test, of_body, state = args[:n], args[n : n + m], args[n + m :]

    def goes_on(xs):
        return _evaluated(params["cond_jaxpr"], [*of_test, *xs])[0]

    def body(xs):
        new, on = _evaluated(params["body_jaxpr"], [*of_body, *xs]), goes_on(xs)
        if on.ndim:  # a loop under `vmap`, which goes on as long as any row does
            new = [
                jnp.where(lax.expand_dims(on, range(on.ndim, x.ndim)), x, y)
                for x, y in zip(new, xs, strict=True)
            ]
        return jp.varying_as(new, args)

    return lax.while_loop(lambda xs: goes_on(xs).any(), body, state)


def _scan(params, args):
    n, k = jp.scan_counts(params)
    args = jp.varying_as(args, args)

    def step(carry, xs):
        out = jp.varying_as(_evaluated(params["jaxpr"], [*args[:n], *carry, *xs]), args)
        return out[:k], out[k:]

    carry, rows = lax.scan(
        step,
        args[n : n + k],
        args[n + k :],
        length=params["length"],
        reverse=params["reverse"],
        unroll=params["unroll"],
    )
    return [*carry, *rows]


def _cond(params, args):
    args = jp.varying_as(args, args)
    branches = [functools.partial(_branch, jaxpr, like=args) for jaxpr in params["branches"]]
    return lax.switch(args[0], branches, args[1:])


def _branch(jaxpr, operands, like):
    return jp.varying_as(_evaluated(jaxpr, operands), like)


_RULES = {"while": _while, "scan": _scan, "cond": _cond}
