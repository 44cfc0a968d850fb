"""The body of a function runs once per trace, as in TensorFlow, whatever state it uses."""

import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims

LANES = {"tensorflow": (tf, tf.constant), "shims": (shims, jnp.asarray)}


class Owner:
    """An object with a variable, and Python state that its function changes while it is traced."""

    def __init__(self, m):
        self.m, self.v, self.made, self.seen, self.log = m, m.Variable(1.0), None, False, []


def flag(o, x):
    if not o.seen:
        o.seen = True
        o.v.assign_add(5.0)
    return o.v + x


def read(o, x):
    return o.v * x


def assigned(o, x):
    o.v.assign(x)
    return x + len(o.log)


def created(o, x):
    if o.made is None:
        o.made = o.m.Variable(2.0)
        o.made.assign_add(5.0)
    return o.made.assign_add(x) + 0.0


def created_from_arguments(o, x):
    if o.made is None:
        o.made = o.m.Variable(x * 2)
    return o.made + o.v


def created_from_a_variable(o, x):
    if o.made is None:
        o.made = o.m.Variable(o.v * 3), o.m.Variable(lambda: o.v * 4)
    return o.made[0] + o.made[1] + x


def drawn(o, x):
    return o.m.random.uniform([]) * 0 + x + len(o.log)


def in_a_branch(o, x):
    return o.m.cond(x > 0, lambda: o.v.assign_add(x) + 0.0, lambda: o.v * x)


def with_a_tape(o, x):
    with o.m.GradientTape() as tape:
        y = o.v * o.v * x
    o.v.assign_sub(0.1 * tape.gradient(y, o.v))
    return y


def in_an_inner_function(o, x):
    @o.m.function
    def inner(x):
        o.log.append("inner")
        return o.v.assign_add(x) + 0.0

    return inner(x) * o.v


def of_an_init_scope(o, x):
    with o.m.init_scope():
        o.log.append(float(o.v))
    return o.v.assign_add(x) + 0.0


BODIES = (
    flag,
    read,
    assigned,
    created,
    created_from_arguments,
    created_from_a_variable,
    drawn,
    in_a_branch,
    with_a_tape,
    in_an_inner_function,
    of_an_init_scope,
)


@pytest.mark.parametrize("body", BODIES, ids=lambda f: f.__name__)
def test_results_and_python_side_effects_are_tensorflows(body):
    found = {}
    for lane, (m, constant) in LANES.items():
        o = Owner(m)

        @m.function
        def f(x, o=o):
            o.log.append("body")
            return body(o, x)

        results = [float(f(constant(np.float32(x)))) for x in (1.0, 2.0, -3.0)]
        results.append(np.asarray(f(constant(np.float32([1.0])))).item() if body is flag else None)
        found[lane] = results, o.log, float(o.v)
    assert found["shims"] == found["tensorflow"]


def test_a_selection_and_a_variable_run_the_body_once():
    log, v = [], shims.Variable(1.0)

    @shims.function(input_signature=[shims.TensorSpec([None])])
    def f(x):
        log.append("body")
        v.assign_add(shims.reduce_sum(x[x > 0]))
        return v + 0.0

    assert float(f(jnp.float32([1, -2, 3]))) == 5.0
    assert float(f(jnp.float32([2, -2]))) == 7.0
    assert len(log) == 1


def test_a_body_that_raises_runs_once():
    log = []

    @shims.function
    def f(x):
        log.append("body")
        raise KeyError("later")

    with pytest.raises(KeyError):
        f(jnp.float32(1))
    assert len(log) == 1
