"""Jaxprs are walked whole, inner programs included, evaluated by a rule, and rewritten."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as jex

from shims._src.platform import jax_private, jaxprs


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
    assert jaxprs.evaluate(jaxpr, depth, step, lambda literal: 0) == [2, 0]


def test_replacing_equations():
    closed = jax.make_jaxpr(lambda x: jnp.sin(x) * jnp.arange(3.0))(1.0)
    same = jaxprs.map_equations(closed, lambda eqn: [eqn])
    assert same is closed

    def twice(eqn):
        if eqn.primitive.name != "sin":
            return [eqn]
        var = jax_private.another_variable(eqn.outvars[0], eqn.outvars[0].aval)
        return [eqn.replace(outvars=[var]), eqn.replace(invars=[var])]

    changed = jaxprs.map_equations(closed, twice)
    wanted = np.sin(np.sin(np.float32(0.5))) * np.arange(3.0)
    np.testing.assert_allclose(jex.jaxpr_as_fun(changed)(0.5)[0], wanted, rtol=1e-6)


def test_more_constants():
    table = jnp.asarray([1.0, 2.0])
    closed = jax.make_jaxpr(lambda x: x + table)(jnp.zeros(2))
    inner = closed.jaxpr
    var = jax_private.another_variable(inner.invars[0], inner.invars[0].aval)
    more = [(var, jnp.asarray([5.0, 6.0]))]
    eqns, outs = jaxprs.own_equations(closed), [*inner.outvars, var]
    changed = jaxprs.with_equations(closed, inner.invars, eqns, outs, more)
    found = jex.jaxpr_as_fun(changed)(jnp.ones(2))
    np.testing.assert_array_equal(found, [[2, 3], [5, 6]])
