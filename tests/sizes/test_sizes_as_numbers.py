"""Sizes as keys, texts, counts and positions of Python's own objects: as integers, or a clear error."""

import collections
import logging
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

LANES = {
    "function": shims.function,
    "as written": lambda f: shims.function(f, autograph=False),
    "jit": lambda f: jax.jit(shims.dynamic(f)),
    "jit, as written": lambda f: jax.jit(shims.dynamic(f, autograph=False)),
    "vmap": lambda f: lambda x: jax.vmap(shims.dynamic(f))(x[None])[0],
}
LOG = logging.getLogger(__name__)


def tree(y):
    if y.shape[0] <= 1:
        return y.sum()
    half = y.shape[0] // 2
    return tree(y[:half]) * 2 + tree(y[half:])


def halvings(n):
    return 1 if n <= 1 else halvings(n // 2) + 1


PROGRAMS = {
    "set": lambda y, n: len({*[n, 3]}) + len(set([n, 3])) * 10,  # noqa: C405
    "keys": lambda y, n: len(dict.fromkeys([n, 3])) + len(collections.Counter([n, 3, n])) * 10,
    "set operations": lambda y, n: len({3, 7} - {n}) + len(frozenset([n]) & frozenset([3])) * 10,
    "look-up": lambda y, n: {3: 1.0, 4: 2.0}.get(n, 7.0) + {0: 1, 1: 2, 2: 3, 3: 4, 4: 5}[n],
    "hash": lambda y, n: hash(n) % 100,
    "text": lambda y, n: len(str(n)) + len(f"{n}") * 10 + len(f"{n} of {n:>4}") * 100,
    "percent": lambda y, n: len("%s" % n) + len("%d, %s" % (n, y.shape)) * 10,  # noqa: UP031
    "compared text": lambda y, n: (
        (str(n) == "3") + {"3": 10, "4": 20}.get(repr(n), 30) + int(str(n))
    ),
    "class": lambda y, n: 1.0 if isinstance(n, int) else 2.0,
    "reversed": lambda y, n: sum(i * 2 for i in reversed(range(n))) + len(range(n)[1:]),
    "range": lambda y, n: range(n + 1)[-1] + (2 in range(n)) + max(range(n), default=9),
    "comprehension": lambda y, n: len([i * i for i in range(n)]) + sum([1.0] * n),
    "positions": lambda y, n: [1.0, 2.0, 3.0, 4.0, 5.0][n] + len("abcdef"[n:]),
    "numpy": lambda y, n: (y * np.arange(n)).sum() + np.zeros(n).size + np.where(n > 2, 1.0, 2.0),
    "built in": lambda y, n: n.bit_length() + len(bin(n)) + divmod(n, 3)[1] + pow(2, n),
    "random keys": lambda y, n: jax.random.normal(jax.random.split(jax.random.key(3), n + 1)[0]),
    "recursion": lambda y, n: tree(y) + halvings(n),
}


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_for_integers(name, lane):
    def program(x):
        y = x[x > 0]
        return PROGRAMS[name](y, y.shape[0]) * 1.0

    run = LANES[lane](program)
    for data in ([1.0, 2.0, 3.0, 4.0], [1.0, -1.0, 2.0, 4.0], [-1.0, -1.0, 2.0, -1.0]):
        x = jnp.array(data)
        np.testing.assert_allclose(run(x), program(x), rtol=1e-6)


def test_messages_show_the_symbol_and_specialize_nothing(capsys, caplog):
    @shims.function(on_specialize="raise", input_signature=[shims.TensorSpec([None])])
    def f(x):
        n = x.shape[0]
        print(n, f"{n:>4}", str(n), x.shape)  # noqa: T201
        LOG.warning(f"size {n}")
        LOG.warning("size %s", n)
        warnings.warn(f"size {n}", UserWarning, stacklevel=1)
        assert n < 100, f"{n} elements"
        if n > 50:
            raise ValueError(f"{n} elements")
        return x * 2

    with pytest.warns(UserWarning, match="size n0"):
        f(np.ones(3, np.float32))
    f(np.ones(5, np.float32))
    assert capsys.readouterr().out == "n0   n0 n0 (n0,)\n"
    assert [r.message for r in caplog.records] == ["size n0", "size n0"]


def test_one_number_among_many_is_refused_under_jit():
    @jax.jit
    @shims.dynamic
    def f(x):
        y = x[x > 0]
        return x * len(f"{y.shape[0]}")

    with pytest.raises(
        shims.errors.FreshSizeError, match="text needs a data-dependent size as a number"
    ) as raised:
        f(jnp.ones(40))
    assert "return x * len(f" in str(raised.value)


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("factor", [10**9, 10**12])
@pytest.mark.parametrize("lane", ["function", "of a signature", "jit"])
def test_a_loop_counts_beyond_int32(lane, factor):
    def f(x):
        k = 1
        while k < x[x > 0].shape[0] * factor:
            k *= 10
        return x * float(k)

    unknown = [shims.TensorSpec([None])]
    run = {
        "function": shims.function(f),
        "of a signature": shims.function(f, input_signature=unknown),
        "jit": jax.jit(shims.dynamic(f)),
    }[lane]
    for x in (jnp.ones(4), jnp.array([1.0, -1.0, -1.0, 1.0]), -jnp.ones(3)):
        np.testing.assert_array_equal(run(x), f(x))


CONVERTED = {
    "is": lambda n: (
        ((n > 2) is True) + ((n > 2) is not False) * 2 + (False is (n == 3)) * 4 + (n is True) * 8
    ),
    "is in an if": lambda n: 1.0 if (n > 2) is True else 2.0,
    "others": lambda n: (n is None) + (None is not False) * 2 + (n is True) * 4,
    "class of a quotient": lambda n: (
        isinstance(n / 2, float) + isinstance(n / 2, (int, bool)) * 2 + (type(n / 2) is float) * 4
    ),
    "class of an array": lambda n: (
        isinstance(jnp.float32(n), float) + isinstance(jnp.asarray(n), int) * 2
    ),
    "class of an answer": lambda n: isinstance(n > 2, bool) + (type(n > 2) is bool) * 2,
}


@pytest.mark.parametrize("lane", [lane for lane in LANES if "as written" not in lane])
@pytest.mark.parametrize("name", CONVERTED)
def test_as_for_integers_in_converted_code(name, lane):
    def program(x):
        return CONVERTED[name](x[x > 0].shape[0]) * 1.0

    run = LANES[lane](program)
    for data in ([1.0, 2.0, 3.0, 4.0], [1.0, -1.0, 2.0, 4.0], [-1.0, -1.0, 2.0, -1.0]):
        x = jnp.array(data)
        np.testing.assert_allclose(run(x), program(x), rtol=1e-6)


BY_LENGTH = {
    "longest": lambda a, b: max([a, b], key=len).sum(),
    "shortest": lambda a, b: min(a, b, key=len).sum(),
    "sorted": lambda a, b: sorted([a, b], key=len, reverse=True)[0].sum(),
    "lengths": lambda a, b: sum(map(len, [a, b])) * 1.0 + next(map(len, (a, b))),
}


@pytest.mark.parametrize("lane", ["function", "jit", "vmap"])
@pytest.mark.parametrize("name", BY_LENGTH)
def test_lengths_that_are_asked_for_by_other_functions(name, lane):
    def program(x):
        return BY_LENGTH[name](x[x > 0], x[x < 0])

    run = LANES[lane](program)
    for sign in (1.0, -1.0):
        x = jnp.where(jnp.arange(40) % 3 == 0, -1.0, 2.0) * sign
        assert run(x) == program(x)
