"""Dimensions are Python's integers: their values at run time, their bounds, and where a type ends."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

from shims._src.platform import jax_private as jp
from shims._src.sizes import dims

N, M = export.symbolic_shape("n, m")
LARGER, SMALLER = jp.core.max_dim, jp.core.min_dim
RANGES = {"n": (0, 5), "m": (1, 3)}
DIMS = {
    "a number": 7,
    "a sum": N + 2 * M - 3,
    "a product": N * M,
    "a square": N * N - M,
    "a negative multiple": -3 * N,
    "a quotient": N // 2,
    "a quotient by a negative number": N // -2,
    "a quotient of a negative number": (-N - 1) // 3,
    "a quotient by a size": N // M,
    "a quotient by a size that may be zero": (M + 1) // N,
    "a quotient by a size of either sign": N // (M - 2),
    "a remainder": N % 3,
    "a remainder by a size": (N - 4) % M,
    "a remainder of little": (M - 1) % 100,
    "a remainder by a negative number": N % -3,
    "a remainder by a size that may be zero": M % N,
    "the larger": LARGER(N, M),
    "the smaller": SMALLER(2 * N, M + 1),
    "a part in a part": LARGER(N - 3, 0) * SMALLER(N, 3) + M,
}
# Those with the least interval, because each size occurs once or JAX's form is tried out.
LOOSE = (
    "a quotient by a size that may be zero",
    "a quotient by a size of either sign",
    "a remainder by a negative number",
    "a remainder by a size that may be zero",
)


def python_value(d, sizes):
    """Compute a dimension in Python; a quotient or remainder by zero is zero."""
    if not jp.is_symbolic(d):
        return int(d)
    total = 0
    for factors, coefficient in jp.terms(d):
        product = coefficient
        for var, operation, operands, power in factors:
            if var is not None:
                one = sizes[var]
            else:
                a, b = (python_value(o, sizes) for o in operands)
                one = {
                    "floordiv": lambda a=a, b=b: a // b if b else 0,
                    "mod": lambda a=a, b=b: a % b if b else 0,
                    "max": lambda a=a, b=b: max(a, b),
                    "min": lambda a=a, b=b: min(a, b),
                }[operation]()
            product *= one**power
        total += product
    return total


def env_of(sizes, ranges=RANGES):
    return {
        v: dims.Binding(jnp.int32(sizes[v]), high, low, i, True)
        for i, (v, (low, high)) in enumerate(ranges.items())
    }


CHOICES = [
    dict(zip(RANGES, values, strict=True))
    for values in itertools.product(*(range(low, high + 1) for low, high in RANGES.values()))
]


@pytest.mark.parametrize("d", DIMS.values(), ids=DIMS)
def test_the_value_at_run_time(d):
    for sizes in CHOICES:
        env = env_of(sizes)
        expected = python_value(d, sizes)
        assert int(dims.evaluate(d, env)) == expected
        assert float(dims.evaluate_as_float(d, env, np.float32)) == expected
        assert not dims.is_wide(d, env)
        assert not bool(dims.beyond(d, env))


@pytest.mark.parametrize("name", DIMS)
def test_the_bounds(name):
    found = [python_value(DIMS[name], sizes) for sizes in CHOICES]
    low, high = dims.interval(DIMS[name], env_of(CHOICES[0]))
    assert low <= min(found)
    assert high >= max(found)
    if name not in LOOSE:
        assert (low, high) == (min(found), max(found))


@pytest.mark.parametrize(
    ("d", "low", "high"),
    [
        (N // 2, 0, 500_000),
        (N // -2, -500_000, 0),
        ((N - 10) // 4, -3, 249_997),
        (N // M, 0, 10**6),
        (N // (M - 2), -(10**6), 10**6),
        (N % 7, 0, 6),
        ((N - 10) % 7, 0, 6),
        (N % -7, -6, 0),
        (SMALLER(N, 5) % 7, 0, 5),
        (LARGER(N, 3), 3, 10**6),
        (SMALLER(N, M), 0, 3),
        (N * M - N, -(10**6), 3 * 10**6),
        ((N // -2) * (M // -2), 0, 10**6),
        ((N // -2) * M, -1_500_000, 0),
    ],
    ids=str,
)
def test_the_bounds_of_sizes_with_too_many_values_to_try(d, low, high):
    """The rules of each operation apply."""
    ranges = {"n": (0, 10**6), "m": (1, 3)}
    assert dims.interval(d, env_of({"n": 0, "m": 1}, ranges)) == (low, high)


@pytest.mark.parametrize("d", DIMS.values(), ids=DIMS)
def test_the_value_of_given_sizes(d):
    for sizes in CHOICES:
        if sizes["n"] and sizes["m"] != 2:  # Python divides by no zero
            assert dims.concrete(d, sizes) == python_value(d, sizes)
    once = dims.substituted(d, {"n": 4})
    assert dims.concrete(once, {"m": 3}) == dims.concrete(d, {"n": 4, "m": 3})


@pytest.mark.parametrize(
    ("d", "largest", "wide", "outside"),
    [
        (N, 2**31 - 1, False, False),
        (N + 1, 2**31 - 1, True, True),
        (N * N, 46340, False, False),
        (N * N, 46341, True, True),
        (-N, 2**31 - 1, False, False),
        (N - 2, 2**31 - 1, True, False),
        (LARGER(N * 3, N + 5) // 3, 2**31 - 1, True, False),
        (N * N * N, 2**31 - 1, True, True),
        (SMALLER(N * N * N, 5), 2**31 - 1, True, True),
    ],
    ids=str,
)
def test_numbers_beyond_int32(d, largest, wide, outside):
    env = env_of({"n": largest}, {"n": (0, largest)})
    assert dims.is_wide(d, env) == wide
    assert bool(dims.beyond(d, env)) == outside
    if not outside:
        assert int(dims.evaluate(d, env)) == python_value(d, {"n": largest})


@pytest.mark.parametrize(
    ("d", "sign"), [(N + 1, 1), (-2 * N - 1, -1), (N + 2**40, 1), (3 - 2**40 - N, -1)], ids=str
)
def test_a_value_beyond_int32_becomes_the_nearest(d, sign):
    env = env_of({"n": 2**31 - 1}, {"n": (0, 2**31 - 1)})
    info = np.iinfo(np.int32)
    assert int(dims.evaluate(d, env)) == (info.max if sign > 0 else info.min)


def test_which_dimensions_may_exceed_their_sizes():
    assert [
        dims.exceeds_sizes(d) for d in (4, N, N + 1, N // 2, 2 * N, N * M, LARGER(N * M, 1))
    ] == [
        *[False] * 4,
        *[True] * 3,
    ]


def test_forms():
    assert [dims.is_product(d) for d in (4, N + M, 2 * N, N * M, N * N)] == [False] * 3 + [True] * 2
    linear = [dims.is_linear(d) for d in (N, 2 * N + M, N * M, N * N, N // 2)]
    assert linear == [True] * 2 + [False] * 3
    slices = (4, N, LARGER(N - 3, 0), N // 2, LARGER(N // 2, 1))
    assert [dims.is_size_of_slices(d) for d in slices] == [True] * 3 + [False] * 2
