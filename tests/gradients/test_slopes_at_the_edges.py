"""Slopes of single elements where functions end, turn, overflow or are infinite, beside TensorFlow's."""

import numpy as np
import pytest
import tensorflow as tf

import shims

NUMBERS = np.float32(
    [
        *(0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 0.3, np.nan, np.inf, -np.inf, 1e-30, -1e-30, 1e30),
        *(-1e-9, -1e-8, -5e-8, -1e-7, 88, -88, 150, -150, 3, -3, 10, 100, -100),
    ]
)
OF_ONE = (
    *(
        "abs",
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "ceil",
        "cos",
        "cosh",
        "erf",
        "erfc",
    ),
    *(
        "erfcinv",
        "erfinv",
        "exp",
        "expm1",
        "floor",
        "lgamma",
        "log",
        "log1p",
        "log_sigmoid",
        "ndtri",
    ),
    *(
        "negative",
        "reciprocal",
        "reciprocal_no_nan",
        "rint",
        "round",
        "rsqrt",
        "sigmoid",
        "sign",
        "sin",
    ),
    *("sinh", "softplus", "softsign", "sqrt", "square", "tan", "tanh", "bessel_i0", "bessel_i0e"),
    *(
        "bessel_i1",
        "special.expint",
        "special.fresnel_cos",
        "special.fresnel_sin",
        "special.spence",
    ),
)
OF_LAYERS = ("elu", "selu", "relu", "relu6", "leaky_relu", "gelu", "silu", "softplus", "softsign")
OF_TWO = (
    *(
        "add",
        "subtract",
        "multiply",
        "divide",
        "divide_no_nan",
        "multiply_no_nan",
        "maximum",
        "minimum",
    ),
    *(
        "pow",
        "atan2",
        "floormod",
        "squared_difference",
        "xlogy",
        "xlog1py",
        "xdivy",
    ),
)


def _function(library, name):
    for part in name.split("."):
        library = getattr(library, part)
    return library


def _found(t, name, arrays):
    function = _function(t, name)
    given = [t.constant(x) for x in arrays]
    with t.GradientTape() as tape:
        tape.watch(given)
        value = function(*given)
    slopes = tape.gradient(value, given)
    return [value, *(x for x in slopes if x is not None)]


def _are_alike(name, *arrays):
    want = _found(tf, name, arrays)
    for run in (_found, _in_a_function):
        found = run(shims, name, arrays)
        assert len(found) == len(want)
        for ours, theirs in zip(found, want, strict=True):
            ours, theirs = np.asarray(ours), np.asarray(theirs)
            np.testing.assert_allclose(ours, theirs, rtol=3e-4, atol=1e-6)


def _in_a_function(t, name, arrays):
    spec = [t.TensorSpec([None])] * len(arrays)
    run = t.function(lambda *given: _found(t, name, given), input_signature=spec, autograph=False)
    return run(*arrays)


@pytest.mark.parametrize("name", [f"math.{n}" for n in OF_ONE] + [f"nn.{n}" for n in OF_LAYERS])
def test_of_one(name):
    _are_alike(name, NUMBERS)


@pytest.mark.parametrize("name", [f"math.{n}" for n in OF_TWO])
def test_of_two(name):
    x, y = (a.ravel() for a in np.meshgrid(NUMBERS[:15], NUMBERS[:15]))
    _are_alike(name, x, y)


def _second(t, name, arrays):
    function = _function(t, name)
    given = [t.constant(x) for x in arrays]
    with t.GradientTape(persistent=True) as outer:
        outer.watch(given)
        with t.GradientTape() as tape:
            tape.watch(given)
            value = function(*given)
        slopes = tape.gradient(value, given)
    return [outer.gradient(s, x) for s in slopes if s is not None for x in given]


@pytest.mark.parametrize("name", [f"math.{n}" for n in OF_TWO])
def test_slopes_of_slopes_of_two(name):
    x, y = (a.ravel() for a in np.meshgrid(*[np.float32([0, -0.0, 1, -1, 2, 0.5, np.inf])] * 2))
    for ours, theirs in zip(_second(shims, name, (x, y)), _second(tf, name, (x, y)), strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            np.testing.assert_allclose(ours, np.asarray(theirs), rtol=3e-4, atol=1e-6)
