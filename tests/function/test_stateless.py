"""A function that assigns variables becomes a function of their values."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims


class Counter(shims.Module):
    def __init__(self):
        super().__init__()
        self.total = shims.Variable(1.0)
        self.calls = shims.Variable(0, trainable=False)

    def add(self, x):
        self.calls.assign_add(1)
        self.total.assign_add(x)
        return self.total * 2


@pytest.fixture
def counter():
    return Counter()


def test_values_are_taken_and_returned_and_no_variable_changes(counter):
    variables = [counter.total, counter.calls]
    step = jax.jit(shims.stateless(counter.add, variables))
    values = [v.read_value() for v in variables]
    for _ in range(2):
        result, values = step(values, 2.0)
    assert (float(result), float(values[0]), int(values[1])) == (10, 5, 2)
    assert (float(counter.total), int(counter.calls)) == (1, 0)


def test_scan_and_grad_apply(counter):
    run = shims.stateless(counter.add, [counter.total, counter.calls])
    last, results = jax.lax.scan(lambda v, x: run(v, x)[::-1], [1.0, 0], jnp.arange(3.0))
    np.testing.assert_array_equal(results, [2, 4, 8])
    assert int(last[1]) == 3
    square = shims.stateless(lambda x: counter.total * counter.total * x, [counter.total])
    assert float(jax.grad(lambda v: square(v, 3.0)[0])([2.0])[0]) == 12


def test_a_variable_that_is_left_out_is_an_error(counter):
    run = shims.stateless(counter.add, [counter.total])
    with pytest.raises(
        shims.errors.FailedPreconditionError, match="that `variables` does not contain"
    ):
        jax.jit(run)([1.0], 2.0)
    with pytest.raises(
        shims.errors.FailedPreconditionError, match="that `variables` does not contain"
    ):
        shims.stateless(lambda: shims.Variable(1.0), [])([])
    assert int(counter.calls) == 0


RETURNED = {
    "what an assignment returns": lambda v, x: v.assign_add(x),
    "the variable": lambda v, x: (v.assign_add(x), v)[1],
    "a dictionary": lambda v, x: {"new": v.assign_add(x), "more": [v]},
}
AROUND = {"plain": lambda f: f, "function": shims.function, "dynamic": shims.dynamic}


@pytest.mark.parametrize("kind", RETURNED)
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("lane", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_a_returned_variable_is_its_new_value(kind, around, lane):
    v = shims.Variable([1.0, 2.0])
    run = lane(shims.stateless(AROUND[around](lambda x: RETURNED[kind](v, x)), [v]))
    result, (new,) = run([jnp.zeros(2)], jnp.ones(2))
    assert all(leaf.tolist() == [1, 1] for leaf in jax.tree.leaves(result))
    assert new.tolist() == [1, 1]
    assert v.numpy().tolist() == [1, 2]


def test_control_flow_on_arrays_is_converted(counter):
    def step(x):
        if shims.reduce_sum(x) > 3:
            counter.total.assign_add(shims.reduce_sum(x))
        return counter.total * 2

    variables = [counter.total]
    run = jax.jit(shims.stateless(step, variables))
    for x, total in ((4.0, 5.0), (2.0, 1.0)):
        result, values = run([1.0], x)
        assert (float(result), float(values[0])) == (total * 2, total)
    with pytest.raises(jax.errors.TracerBoolConversionError):
        jax.jit(shims.stateless(step, variables, autograph=False))([1.0], 4.0)
