"""Functions of JAX over selections, which need a hook or a masking rule of their own."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

KEY = jax.random.key(7)
X = jnp.cos(jnp.arange(18.0)).reshape(6, 3)
IDS = jnp.array([2, 0, 1, 2, 0, 1])
MASKS = [np.array(m, bool) for m in ([1, 0, 1, 0, 1, 1], [0, 0, 0, 1, 0, 0], [1] * 6)]

PROGRAMS = {
    "permutation": lambda x: jax.random.permutation(KEY, x),
    "permutation of each column": lambda x: jax.random.permutation(KEY, x, independent=True),
    "permutation of a size": lambda x: jax.random.permutation(KEY, x.shape[0]),
    "choice": lambda x: jax.random.choice(KEY, x[:, 0], (5,)),
    "choice of a size": lambda x: jax.random.choice(KEY, x.shape[0], (5,)),
    "gamma": lambda x: jax.random.gamma(KEY, jnp.abs(x) + 0.5),
    "gamma of columns": lambda x: jax.random.gamma(KEY, jnp.abs(x.T) + 0.5),
    "dirichlet": lambda x: jax.random.dirichlet(KEY, jnp.abs(x[:, 0]) + 0.5),
    "split at a place": lambda x: jnp.split(x, [1]),
    "hsplit at a size": lambda x: jnp.hsplit(X[:, 0], [x.shape[0] - 1]),
    "fill_diagonal": lambda x: jnp.fill_diagonal(x, 2.0, inplace=False),
    "fill_diagonal by a vector": lambda x: jnp.fill_diagonal(x.T, x[:, 0], inplace=False),
    "empty_like": lambda x: jnp.empty_like(x),
    "convolve": lambda x: jnp.convolve(x[:, 0], x[:, 1]),
    "convolve, valid": lambda x: jnp.convolve(X[:, 0], x[:, 1], "valid"),
    "correlate": lambda x: jnp.correlate(x[:, 0], x[:, 1]),
    "correlate with a longer one": lambda x: jnp.correlate(x[:, 0], jnp.arange(8.0), "same"),
    "correlate with an even one": lambda x: jnp.correlate(jnp.arange(3.0), x[:, 1], "same"),
    "polymul": lambda x: jnp.polymul(x[:, 0], x[:, 1]),
    "interp": lambda x: jnp.interp(X[:, 2], jnp.sort(x[:, 0]), x[:, 1]),
    "diagflat": lambda x: jnp.diagflat(x[:, 0], 1),
    "fft": lambda x: jnp.fft.fft(x[:, 0]),
    "ifft of columns": lambda x: jnp.fft.ifft(x, axis=0),
    "rfft of two axes": lambda x: jnp.fft.rfft2(x),
    "irfft": lambda x: jax.lax.fft(jnp.fft.rfft(x[:, 0]), "IRFFT", (x.shape[0],)),
    "minmax": lambda x: jnp.minmax(x, axis=0),
    "reduce by a function": lambda x: jax.lax.reduce(x, 0.0, lambda a, b: a + b, (0,)),
    "symmetric product": lambda x: jax.lax.linalg.symmetric_product(x, x @ x.T),
    "union1d": lambda x: jnp.union1d(jnp.round(x), jnp.arange(3.0)),
    "setdiff1d": lambda x: jnp.setdiff1d(x, x[:1]),
    "setdiff1d of a size": lambda x: jnp.setdiff1d(x, x[:1], size=4, fill_value=9),
    "unique of a size": lambda x: jnp.unique(X[:, 0], size=x.shape[0]),
    "union1d of a size": lambda x: jnp.union1d(x, X[0], size=x.shape[0] + 9),
    "conjugate gradients": lambda x: jax.scipy.sparse.linalg.cg(
        x @ x.T + jnp.eye(x.shape[0]), x[:, 0]
    )[0],
    "cosine transform of rows": lambda x: jax.scipy.fft.dctn(x),
    "polyval": lambda x: jnp.polyval(x[:, 0], x),
    "polyval of columns": lambda x: jnp.polyval(x, 0.5),
    "intersect1d": lambda x: jnp.intersect1d(jnp.round(x), jnp.arange(3.0)),
    "unique along the only axis": lambda x: jnp.unique(jnp.round(x[:, 0]), axis=0),
    "trim_zeros": lambda x: jnp.trim_zeros(jnp.round(x)),
    "trim_zeros in front": lambda x: jnp.trim_zeros(jnp.round(x[:, 1]), "f"),
    "compress by a shorter mask": lambda x: jnp.compress(jnp.array([True, False, True]), x),
    "compress by a longer mask": lambda x: jnp.compress(jnp.arange(9) < 1, x, axis=0),
    "delete": lambda x: jnp.delete(x, 0, axis=0),
    "partition": lambda x: jnp.partition(x, 0, axis=0)[0],
    "an element from the end": lambda x: jax.lax.index_in_dim(x, -1),
    "iterable": lambda x: jnp.asarray(jnp.iterable(x)),
}
COUNTS = {
    "bincount": lambda ids: jnp.bincount(ids),
    "bincount of a length": lambda ids: jnp.bincount(ids, minlength=5),
    "segment_sum": lambda ids: jax.ops.segment_sum(ids * 1.5, ids),
    "segment_max": lambda ids: jax.ops.segment_max(ids * 1.5, ids),
}


def _assert_equal(got, right):
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(right), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def _is_padded(value):
    return isinstance(value, shims.Padded)


def _unpadded(result):
    return jax.tree.map(lambda v: v.unpad() if _is_padded(v) else v, result, is_leaf=_is_padded)


@pytest.mark.parametrize("name", PROGRAMS)
def test_under_jit(name):
    program = PROGRAMS[name]
    compiled = jax.jit(shims.dynamic(lambda x, mask: program(x[mask])))
    for mask in MASKS:
        _assert_equal(_unpadded(compiled(X, mask)), program(X[mask]))


@pytest.mark.parametrize("name", COUNTS)
def test_counts_up_to_the_largest_index(name):
    program = COUNTS[name]
    compiled = shims.function(lambda ids, mask: program(ids[mask]))
    for mask in MASKS[:2]:
        _assert_equal(compiled(IDS, mask), program(IDS[mask]))


def test_a_permutation_takes_as_many_rounds_as_jax():
    x = jnp.arange(1700.0)
    compiled = jax.jit(shims.dynamic(lambda x, mask: jax.random.permutation(KEY, x[mask])))
    for size in (1, 2, 1625, 1626):
        mask = np.arange(1700) < size
        _assert_equal(compiled(x, mask).unpad(), jax.random.permutation(KEY, x[mask]))


def test_a_long_transform_is_as_accurate_as_a_short_one():
    x = np.random.default_rng(0).normal(size=70_000).astype(np.float32)
    mask = np.arange(x.size) < 66_001
    got = jax.jit(shims.dynamic(lambda x, mask: jnp.fft.fft(x[mask])))(x, mask).unpad()
    right = np.fft.fft(x[mask].astype(np.float64))
    assert np.abs(got - right).max() < 2e-6 * np.abs(right).max()


def test_the_derivative_of_unique_values_is_zero_as_in_jax():
    values = jnp.array([3.0, 1.0, 3.0, 2.0])
    total = shims.dynamic(lambda x: jnp.sum(jnp.unique(x) ** 2))
    assert not jax.grad(total)(values).any()


@pytest.mark.parametrize(
    "made",
    [
        lambda y: jnp.setdiff1d(y, X[:1], size=y.shape[0], fill_value=0),
        lambda y: jnp.unique(y, size=y.shape[0]),
    ],
)
def test_the_derivative_of_a_set_of_a_size_is_that_of_its_elements(made):
    def loss(x, mask):
        return jnp.sum(jnp.sin(made(x[mask][:, 0])))

    for mask in MASKS:
        got = jax.jit(jax.grad(shims.dynamic(loss)))(X, mask)
        np.testing.assert_allclose(got, jax.grad(loss)(X, mask), atol=1e-6)


def test_an_error_of_jax_at_a_size_names_the_line_and_a_remedy():
    with pytest.raises(shims.errors.FreshSizeError) as info:
        jax.jit(shims.dynamic(lambda x, m: jax.lax.collapse(x, x[m].shape[0])))(X, MASKS[0])
    assert "test_jax_functions.py" in str(info.value)
    assert "  Do:  " in str(info.value)


def test_a_linear_solver_with_divisions_runs_in_a_function():
    solve = shims.function(lambda a, b: jax.scipy.sparse.linalg.cg(a, b)[0])
    np.testing.assert_allclose(solve(2 * jnp.eye(3), jnp.ones(3)), 0.5 * np.ones(3), rtol=1e-6)
