"""Jaxprs are walked whole, inner programs included, and evaluated by a rule."""

import jax
import jax.numpy as jnp

from shims._src.platform import jaxprs


def names(f, *args):
    return [eqn.primitive.name for eqn in jaxprs.equations(jax.make_jaxpr(f)(*args))]


def test_equations_of_inner_programs_follow_their_equation():
    def f(x):
        return jax.lax.cond(x > 0, jnp.sin, lambda y: jax.jit(jnp.cos)(y), x)

    found = names(f, 1.0)
    assert [n for n in found if n in ("gt", "cond", "sin", "cos")] in (
        ["gt", "cond", "sin", "cos"],
        ["gt", "cond", "cos", "sin"],
    )


def test_uses_of_a_variable():
    jaxpr = jax.make_jaxpr(lambda x: x * x + jnp.sin(x))(1.0).jaxpr
    found = [eqn.primitive.name for eqn in jaxprs.uses(jaxpr, jaxpr.invars[0])]
    assert found == ["mul", "sin"]


def test_evaluation_by_a_rule():
    jaxpr = jax.make_jaxpr(lambda x, y: (x * 2.0 + y, x))(1.0, 1.0).jaxpr
    depth = dict.fromkeys(jaxpr.invars, 0)
    step = lambda eqn, depths: [1 + max(depths)] * len(eqn.outvars)
    assert jaxprs.evaluate(jaxpr, depth, step, lambda number: 0) == [2, 0]
