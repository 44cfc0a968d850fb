"""What is determined of a decomposition is TensorFlow's, in value and gradient."""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import differences

from .programs import GENERAL, KNOWN_SIZES, POSITIVE, PROGRAMS, sized

DETERMINED = [pytest.param(f, m, id=name) for name, m, f in (*PROGRAMS, *KNOWN_SIZES)]
UNDETERMINED = [p for p in DETERMINED if p.id.startswith(("svd", "eig"))]
ONE_MATRIX = {"set_diag", "tensor_diag", "tensor_diag_part"}
BATCHED = [p for p in DETERMINED if p.id not in ONE_MATRIX]
UNKNOWN = [pytest.param(f, m, id=name) for name, m, f in PROGRAMS]
TOLERANCE = 3e-5


def stacked(matrix):
    return np.stack([matrix, matrix.T + np.eye(len(matrix), dtype=np.float32)])


def first_floats(results):
    """The outputs with a gradient, as one list."""
    results = results if isinstance(results, tuple) else (results,)
    return [r for r in results if np.dtype(r.dtype.name).kind == "f"]


def total(tf_module, f, x):
    """A sum in which no element has the weight of another."""
    parts = [tf_module.reduce_sum(tf_module.sin(r)) for r in first_floats(f(tf_module, x))]
    return sum(parts[1:], parts[0])


@pytest.mark.parametrize(("f", "matrix"), UNDETERMINED)
def test_values(f, matrix):
    for x in (matrix, stacked(matrix), matrix[:0, :0]):
        found = differences(f(shims, shims.constant(x)), f(tf, tf.constant(x)), TOLERANCE)
        assert not found, f"{x.shape}: {found}"


@pytest.mark.parametrize(("f", "matrix"), UNDETERMINED)
def test_gradients(f, matrix):
    for x in (matrix, stacked(matrix)):
        source = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(source)
            value = total(tf, f, source)
        wanted = tape.gradient(value, source)
        found = jax.grad(lambda y: total(shims, f, y))(shims.constant(x))
        assert not differences(found, wanted, 10 * TOLERANCE)


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 2), (2, 3)])
@pytest.mark.parametrize("full", [False, True])
def test_svd_of_matrices_that_are_not_square(shape, full):
    x = np.random.default_rng(1).normal(size=(2, *shape)).astype(np.float32)

    def program(m, y):
        s, u, v = m.linalg.svd(y, full_matrices=full)
        k = min(shape)
        back = m.matmul(u[..., :k] * s[..., None, :], v[..., :k], adjoint_b=True)
        left = m.abs(m.reduce_sum(u[..., :k], axis=-2))
        right = m.matmul(v, v * 2.0, adjoint_b=True)
        return s, back, left, m.matmul(m.abs(v[..., :k]), m.abs(v[..., :k]), adjoint_a=True), right

    assert not differences(program(shims, x), program(tf, tf.constant(x)), TOLERANCE)
    if full and abs(shape[0] - shape[1]) > 1:
        with pytest.raises(NotImplementedError) as caught:
            jax.grad(lambda y: total(shims, program, y))(shims.constant(x))
        assert str(caught.value) == (
            "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True"
        )
        return
    source = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(source)
        value = total(tf, program, source)
    found = jax.grad(lambda y: total(shims, program, y))(shims.constant(x))
    assert not differences(found, tape.gradient(value, source), 10 * TOLERANCE)


@pytest.mark.parametrize("f", ["eigh", "svd"])
def test_gradients_where_eigenvalues_are_equal(f):
    """JAX's own are NaN; TensorFlow leaves the pair out."""

    def program(m, y):
        return getattr(m.linalg, f)(y)[1][..., 0, 0] * 0.0 + m.reduce_sum(
            getattr(m.linalg, f)(y)[0]
        )

    source = tf.eye(2)
    with tf.GradientTape() as tape:
        tape.watch(source)
        value = program(tf, source)
    found = jax.grad(lambda y: program(shims, y))(shims.eye(2))
    assert not differences(found, tape.gradient(value, source), TOLERANCE)
    assert np.isfinite(found).all()


@pytest.mark.parametrize(("f", "matrix"), UNKNOWN)
def test_matrices_of_unknown_size(f, matrix):
    @shims.function(input_signature=[shims.TensorSpec([None, None])])
    def run(x):
        return f(shims, x)

    slope = shims.function(
        jax.grad(lambda x: total(shims, f, x)), input_signature=[shims.TensorSpec([None, None])]
    )
    integers = not first_floats(f(shims, shims.constant(matrix)))
    for n in (3, 2, 5):
        x = sized(matrix, n)
        assert not differences(run(x), f(tf, tf.constant(x)), TOLERANCE), n
        if n == 3 and not integers:
            eager = jax.grad(lambda y: total(shims, f, y))(shims.constant(x))
            assert not differences(slope(x), eager, 10 * TOLERANCE)


@pytest.mark.parametrize(("f", "matrix"), BATCHED)
def test_batches_of_unknown_size(f, matrix):
    @shims.function(input_signature=[shims.TensorSpec([None, 3, 3])])
    def run(x):
        return f(shims, x)

    x = stacked(matrix)
    assert not differences(run(x), f(shims, shims.constant(x)), TOLERANCE)


def test_a_matrix_without_full_rank_of_unknown_size():
    """The vectors of singular values of 0 do not mix with the padding."""

    @shims.function(input_signature=[shims.TensorSpec([None, None])])
    def run(x):
        return shims.linalg.svd(x)

    for x in (np.zeros((3, 3), np.float32), np.array([[1, 2, 3]] * 3, np.float32)):
        s, u, v = run(x)
        assert np.allclose(np.asarray(u).T @ np.asarray(u), np.eye(3), atol=1e-6)
        assert np.allclose(np.asarray(v).T @ np.asarray(v), np.eye(3), atol=1e-6)
        assert np.allclose(s, np.linalg.svd(x, compute_uv=False), atol=1e-5)


def test_the_cholesky_factor_of_a_matrix_that_has_none():
    x = np.array([[1, 2], [2, 1]], np.float32)
    lower = np.tril_indices(2)
    assert np.isnan(tf.linalg.cholesky(x).numpy()[lower]).sum() == 3
    assert np.isnan(np.asarray(shims.linalg.cholesky(x))[lower]).all()


def test_vmap_is_a_loop():
    x = stacked(POSITIVE)
    for f in (shims.linalg.eigh, shims.linalg.svd, shims.linalg.inv, shims.linalg.slogdet):
        mapped = jax.tree.leaves(jax.vmap(f)(x))
        looped = [np.stack(pair) for pair in zip(*(jax.tree.leaves(f(m)) for m in x), strict=True)]
        for a, b in zip(mapped, looped, strict=True):
            assert np.allclose(np.abs(a), np.abs(b), atol=1e-5)


@pytest.mark.parametrize("name", ["eigh", "eigvalsh", "eig", "eigvals"])
def test_eigenvalues_of_what_is_not_finite(name):
    infinite = np.array([[np.inf, 1], [1, 2]], np.float32)
    values = getattr(shims.linalg, name)(infinite)
    assert np.isnan(np.asarray(values[0] if name in ("eigh", "eig") else values)).all()
    with pytest.raises(tf.errors.InvalidArgumentError):
        getattr(tf.linalg, name)(tf.constant([[np.nan, 1], [1, 2]]))
    with pytest.raises(shims.InvalidArgumentError):
        getattr(shims.linalg, name)(np.array([[np.nan, 1], [1, 2]], np.float32))


def test_complex_matrices():
    x = (GENERAL + 1j * POSITIVE).astype(np.complex64)
    hermitian = (x + x.conj().T + 10 * np.eye(3)).astype(np.complex64)
    for name in ("inv", "det", "slogdet", "expm"):
        theirs, ours = (getattr(m.linalg, name)(m.constant(x / 2)) for m in (tf, shims))
        assert not differences(ours, theirs, 1e-4), name
    for name in ("cholesky", "eigvalsh", "logdet"):
        theirs, ours = (getattr(m.linalg, name)(m.constant(hermitian)) for m in (tf, shims))
        assert not differences(ours, theirs, 1e-4), name
    for name in ("l2_normalize", "normalize", "norm"):
        theirs, ours = (getattr(m.linalg, name)(m.constant(x), axis=1) for m in (tf, shims))
        assert not differences(ours, theirs, 1e-5), name
    for m in (tf, shims):
        q, r = m.linalg.qr(m.constant(x))
        assert np.allclose(np.asarray(q) @ np.asarray(r), x, atol=1e-5)
        e, v = m.linalg.eigh(m.constant(hermitian))
        v = np.asarray(v)
        assert np.allclose(v * np.asarray(e) @ v.conj().T, hermitian, atol=1e-4)


def diagonals(tf_module, x):
    """The matrices of a column, with a diagonal beside it."""
    return tf_module.linalg.eigh_tridiagonal(x, x[1:] * 0.5)


@pytest.mark.parametrize("select", ["i", "v"])
def test_some_eigenvalues_of_three_diagonals(select):
    chosen = {"i": (1, 2), "v": (0.5, 9.0)}[select]
    alpha, beta = np.float32([1, 2, 4, -1]), np.float32([1, 0.5, 2])

    def program(m, a, b):
        e, v = m.linalg.eigh_tridiagonal(
            a, b, eigvals_only=False, select=select, select_range=chosen
        )
        only = m.linalg.eigh_tridiagonal(a, b, select=select, select_range=chosen)
        return e, only, m.abs(v)

    wanted = program(tf, tf.constant(alpha), tf.constant(beta))
    assert not differences(program(shims, alpha, beta), wanted, TOLERANCE)
    called = shims.function(lambda a, b: program(shims, a, b))(alpha, beta)
    assert not differences(called, wanted, TOLERANCE)


def test_three_diagonals_of_unknown_size():
    run = shims.function(lambda x: diagonals(shims, x), input_signature=[shims.TensorSpec([None])])
    solve = shims.function(
        lambda d, b: shims.linalg.tridiagonal_solve(d, b),
        input_signature=[shims.TensorSpec([3, None]), shims.TensorSpec([None, 2])],
    )
    for n in (3, 2, 5):
        x = np.arange(1, n + 1, dtype=np.float32)
        assert not differences(run(x), diagonals(tf, tf.constant(x)), TOLERANCE)
        d = np.stack([x * 0.5, x + 3, -x * 0.25])
        b = np.stack([x, x**2], axis=1)
        wanted = tf.linalg.tridiagonal_solve(tf.constant(d), tf.constant(b))
        assert not differences(solve(d, b), wanted, TOLERANCE)


def test_a_matrix_that_turns_out_not_to_be_square():
    signature = [shims.TensorSpec([None, None], shims.float32)]
    solve = shims.function(
        lambda a: shims.linalg.tridiagonal_solve(a, a[:, :1], diagonals_format="matrix"),
        input_signature=signature,
    )
    assert np.allclose(solve(2 * np.eye(2, dtype=np.float32)), [[1.0], [0.0]])
    with pytest.raises(shims.errors.InvalidArgumentError, match="not a square matrix"):
        solve(np.zeros((3, 2), np.float32))


ANY_SHAPE = [(6, 5), (5, 6), (8, 3), (3, 1), (1, 3), (4, 4), (2, 6, 5), (3, 0)]


@pytest.mark.parametrize("shape", ANY_SHAPE)
@pytest.mark.parametrize("full", [False, True])
def test_svd_of_unknown_sizes_whatever_the_rank(shape, full):
    """Vectors of what a matrix does without are none of what fills it up."""
    size = [shims.TensorSpec([None] * len(shape))]
    f = shims.function(
        lambda m: shims.linalg.svd(m, full_matrices=full), input_signature=size, autograph=False
    )
    general = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    for x in (general, np.ones(shape, np.float32), np.zeros(shape, np.float32)):
        s, u, v = map(np.asarray, f(x))
        for found, wanted in zip((s, u, v), tf.linalg.svd(x, full_matrices=full), strict=True):
            assert found.shape == wanted.shape
        np.testing.assert_allclose(s, tf.linalg.svd(x, compute_uv=False), atol=1e-5)
        for vectors in (u, v):
            gram = np.swapaxes(vectors, -1, -2) @ vectors
            np.testing.assert_allclose(
                gram, np.broadcast_to(np.eye(gram.shape[-1]), gram.shape), atol=1e-5
            )
        k = s.shape[-1]
        back = (u[..., :k] * s[..., None, :]) @ np.swapaxes(v[..., :k], -1, -2)
        np.testing.assert_allclose(back, x, atol=1e-5)


def _products(t, m):
    """Of every two rows of a selection."""
    some = t.boolean_mask(m, m[:, 0] > 0)
    return t.matmul(some, t.transpose(some))


SMALL = {
    "svd": lambda t, m: t.linalg.svd(m, compute_uv=False),
    "norm": lambda t, m: t.norm(m, ord=2, axis=(-2, -1)),
    "rank": lambda t, m: t.linalg.matrix_rank(m, tol=0.5),
    "pinv": lambda t, m: t.linalg.pinv(m),
    "rows": lambda t, m: t.linalg.svd(t.boolean_mask(m, m[:, 0] > 0), compute_uv=False),
    "pairs": lambda t, m: t.linalg.svd(_products(t, m), compute_uv=False),
}


@pytest.mark.parametrize("shape", [(2, 2), (3, 2), (2, 3), (5, 5)])
@pytest.mark.parametrize("name", SMALL)
def test_singular_values_below_one(name, shape):
    """What fills a matrix up has singular values too: none of them is among those of the matrix."""
    x = np.random.default_rng(2).normal(size=shape, scale=0.2).astype(np.float32)
    f = lambda t: lambda m: SMALL[name](t, m)
    ours = shims.function(f(shims), [shims.TensorSpec([None, None])], autograph=False)
    assert not differences(ours(x), f(tf)(tf.constant(x)), TOLERANCE)
