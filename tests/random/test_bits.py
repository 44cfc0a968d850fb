"""Stateless draws have TensorFlow's bits, over shapes, dtypes and seeds, eagerly and compiled.

They rest on TensorFlow's CPU kernels, which round after each operation, and on the GNU C library with
FMA for the float32 sine, cosine and logarithm of normal numbers. Ours round products by themselves
(`separate_rounding.py`), so XLA may fuse what the processor can; `test_instruction_sets.py` varies it.
The float64 logarithm, sine and cosine are XLA's: where these tests draw, they agree. Gamma, Poisson,
binomial and categorical samples are computed in float64 without a guard and then narrowed or compared:
a product that is fused into a sum would show only in a number at the edge of a rounding or a decision.
"""

import functools

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims

from .bits import check_same, dtype_of

# Odd sizes, empties, and enough for TensorFlow to use several threads.
SHAPES = ((), (1,), (3,), (0,), (2, 0, 3), (17, 3), (70001,), (2**17 + 5,))
SEEDS = ((0, 0), (1, 2), (-5, 2**40 + 3), (2**31 - 1, -(2**63)))
FLOATS = ("float16", "bfloat16", "float32")
DRAWS = {
    "uniform": ("stateless_uniform", {}),
    "bounds": ("stateless_uniform", {"minval": -1.7, "maxval": 1.6}),
    "normal": ("stateless_normal", {}),
    "mean": ("stateless_normal", {"mean": -1.7, "stddev": 0.3}),
    "truncated": ("stateless_truncated_normal", {}),
    "truncated-mean": ("stateless_truncated_normal", {"mean": 3.0, "stddev": 1.1}),
}
INTEGERS = {
    "int32": {"minval": -7, "maxval": 100, "dtype": "int32"},
    "widest": {"minval": -(2**31), "maxval": 2**31 - 1, "dtype": "int32"},
    "int64": {"minval": -(2**30), "maxval": 2**31 - 1, "dtype": "int64"},
    "all-int32": {"minval": None, "maxval": None, "dtype": "int32"},
    "all-uint32": {"minval": None, "maxval": None, "dtype": "uint32"},
}
WIDE = {
    "uniform": ("stateless_uniform", {"dtype": "float64"}),
    "bounds": ("stateless_uniform", {"minval": -1.7, "maxval": 1.6, "dtype": "float64"}),
    "normal": ("stateless_normal", {"dtype": "float64"}),
    "mean": ("stateless_normal", {"mean": -1.7, "stddev": 0.3, "dtype": "float64"}),
    "truncated": ("stateless_truncated_normal", {"dtype": "float64"}),
    "int64": ("stateless_uniform", {"minval": -(2**40), "maxval": 2**62 + 5, "dtype": "int64"}),
    "all-int64": ("stateless_uniform", {"minval": None, "maxval": None, "dtype": "int64"}),
    "all-uint64": ("stateless_uniform", {"minval": None, "maxval": None, "dtype": "uint64"}),
}


def drawn(library, name, shape, seed, options):
    options = {k: dtype_of(library, v) if k == "dtype" else v for k, v in options.items()}
    seed = tf.constant(seed, tf.int64) if library is tf else np.asarray(seed)
    return getattr(library.random, name)(shape, seed, **options)


def check(name, options, shapes=SHAPES, seeds=SEEDS[1:3]):
    for shape in shapes:
        for seed in seeds:
            want = drawn(tf, name, shape, seed, options)
            check_same(drawn(shims, name, shape, seed, options), want)
    compiled = jax.jit(functools.partial(drawn, shims, name, shapes[-1], seeds[-1], options))
    check_same(compiled(), want)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("draw", DRAWS)
def test_floats(draw, dtype):
    name, options = DRAWS[draw]
    check(name, {**options, "dtype": dtype})


@pytest.mark.parametrize("draw", INTEGERS)
def test_integers(draw):
    check("stateless_uniform", INTEGERS[draw])


@pytest.mark.parametrize("draw", WIDE)
def test_64_bits(draw):
    name, options = WIDE[draw]
    with jax.enable_x64(True):
        check(name, options, shapes=((), (3,), (0, 2), (40001,)))


@pytest.mark.parametrize("seed", SEEDS)
def test_seeds(seed):
    check("stateless_uniform", {}, shapes=((5,),), seeds=(seed,))


def test_a_million_normals():
    check("stateless_normal", {}, shapes=((2**20,),), seeds=((7, 7),))


@pytest.mark.parametrize("count", [2, 3, 100, 5000])
def test_shuffle(count):
    want = tf.random.experimental.stateless_shuffle(tf.range(count), (1, 2))
    check_same(shims.random.experimental.stateless_shuffle(np.arange(count), (1, 2)), want)


@pytest.mark.parametrize("mean", [0.1, 5.0, 9.9, 10.0, 50.0, 1e5])
def test_poisson(mean):
    want = tf.random.stateless_poisson([2000], [1, 2], mean)
    check_same(shims.random.stateless_poisson([2000], [1, 2], mean), want)


@pytest.mark.parametrize("alpha", [0.1, 0.99, 1.0, 1.5, 100.0])
def test_gamma(alpha):
    want = tf.random.stateless_gamma([2000], [1, 2], alpha)
    check_same(shims.random.stateless_gamma([2000], [1, 2], alpha), want)


@pytest.mark.parametrize(("trials", "chance"), [(20.0, 0.3), (200.0, 0.3), (2000.0, 0.9)])
def test_binomial(trials, chance):
    want = tf.random.stateless_binomial([2000], [1, 2], trials, chance)
    check_same(shims.random.stateless_binomial([2000], [1, 2], trials, chance), want)


def test_categorical_of_one_row_and_of_several():
    for shape, samples in (((1, 50000), 5), ((40, 20), 3)):
        logits = np.random.default_rng(0).normal(size=shape).astype(np.float32)
        want = tf.random.stateless_categorical(logits, samples, [1, 2])
        check_same(shims.random.stateless_categorical(logits, samples, [1, 2]), want)


def test_unknown_sizes_give_the_numbers_of_the_true_shape():
    @shims.function(input_signature=[shims.TensorSpec([None])])
    def drawn_for(x):
        n = shims.shape(x)[0]
        flat = shims.random.stateless_uniform([n], [1, 2])
        return flat, shims.random.stateless_normal([n, 3, n], [1, 2], stddev=2.0)

    for n in (5, 0, 1, 9, 33):
        flat, cube = drawn_for(np.zeros(n, np.float32))
        check_same(flat, tf.random.stateless_uniform([n], [1, 2]))
        check_same(cube, tf.random.stateless_normal([n, 3, n], [1, 2], stddev=2.0))


def test_vmap_over_seeds():
    seeds = np.asarray([[1, 2], [3, 4], [5, -6]], np.int32)
    rows = jax.vmap(lambda seed: shims.random.stateless_normal([4], seed))(seeds)
    for row, seed in zip(rows, seeds, strict=True):
        check_same(row, tf.random.stateless_normal([4], seed))


def test_a_wide_seed_without_64_bits():
    seed = (2**40 + 1, -(2**50))
    words = np.asarray(seed, np.int64).view(np.uint32).reshape(2, 2)
    want = tf.random.stateless_uniform([3], tf.constant(seed, tf.int64))
    check_same(shims.random.stateless_uniform([3], words), want)
    kids = shims.random.split(jax.numpy.asarray(words), 3)
    want = tf.random.split(tf.constant(seed, tf.int64), 3).numpy()
    assert (np.asarray(kids).view(np.int64)[..., 0] == want).all()
