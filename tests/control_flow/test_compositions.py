"""Gradients of control flow over data-dependent sizes, made by rule, as TensorFlow's.

`make test` differentiates every body in every surrounding once, with another one beside it; `make
test-long` all pairs, with the tape inside of the function and around it.
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import Tolerance, assert_same

from .compositions import BODIES, SURROUNDINGS, filled, in_a_loop_in_a_branch, kept, padded

pytestmark = pytest.mark.filterwarnings("ignore:.*___pyct_anno:DeprecationWarning")
INPUTS = [np.float32(x) for x in ([0.5, -1.5, 0.75, 1.0, -0.25], [-1.0], [])]
SWITCHES = np.float32([0.3, 0.55])


def name_of(pair):
    return "-".join(f.__name__ for f in pair)


def signature(t):
    return [t.TensorSpec([None], t.float32), t.TensorSpec([], t.float32)]


def gradients(t, tape, y, sources):
    # Of what was gathered they are rows.
    found = tape.gradient(y, sources, unconnected_gradients="zero")
    return [t.convert_to_tensor(each) for each in found]


def inside(t, program):
    def differentiated(x, s):
        with t.GradientTape() as tape:
            tape.watch([x, s])
            y = program(x, s)
        return y, *gradients(t, tape, y, [x, s])

    return t.function(differentiated, input_signature=signature(t))


def around(t, program):
    function = t.function(program, input_signature=signature(t))

    def differentiated(x, s):
        x, s = t.constant(x), t.constant(s)
        with t.GradientTape() as tape:
            tape.watch([x, s])
            y = function(x, s)
        return y, *gradients(t, tape, y, [x, s])

    return differentiated


def check(how, surrounding, f, g):
    ours = how(shims, lambda x, s: surrounding(shims, f, g, x, s))
    if how is inside and surrounding is in_a_loop_in_a_branch and padded in (f, g):
        # JAX moves the zeros that stand for the padding's tangent out of the loop, where nobody knows
        # their size, and the branch has to return them.
        with pytest.raises(shims.errors.FreshSizeError, match="of a loop body, a branch"):
            ours(INPUTS[0], SWITCHES[0])
        return
    theirs = how(tf, lambda x, s: surrounding(tf, f, g, x, s))
    for x, s in itertools.product(INPUTS, SWITCHES):
        wanted = theirs(tf.constant(x), tf.constant(s))
        assert_same(ours(x, s), wanted, Tolerance(1e-3, 1e-4), what=f"{x} {s}")


# Each body once in each surrounding, beside the one that stands as many places further as that.
ONCE = [
    (surrounding, f, BODIES[(i + k + 1) % len(BODIES)])
    for k, surrounding in enumerate(SURROUNDINGS)
    for i, f in enumerate(BODIES)
]


@pytest.mark.parametrize("program", ONCE, ids=name_of)
def test_gradient(program):
    check(inside, *program)


@pytest.mark.parametrize("program", ONCE, ids=name_of)
def test_gradient_around_a_function(program):
    check(around, *program)


@pytest.mark.long
@pytest.mark.parametrize("pair", list(itertools.product(SURROUNDINGS, BODIES)), ids=name_of)
def test_all_pairs(pair):
    surrounding, f = pair
    for g in BODIES:
        check(inside, surrounding, f, g)
    jax.clear_caches()


def test_recomputed():
    def again(t):
        return inside(t, lambda x, s: t.recompute_grad(lambda v: filled(t, v))(x) * s)

    ours, theirs = again(shims), again(tf)
    for x in INPUTS:
        wanted = theirs(tf.constant(x), tf.constant(0.5))
        assert_same(ours(x, 0.5), wanted, Tolerance(1e-4, 1e-5))


def test_branches_of_the_users_own_jax():
    """`jax.lax.cond` takes its branches as they are; a size that one of them makes has a derivative."""

    def first(v):
        return shims.reduce_sum(shims.sort(kept(shims, v)))

    def second(v):
        return filled(shims, v)

    @shims.function(input_signature=signature(shims))
    def program(x, s):
        def chosen(v):
            return jax.lax.cond(s > 0.45, lambda: first(v), lambda: second(v))

        return jax.grad(chosen)(x)

    for x, s in itertools.product(INPUTS, SWITCHES):
        with jax.disable_jit():
            wanted = jax.grad(first if s > 0.45 else second)(jnp.asarray(x))
        np.testing.assert_allclose(program(x, s), wanted, rtol=1e-5)
