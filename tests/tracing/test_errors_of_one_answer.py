"""Under `jax.jit`, what the program itself raises for one answer about a size marks its results for that answer only.

What JAX cannot stage for an answer stays an error of the trace: the exact program has a result there.
"""

import functools
import json
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

X = jnp.array([3.0, -1.0, 1.0, 2.0])
FEW = -X  # one element is selected
LANES = {
    "function": lambda f: jax.jit(shims.function(f)),
    "as written": lambda f: jax.jit(shims.function(f, autograph=False)),
    "dynamic": lambda f: jax.jit(shims.dynamic(f)),
    "gradient": lambda f: jax.jit(jax.grad(shims.function(f))),
}


class Own(TypeError):
    """A class of the program's own."""


class Layer:
    """An object without the attributes and operators that are asked of it."""

    def call(self, x):
        raise NotImplementedError

    @property
    def shape(self):
        raise AttributeError("shape")


def two(a, b):
    return a + b


def raising(kind):
    def raises(*operands):
        raise kind("why")

    return raises


def checked(x):
    if not type(x).__name__.startswith("Array"):
        raise TypeError(f"{type(x)} is no array")
    return x


def handled(s, x):
    try:
        raise KeyError("a")
    except KeyError as error:
        raise TypeError("b") from error


def unpacked(s, x):
    a, b = None
    return a + b


def asserted(s, x):
    assert s.shape == (99,), "why"


ERRORS = {
    **{
        kind.__name__: raising(kind)
        for kind in (TypeError, NotImplementedError, AttributeError, Own, ValueError, KeyError)
    },
    "chained": handled,
    "assert": asserted,
    "method": lambda s, x: Layer().call(x),
    "property": lambda s, x: Layer().shape,
    "in a mapped function": lambda s, x: jax.vmap(raising(TypeError))(x),
    "in a scan": lambda s, x: lax.scan(raising(TypeError), 0.0, x),
    "functools.reduce": lambda s, x: functools.reduce(two, []),
    "jax.tree.reduce": lambda s, x: jax.tree.reduce(two, []),
    "jax.tree.map": lambda s, x: jax.tree.map(two, *[]),
    "jax.tree.map of too few": lambda s, x: jax.tree.map(two, [x]),
    "jax.tree.transpose": lambda s, x: jax.tree.transpose(None, None, x),
    "max of no list": lambda s, x: max(None),
    "max of an empty list": lambda s, x: max([]),
    "int of no digits": lambda s, x: int(""),
    "pop": lambda s, x: [].pop(),
    "key": lambda s, x: {}["a"],
    "unpacking": unpacked,
    "too few arguments": lambda s, x: two(x),
    "too many arguments": lambda s, x: two(x, x, x),
    "no function": lambda s, x: functools.partial(Layer())(x),
    "None + array": lambda s, x: None + x,
    "array + None": lambda s, x: x + None,
    "jnp.add(array, None)": lambda s, x: jnp.add(x, None),
    "attribute of None": lambda s, x: None.shape,
    "attribute of an array": lambda s, x: x.shape_of,
    "attribute of a selection": lambda s, x: s.shape_of,
    "attribute of a module": lambda s, x: jnp.shape_of,
    "json": lambda s, x: json.dumps(object()),
    "math": lambda s, x: math.sqrt(None),
}
ANSWERS = {"few": lambda n: n < 2, "many": lambda n: n > 2, "just one": lambda n: n == 1}


def program(fails, test):
    def f(x):
        s = x[x > 0]
        if test(s.shape[0]):
            return jnp.sum(fails(s, x))
        return (s * s).sum() + x[0]

    return f


def cells():
    for i, name in enumerate(ERRORS):
        yield name, list(ANSWERS)[i % len(ANSWERS)], list(LANES)[i % len(LANES)]


@pytest.mark.parametrize(("name", "answer", "lane"), list(cells()))
def test_the_other_answer_keeps_its_results(name, answer, lane):
    f = program(ERRORS[name], ANSWERS[answer])
    run = LANES[lane](f)
    exact = jax.grad(f) if lane == "gradient" else f
    right, wrong = (X, FEW) if answer != "many" else (FEW, X)
    with pytest.raises(Exception):  # noqa: B017, PT011 - of any class: the program has no result
        exact(wrong)
    assert jnp.array_equal(run(right), exact(right))
    assert jnp.isnan(run(wrong)).all()


REFUSED = {
    "a number of an array": lambda s, x: x[0].item(),
    "an array of NumPy": lambda s, x: np.asarray(x).sum(),
    "a check of types": lambda s, x: checked(x[0]),
    "attribute that only arrays have": lambda s, x: x.addressable_shards[0].data,
    "JSON of an element": lambda s, x: len(json.dumps(x[0])),
    "a step without a rule": lambda s, x: lax.linalg.hessenberg(jnp.outer(s, s))[0],
}


@pytest.mark.parametrize("lane", ["function", "as written"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_staged_stays_an_error_of_the_trace(name, lane):
    f = program(REFUSED[name], ANSWERS["many"])
    with pytest.raises((TypeError, AttributeError, NotImplementedError)):
        LANES[lane](f)(FEW)


def test_a_variable_that_one_answer_assigns_is_refused():
    variable = shims.Variable(0.0)

    def f(x):
        s = x[x > 0]
        if s.shape[0] == 0:
            return jnp.float32(0)
        variable.assign(s.sum())
        return variable.read_value()

    x = jnp.array([3.0, -1.0])
    assert shims.function(f)(x) == 3
    with pytest.raises(shims.errors.FailedPreconditionError, match="traces `value`"):
        jax.jit(shims.function(f))(x)


def defined_in_one_branch(s):
    if s.sum() > 3:
        r = s.sum()
    return r


def returned_in_one_branch(s):
    def total():
        if s.sum() > 3:
            return s.sum()

    return total() + 0


def found_in_a_loop(s):
    for v in s:
        if v > 1.5:
            r = v * 10
            break
    return r


@pytest.mark.parametrize(
    "part",
    [defined_in_one_branch, returned_in_one_branch, found_in_a_loop],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("transform", [lambda f: f, jax.grad])
def test_what_cannot_be_converted_stays_an_error_of_the_trace(part, transform):
    def f(x):
        s = x[x > 0]
        if s.shape[0] > 2:
            return part(s)
        return jnp.float32(0)

    for lane in (shims.dynamic, lambda f: jax.jit(shims.dynamic(f))):
        with pytest.raises(ValueError, match=r"must also be defined|whether the function returns"):
            lane(transform(f))(X)


@pytest.mark.parametrize("transform", [jax.grad, lambda f: lambda x: jax.jvp(f, (x,), (x,))[1]])
@pytest.mark.parametrize("lane", [shims.function, shims.dynamic])
def test_a_branch_that_does_not_run_fails_in_no_eager_derivative(lane, transform):
    def f(x):
        y = shims.boolean_mask(x, x > 0)
        k = shims.maximum(shims.size(y) // 2, 1)
        return shims.cond(
            shims.size(y) > 0, lambda: shims.reduce_sum(shims.math.top_k(y, k)[0]), lambda: 0.0
        )

    assert jnp.array_equal(transform(lane(f))(X), transform(lambda x: jnp.max(x))(X))
    assert not jnp.any(transform(lane(f))(-jnp.abs(X)))
