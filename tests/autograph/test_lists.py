"""Lists in staged loops: filled like in Python, or refused; never silently wrong."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from shims._src.autograph import convert
from shims._src.errors.errors import OpError
from shims._src.function.dynamic_function import dynamic
from tests.harness.compare import Dtypes, assert_same_tree


def every_row(x):
    values = []
    for row in x:
        values.append(row * 2)
    return values


def after_others(x):
    values = [x[0], -x[0]]
    for row in x:
        values.append(row * 2)
    return values


def two_at_once(x):
    values = []
    for row in x:
        values.append(row)
        values.append(-row)
    return values


def two_lists(x):
    up, down = [], []
    for row in x:
        up.append(row + 1)
        down.append(row - 1)
    return up, down


def of_structures(x):
    values = []
    for row in x:
        values.append((row, {"a": row * 2}))
    return values


def numbers(x):
    values = []
    for i, _ in enumerate(x):
        values.append(i * 2)
    return values


def inner_loop(x):
    values = []
    for row in x:
        for k in range(2):
            values.append(row * k)
    return values


def inner_staged_loop(x):
    values = []
    for row in x:
        for other in x[:2]:
            values.append(row * other)
    return values


def either_branch(x):
    values = []
    for row in x:
        if row > 0:
            values.append(row)
        else:
            values.append(-row)
    return values


def list_of_its_own(x):
    total = 0.0
    for row in x:
        parts = []
        for k in range(3):
            parts.append(row * k)
        total = total + sum(parts)
    return total


def rebuilt(x):
    last = [x[0], x[0]]
    for row in x:
        last = [last[1], row]
    return last


def in_a_while(x):
    values, i = [], 0
    while i < x.shape[0]:
        values.append(x[i] * 2)
        i += 1
    return values


KNOWN = [
    every_row,
    after_others,
    two_at_once,
    two_lists,
    of_structures,
    numbers,
    inner_loop,
    inner_staged_loop,
    either_branch,
    list_of_its_own,
    rebuilt,
    in_a_while,
]


@pytest.mark.parametrize("f", KNOWN, ids=lambda f: f.__name__)
def test_of_known_length_it_is_the_list_of_python(f):
    x = jnp.asarray([1.0, -2.0, 3.0])
    assert_same_tree(jax.jit(convert(f))(x), f(x), Dtypes.ANY)
    assert_same_tree(convert(f)(x), f(x))


def positive(x):
    values = []
    for row in x:
        if row > 0:
            values.append(row)
    return values


def until_negative(x):
    values = []
    for row in x:
        if row < 0:
            break
        values.append(row)
    return values


def one_or_two(x):
    values = [x[0]]
    for row in x:
        values.append(row)
        if row > 1:
            values.append(row * 10)
    return values


def selected(x):
    values = []
    for row in x[x > 0]:
        values.append(row * 2)
    return values


def while_positive(x):
    values, i = [], 0
    while i < x.shape[0] and x[i] > 0:
        values.append(x[i])
        i += 1
    return values


def pairs(x):
    values = []
    for a in x:
        for b in x:
            if a * b > 2:
                values.append(a + b)
    return values


UNKNOWN = [positive, until_negative, one_or_two, selected, while_positive, pairs]
INPUTS = [
    [1.0, 2.0, -1.0, 3.0],
    [-1.0, -2.0, -3.0, -4.0],
    [5.0, 6.0, 7.0, 8.0],
    [1.0, -5.0, 0.0, 2],
]


@pytest.mark.parametrize("f", UNKNOWN, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", INPUTS, ids=str)
def test_of_unknown_length_it_is_the_stacked_array(f, x):
    x = jnp.asarray(x, jnp.float32)
    found = dynamic(f)(x)
    wanted = f(x)
    np.testing.assert_allclose(found, np.stack(wanted) if wanted else np.zeros(0), rtol=1e-6)


@pytest.mark.parametrize("f", UNKNOWN, ids=lambda f: f.__name__)
def test_its_gradient(f):
    x = jnp.asarray(INPUTS[0])
    total = lambda x: sum(v * v for v in f(x))
    staged = jax.grad(dynamic(lambda x: jnp.sum(jnp.square(convert(f)(x)))))
    np.testing.assert_allclose(staged(x), jax.grad(total)(x), rtol=1e-6)


class Holder:
    def __init__(self):
        self.values = []


def test_a_list_from_outside_cannot_keep_a_traced_value():
    holder, outside = Holder(), []

    def to_attribute(x):
        if x[0] > 0:
            holder.values.append(x)
        return x

    def to_closure(x):
        for row in x:
            outside.append(row)
        return x

    def through_a_function(x):
        def put(values, value):
            values.append(value)

        if x[0] > 0:
            put(outside, x)
        return x

    def to_a_dictionary(x):
        kept = {}
        setters = [kept.update]
        if x[0] > 0:
            setters[0]({"a": x})
        return x

    for f in (to_attribute, through_a_function, to_a_dictionary):
        with pytest.raises(OpError, match="stores a value outside of the branch or loop"):
            jax.jit(convert(f))(jnp.ones(3))
    assert len(holder.values) <= 1
    # A loop over an array of known length is unrolled instead, as `jit` would do.
    assert jax.jit(convert(to_closure))(jnp.ones(3)).shape == (3,)


def test_a_list_of_python_values_is_a_trace_time_effect():
    calls = []

    def f(x):
        if x > 0:
            calls.append("traced")
        return x

    g = jax.jit(convert(f))
    g(1.0), g(2.0)
    assert calls == ["traced"]


def store_by_sum(x, i=0):
    values = [0.0, 0.0, 0.0]
    if x[0] > 0:
        values[i + 1] = 5.0
    values[i + 2] += x[0]
    return values


def store_into_dictionary(x):
    values = {k: x[0] * k for k in range(3)}
    if x[0] > 0:
        values[1 + 1] = x[1]
    return values


def store_into_numpy(x):
    values = np.zeros(3, np.float32)
    if x[0] > 0:
        values[0 + 1] = 4.0
    return values + x[0]


def swap_attributes(x):
    kept = Holder()
    kept.values, kept.other = x[0], x[1]
    if x[0] > 0:
        kept.values, kept.other = kept.other, kept.values
    for row in x:
        kept.values = kept.values + row * kept.other
    return kept.values


def object_made_inside(x):
    total = 0.0
    for row in x:
        kept = Holder()
        kept.values = row * 2
        total = total + kept.values
    return total


STORES = [
    store_by_sum,
    store_into_dictionary,
    store_into_numpy,
    swap_attributes,
    object_made_inside,
]


@pytest.mark.parametrize("f", STORES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [[1.0, 2.0], [-1.0, 2.0]], ids=str)
def test_stores_happen_in_the_branch_taken(f, x):
    x = jnp.asarray(x)
    assert_same_tree(jax.jit(convert(f))(x), f(x), Dtypes.ANY)


def test_a_loop_that_never_runs_leaves_no_number():
    def f(x):
        for row in x[x > 0]:
            last = row * 2
            place = jnp.int32(7)
        return last, place

    assert_same_tree(dynamic(f)(jnp.asarray([1.0, -2.0])), (jnp.float32(2), jnp.int32(7)))
    last, place = dynamic(f)(jnp.asarray([-1.0, -2.0]))
    assert np.isnan(last)
    assert place == 0


class _Pair:
    pass


def _steps_of_a_function(x):
    @shims.function
    def inner(x):
        steps = [x]
        for i in range(1, 4):
            steps.append(steps[-1] * i)
        return steps

    return sum(inner(x))


def _object_with_attributes(x):
    @shims.function
    def inner(x):
        pair = _Pair()
        pair.one = x
        pair.other = 2 * x
        return pair.one + pair.other

    return inner(x)


@pytest.mark.parametrize("helper", [_steps_of_a_function, _object_with_attributes])
@pytest.mark.parametrize("kind", ["while", "if"])
def test_what_a_function_makes_in_a_block_is_changed_several_times(helper, kind):
    """Public solvers of differential equations collect the parts of a step so."""

    def f(x):
        if kind == "if":
            if jnp.sum(x) > 0:
                x = helper(x)
            return x
        while jnp.sum(x) < 100:
            x = x + helper(x)
        return x

    x = jnp.array([1.0, 2.0])
    for lane in (shims.function, lambda f: jax.jit(shims.function(f))):
        np.testing.assert_allclose(lane(f)(x), f(x), rtol=1e-6)
