"""Arrays of unknown size: batches that meet, and code that decides on sizes."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tests.tracing.programs.row import BATCH, MATRIX, PAIR, UNEQUAL, VECTOR, Sized


def mean_squared_error(x, y):
    return jnp.mean((x @ jnp.arange(5.0) - y) ** 2)


def batch_meets_labels(x, labels):
    log_p = jax.nn.log_softmax(x)
    return -jnp.take_along_axis(log_p, labels[:, None], 1).sum() / x.shape[0]


def outer_of_two(x, y):
    return x[:, None] * y[None, :]


def concatenate_two(x, y):
    return jnp.concatenate([x, y[::-1]]), x.sum() + y.sum()


def broadcast_against_two(x, y):
    return x + y, x[None] * y[:, None]


def gram(x):
    return x.T @ x, x @ x.T


def product_of_sizes(x, y):
    return jnp.ones(x.shape[0] * y.shape[0]), x.size + y.size


def halves(x):
    n = x.shape[0]
    return x[n // 2 :], x[: n // 2], x[: (n + 1) // 2].sum()


def middle(x):
    return x[x.shape[0] // 2]


def first_three(x):
    return x[:3], x[-3:]


def python_range(x):
    total = 0.0
    for i in range(x.shape[0]):
        total = total + x[i] * i
    return total


def python_iteration(x):
    return [row * 2 for row in x]


def float_of_size(x):
    return x / float(x.shape[0] + 1)


def numpy_square_root(x):
    return x / np.sqrt(1 + x.shape[0])


def jax_square_root(x):
    return x / jnp.sqrt(1 + x.shape[0])


def numpy_arange(x):
    return x * np.arange(x.shape[0])


def associative_scan(x):
    return lax.associative_scan(jnp.multiply, x)


def convolve_same(x):
    return jnp.convolve(x, jnp.array([1.0, 2.0, 0.5]), mode="same")


def search_sorted(x):
    return jnp.searchsorted(jnp.sort(x), jnp.array([-0.5, 0.0, 0.5]))


def unique_of_size(x):
    return jnp.unique(jnp.round(x), size=x.shape[0])


def nonzero_of_size(x):
    return jnp.nonzero(x > 0, size=x.shape[0])[0]


def least_squares(x, y):
    return jnp.linalg.lstsq(x.T @ x + jnp.eye(5), x.T @ y)[0]


def inverse(x):
    return jnp.linalg.inv(x @ x.T + jnp.eye(x.shape[0]))


def cholesky(x):
    return jnp.linalg.cholesky(x @ x.T + jnp.eye(x.shape[0]))


def softmax_cross_entropy(x, labels):
    return -(jax.nn.one_hot(labels, 5) * jax.nn.log_softmax(x)).sum(1)


def standardize(x):
    return (x - x.mean(0)) / (x.std(0) + 1e-2)


def median(x):
    return jnp.median(x)


def scan_rows(x):
    return lax.scan(lambda c, r: (0.5 * c + r, c), jnp.zeros(5), x)


def fori_to_size(x):
    return lax.fori_loop(0, x.shape[0], lambda i, c: c + x[i] * i, 0.0)


def vmap_rows(x):
    return jax.vmap(lambda r: r / (1 + jnp.abs(r).sum()))(x)


def attention(q, k):
    return jax.nn.softmax(q @ k.T / np.sqrt(5.0)) @ k


def window_sums(x):
    return lax.reduce_window(x, 0.0, lax.add, (2,), (1,), "VALID")


def convolve_batch(x):
    return lax.conv_general_dilated(x[:, None], jnp.ones((2, 1, 3)), (1,), "SAME")


def gradient_step(x, y):
    loss = lambda w: jnp.mean((x @ w - y) ** 2)
    return jnp.zeros(5) - 0.1 * jax.grad(loss)(jnp.zeros(5))


def noise(x):
    return x + jax.random.normal(jax.random.key(0), x.shape)


def counts(x):
    return jnp.bincount(x, length=3), jnp.cumsum(x)


def identity(x):
    return x


PROGRAMS = (
    Sized(mean_squared_error, BATCH),
    Sized(batch_meets_labels, BATCH, integers=(1,)),
    Sized(outer_of_two, PAIR, sizes=UNEQUAL),
    Sized(concatenate_two, PAIR, sizes=UNEQUAL),
    Sized(broadcast_against_two, PAIR, sizes=((3, 3), (1, 4), (4, 1), (0, 0), (1, 1), (0, 1))),
    Sized(gram, MATRIX),
    Sized(product_of_sizes, PAIR, sizes=UNEQUAL),
    Sized(halves, VECTOR),
    Sized(middle, VECTOR),
    Sized(first_three, VECTOR),
    Sized(python_range, VECTOR),
    Sized(python_iteration, VECTOR, specializes=True),
    Sized(float_of_size, VECTOR),
    Sized(numpy_square_root, VECTOR),
    Sized(jax_square_root, VECTOR),
    Sized(numpy_arange, VECTOR, specializes=True),
    Sized(associative_scan, VECTOR),
    Sized(convolve_same, VECTOR),
    Sized(search_sorted, VECTOR),
    Sized(unique_of_size, VECTOR, gradient=False),
    Sized(nonzero_of_size, VECTOR),
    Sized(least_squares, BATCH, tolerance=1e-3),
    Sized(inverse, MATRIX, tolerance=1e-4),
    Sized(cholesky, MATRIX, tolerance=1e-4),
    Sized(softmax_cross_entropy, BATCH, integers=(1,)),
    Sized(standardize, MATRIX, tolerance=1e-4),
    Sized(median, VECTOR),
    Sized(scan_rows, MATRIX),
    # Without 0: plain `jit` refuses to trace a body that reads from nothing; a function gives 0.
    Sized(fori_to_size, VECTOR, sizes=(1, 2, 4, 5, 8), gradient=False),
    Sized(vmap_rows, MATRIX),
    Sized(
        attention, ((None, 5), (None, 5)), sizes=((2, 3), (3, 2), (1, 4), (4, 4), (0, 3), (3, 0))
    ),
    Sized(window_sums, VECTOR),
    Sized(convolve_batch, MATRIX),
    Sized(gradient_step, BATCH),
    Sized(noise, VECTOR),
    Sized(counts, VECTOR, integers=(0,)),
    Sized(identity, VECTOR),
)
