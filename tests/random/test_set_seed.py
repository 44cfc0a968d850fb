"""Numbers that follow from `set_seed`: in eager order, inside functions, in loops and branches.

Equality rests on what `test_bits.py` says. Gamma numbers and the choices of `categorical` and `poisson` are
computed in float64, of which processors may round the last place otherwise; no guard is there, but float32 and
integers show it only where a number lies on an edge.
"""

import functools

import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from shims._src.tracing import sized_by

from .bits import check_all_same, dtype_of


def eagerly(library):
    r = library.random
    r.set_seed(5)
    found = [r.uniform([3]), r.normal([2, 2], 1.0, 2.0), r.truncated_normal([5])]
    found += [r.uniform([n], seed=3) for n in (3, 300, 2)]
    found += [
        r.uniform([4], maxval=10, dtype=dtype_of(library, "int32"), seed=s) for s in (3, None)
    ]
    found += [r.uniform([4], -1.5, 2.0), r.uniform([4], 0, 2.5)]
    found += [r.normal([3], seed=3), r.normal([3], seed=3)]
    found += [r.poisson([3], 4.0, seed=2), r.poisson([3], 4.0, seed=2), r.gamma([3], 0.7, seed=1)]
    found += [r.categorical(np.log([[1.0, 2, 3]]).astype("f"), 5, seed=s) for s in (1, None, 1)]
    found += [
        r.shuffle(np.arange(n, dtype=np.int32), seed=s) for n, s in ((5, 1), (7, 1), (4, None))
    ]
    x = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    found += [library.nn.dropout(x, 0.4), library.nn.dropout(x, 0.0), library.nn.dropout(x, 0.4)]
    found += [library.nn.dropout(x, 0.3, noise_shape=[3, 1], seed=4)]
    r.set_seed(5)
    return [*found, r.uniform([3]), r.uniform([3], seed=3)]


def test_eager_order():
    check_all_same(eagerly(shims), eagerly(tf))


def in_functions(library):
    r, found = library.random, []

    @library.function
    def pair():
        a = r.uniform([1])
        b = r.uniform([1])
        return a, b

    r.set_seed(1234)
    found += [*pair(), *pair()]
    r.set_seed(1234)
    found += [*pair()]
    r.set_seed(7)  # a traced function keeps the seed that it was traced with
    found += [*pair()]

    @library.function
    def outer():
        a = r.uniform([1])
        return (a, *pair())

    found += [*outer(), *outer()]
    return found


def test_functions():
    check_all_same(in_functions(shims), in_functions(tf))


def over_shapes(library):
    r = library.random

    @library.function
    def traced_per_shape(x):
        return r.uniform([1]) + 0 * x[0]

    @library.function(input_signature=[library.TensorSpec([None])])
    def traced_once(x):
        return r.uniform([1]) + 0 * library.reduce_sum(x), r.normal(library.shape(x), seed=4)

    r.set_seed(1)
    found = [traced_per_shape(library.zeros([n])) for n in (1, 2, 1, 2, 1, 3)]
    for n in (1, 2, 1, 2, 0, 3, 7):
        found += traced_once(library.zeros([n]))
    return found


def test_one_sequence_per_trace():
    check_all_same(over_shapes(shims), over_shapes(tf))


def set_in_a_function(library):
    """While a function is traced: other functions go on with what they draw."""
    r, found = library.random, []
    r.set_seed(1)
    draw = library.function(lambda: r.uniform([2]))
    found += [draw(), draw()]

    @library.function
    def seeded(x):
        r.set_seed(1)
        inner = library.function(lambda: r.uniform([2], seed=4))
        return x + inner()

    found += [seeded(library.zeros([2])), draw(), r.uniform([2])]
    return [*found, seeded(library.zeros([2])), draw()]


def test_a_seed_set_in_a_function():
    check_all_same(set_in_a_function(shims), set_in_a_function(tf))


def in_loops(library):
    r = library.random

    zero = tf.constant(0) if library is tf else jnp.int32(0)

    @functools.partial(library.function, autograph=False)
    def program(n):
        first = r.uniform([2])
        _, state = library.while_loop(
            lambda i, state: i < n,
            lambda i, state: (i + 1, state * 2 + r.uniform([2])),
            (zero, library.zeros([2])),
            parallel_iterations=1,  # else TensorFlow draws in any order
        )
        more = library.cond(n > 2, lambda: r.normal([2]), lambda: -r.normal([2]))
        return state, more, first

    r.set_seed(1)
    found = []
    for n in (3, 3, 1, 2):
        found += program(tf.constant(n) if library is tf else jnp.int32(n))
    return found


def test_loops_and_branches():
    # The compiled loop may fuse the product and the sum.
    for a, b in zip(in_loops(shims), in_loops(tf), strict=True):
        np.testing.assert_allclose(a, b.numpy(), rtol=3e-7)


def initialized(library):
    library.random.set_seed(2)
    found = []
    for seed in (None, 3, None, 3):
        found.append(library.random_normal_initializer(stddev=0.2, seed=seed)([2, 3]))
        found.append(library.random_uniform_initializer(-1.0, 2.0, seed=seed)([2, 3]))
    found.append(library.zeros_initializer()([2], dtype=dtype_of(library, "int32")))
    found.append(library.ones_initializer()([2, 0]))
    found.append(library.constant_initializer([1, 2, 3, 4])([2, 2]))
    found.append(library.constant_initializer(2.5)([2, 2], dtype=dtype_of(library, "float16")))
    return found


_INITIALIZERS = [f"{n}_initializer" for n in ("zeros", "ones", "constant")]
_INITIALIZERS += [f"random_{n}_initializer" for n in ("normal", "uniform")]


@pytest.mark.symbols(*_INITIALIZERS, lanes=("eager",))
def test_initializers():
    check_all_same(initialized(shims), initialized(tf))


def initialized_inside(library):
    library.random.set_seed(2)
    made = [getattr(library, name)() for name in _INITIALIZERS]
    made.append(library.random_normal_initializer(1.0, 0.5, seed=7))
    run = library.function(lambda: [initializer([2, 3]) for initializer in made])
    return [*run(), *run()]


@pytest.mark.symbols(*_INITIALIZERS, lanes=("function",))
def test_initializers_inside_a_function():
    check_all_same(initialized_inside(shims), initialized_inside(tf))


def test_without_a_seed_nothing_repeats():
    from shims._src.random import global_seed

    before = global_seed._PROGRAM.seed
    global_seed._PROGRAM.seed = None
    try:
        a, b = shims.random.uniform([8]), shims.random.uniform([8])
    finally:
        global_seed._PROGRAM.seed = before
    assert (np.asarray(a) != np.asarray(b)).any()


@pytest.mark.parametrize("draw", ["uniform", "normal", "truncated_normal"])
def test_checking_whether_numbers_fit_into_memory_draws_none(draw, monkeypatch):
    monkeypatch.setattr(sized_by, "_LARGE", 5)

    def drawn(library):
        library.random.set_seed(3)
        return [np.asarray(getattr(library.random, draw)([count])) for count in (2, 7, 2, 7)]

    for got, want in zip(drawn(shims), drawn(tf), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6)
