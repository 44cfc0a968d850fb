"""Every method of every kind gives what TensorFlow's gives, or raises what it raises."""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import differences, report
from tests.harness.outcomes import outcome, outcomes_apart
from tests.harness.tensorflow_side import quiet

from .operators import HINTS, METHODS, OPERATORS

KINDS = [pytest.param(make, id=name) for name, make in OPERATORS]
TOLERANCE = 5e-5


def compared(theirs, ours) -> str:
    """Describe what sets two results apart, of operators their hints and classes as well."""
    if not hasattr(theirs, "to_dense"):
        return differences(ours, theirs, TOLERANCE)
    found = differences(ours.to_dense(), theirs.to_dense(), TOLERANCE)
    return found or hints(theirs, ours) or kind(theirs, ours)


def hints(theirs, ours) -> str:
    a, b = ([getattr(o, h) for h in HINTS] for o in (theirs, ours))
    return "" if a == b else f"hints {b}, should be {a}"


def kind(theirs, ours) -> str:
    a, b = type(theirs).__name__, type(ours).__name__
    return "" if a == b else f"{b}, should be {a}"


def of_both(make, call):
    """What a call on the operator of either library gives."""
    with quiet():
        theirs, ours = (outcome(lambda m=m: call(m, make(m))) for m in (tf, shims))
    if theirs.error or ours.error:
        return outcomes_apart(ours, theirs, TOLERANCE)
    return compared(theirs.result, ours.result)


def argument(make, columns=2, batch=()):
    n = make(shims).domain_dimension
    return np.random.default_rng(n).normal(size=(*batch, n, columns)).astype(np.float32)


@pytest.mark.parametrize("make", KINDS)
def test_methods(make):
    endless = "assert_self_adjoint" if make(shims).name.endswith("LowRankUpdate") else ""
    asked = [m for m in METHODS if m != endless]  # TensorFlow's own never returns
    report({m: of_both(make, lambda _, o, m=m: getattr(o, m)()) for m in asked})


@pytest.mark.parametrize("make", KINDS)
def test_properties(make):
    theirs, ours = make(tf), make(shims)
    assert not hints(theirs, ours)
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert tuple(ours.batch_shape) == tuple(theirs.batch_shape)
    assert ours.domain_dimension == theirs.domain_dimension
    assert ours.range_dimension == theirs.range_dimension
    assert ours.tensor_rank == theirs.tensor_rank
    assert ours.dtype.name == theirs.dtype.name
    assert ours.name == theirs.name
    assert set(ours.parameters) <= set(theirs.parameters)


CALLS = {
    "matmul": lambda m, o, x: o.matmul(x),
    "matmul-adjoint": lambda m, o, x: o.matmul(x, adjoint=True),
    "matmul-adjoint-arg": lambda m, o, x: o.matmul(m.transpose(x), adjoint_arg=True),
    "@": lambda m, o, x: o @ x,
    "matvec": lambda m, o, x: o.matvec(x[:, 0]),
    "matvec-adjoint": lambda m, o, x: o.matvec(x[:, 0], adjoint=True),
    "solve": lambda m, o, x: o.solve(x),
    "solve-adjoint": lambda m, o, x: o.solve(x, adjoint=True),
    "solve-adjoint-arg": lambda m, o, x: o.solve(m.transpose(x), adjoint_arg=True),
    "solvevec": lambda m, o, x: o.solvevec(x[:, 0]),
    "solvevec-adjoint": lambda m, o, x: o.solvevec(x[:, 0], adjoint=True),
    "add_to_tensor": lambda m, o, x: o.add_to_tensor(m.matmul(x, x, transpose_b=True)),
}


@pytest.mark.parametrize("make", KINDS)
def test_calls_with_an_array(make):
    x = argument(make)
    report({k: of_both(make, lambda m, o, f=f: f(m, o, m.constant(x))) for k, f in CALLS.items()})


# TensorFlow's operators of three diagonals do not broadcast; ours do.
BROADCASTING = [p for p in KINDS if not p.id.startswith("tridiag")]


@pytest.mark.long
@pytest.mark.parametrize("make", BROADCASTING)
def test_calls_with_a_batch(make):
    x = argument(make, batch=(2,))
    calls = {k: CALLS[k] for k in ("matmul", "solve")}
    calls["matvec"] = lambda m, o, x: o.matvec(x[..., 0])
    report({k: of_both(make, lambda m, o, f=f: f(m, o, m.constant(x))) for k, f in calls.items()})


OPERATORS_OF_IT = {
    "adjoint": lambda o: o.adjoint(),
    "H": lambda o: o.H,
    "H.H": lambda o: o.H.H,
    "inverse": lambda o: o.inverse(),
    "inverse.inverse": lambda o: o.inverse().inverse(),
    "cholesky": lambda o: o.cholesky(),
    "@ itself": lambda o: o @ o,
    "solve itself": lambda o: o.solve(o),
    "H @ itself": lambda o: o.H @ o,
}


@pytest.mark.parametrize("make", KINDS)
def test_operators_of_it(make):
    report({k: of_both(make, lambda _, o, f=f: f(o)) for k, f in OPERATORS_OF_IT.items()})


THREE_WIDE = [(name, make) for name, make in OPERATORS if make(shims).domain_dimension == 3]
COMMON = ("diag", "full", "lower", "identity", "scaled", "zeros", "inversion", "permutation")


@pytest.mark.long
@pytest.mark.parametrize("left", COMMON)
def test_products_of_two_kinds(left):
    makers = dict(THREE_WIDE)
    found = {}
    for right in COMMON:
        for what in ("matmul", "solve"):

            def call(m, o, what=what, right=right):
                return getattr(o, what)(makers[right](m))

            found[f"{left}.{what}({right})"] = of_both(makers[left], call)
    report(found)


def _total(m, o, x):
    parts = [m.reduce_sum(m.sin(o.matmul(x))), m.reduce_sum(m.sin(o.trace()))]
    if o.is_non_singular is not False:
        parts.append(m.reduce_sum(m.sin(o.solve(x))))
        parts.append(m.reduce_sum(m.sin(o.log_abs_determinant())))
    return sum(parts[1:], parts[0])


@pytest.mark.parametrize("make", [p for p in KINDS if p.id not in ("permutation", "zeros")])
def test_gradients(make):
    """With respect to the argument, and to the arrays that the operator is made of."""
    x = argument(make)
    with tf.GradientTape() as tape:
        source = tf.constant(x)
        tape.watch(source)
        theirs = make(tf)
        value = _total(tf, theirs, source)
    wanted = tape.gradient(value, source)
    ours = make(shims)
    found = jax.grad(lambda y: _total(shims, ours, y))(shims.constant(x))
    assert not differences(found, wanted, 20 * TOLERANCE)
    slopes = jax.grad(lambda o: _total(shims, o, x))(ours)
    assert jax.tree.structure(slopes) == jax.tree.structure(ours)
    assert all(np.isfinite(s).all() for s in jax.tree.leaves(slopes))


def test_gradients_of_what_operators_are_made_of():
    arrays = {
        "Diag": np.float32([1.5, -2, 3]),
        "FullMatrix": np.float32([[1, 2, -1], [3, -1, 0.5], [0, 2, 4]]),
        "LowerTriangular": np.float32([[2, 9, 9], [1, -3, 9], [0.5, 2, 1.5]]),
        "Householder": np.float32([1, 2, -0.5]),
    }
    x = np.float32([[1, 2], [0.5, -1], [3, 1]])
    for name, array in arrays.items():
        slopes = []
        source = tf.constant(array)
        with tf.GradientTape() as tape:
            tape.watch(source)
            value = _total(tf, getattr(tf.linalg, f"LinearOperator{name}")(source), x)
        slopes.append(tape.gradient(value, source))

        def of(a, name=name):
            return _total(shims, getattr(shims.linalg, f"LinearOperator{name}")(a), x)

        slopes.append(jax.grad(of)(shims.constant(array)))
        assert not differences(*reversed(slopes), 20 * TOLERANCE), name


@pytest.mark.long
@pytest.mark.parametrize("make", KINDS)
def test_pytrees(make):
    """An operator goes through `jax.jit` and `shims.function`, hints and all."""
    ours, x = make(shims), argument(make)
    leaves, tree = jax.tree.flatten(ours)
    again = jax.tree.unflatten(tree, leaves)
    assert not hints(ours, again)
    assert again.name == ours.name
    assert tuple(again.shape) == tuple(ours.shape)
    compiled = jax.jit(lambda o, y: (o.matmul(y), o.to_dense()))(ours, x)
    called = shims.function(lambda o, y: (o.matmul(y), o.to_dense()))(ours, x)
    for found in (compiled, called):
        assert not differences(found, (ours.matmul(x), ours.to_dense()), TOLERANCE)


BY_SIZE = {
    "Diag": lambda m, x: m.linalg.LinearOperatorDiag(m.reduce_sum(x**2, axis=1) + 1.0),
    "FullMatrix": lambda m, x: m.linalg.LinearOperatorFullMatrix(
        m.matmul(x, x, transpose_b=True) + m.linalg.diag(m.reduce_sum(x**2, axis=1) + 1.0),
        is_self_adjoint=True,
        is_positive_definite=True,
    ),
    "LowerTriangular": lambda m, x: m.linalg.LinearOperatorLowerTriangular(
        m.matmul(x, x, transpose_b=True) + m.linalg.diag(m.reduce_sum(x**2, axis=1) + 1.0)
    ),
    "Identity": lambda m, x: m.linalg.LinearOperatorIdentity(m.shape(x)[0]),
    "ScaledIdentity": lambda m, x: m.linalg.LinearOperatorScaledIdentity(m.shape(x)[0], x[0, 0]),
}


@pytest.mark.parametrize("name", BY_SIZE)
def test_unknown_sizes(name):
    def program(m, x):
        o = BY_SIZE[name](m, x)
        return (
            *(o.matmul(x), o.solve(x), o.matvec(x[:, 0]), o.diag_part(), o.trace(), o.to_dense()),
            *(o.log_abs_determinant(), o.shape_tensor(), o.add_to_tensor(o.to_dense())),
        )

    run = shims.function(lambda x: program(shims, x), input_signature=[shims.TensorSpec([None, 2])])
    for n in (3, 2, 5):
        x = np.random.default_rng(n).uniform(0.5, 1.5, size=(n, 2)).astype(np.float32)
        assert not differences(run(x), program(tf, tf.constant(x)), TOLERANCE), n


def test_circulant():
    """Complex unless asked otherwise; a real operator solves too, which TensorFlow's does not."""
    spectra = [np.complex64([4, 1 + 1j, 2, 1 - 1j]), np.float32([4, 1, 2, 1])]
    x = np.float32([[1, 2], [0.5, -1], [3, 1], [0, 2]])
    for spectrum in spectra:
        for dtype in ("complex64", "float32"):
            made = [m.linalg.LinearOperatorCirculant(spectrum, dtype) for m in (tf, shims)]
            assert not hints(*made)
            for method in ("to_dense", "diag_part", "trace", "determinant", "log_abs_determinant"):
                assert not differences(
                    *(getattr(o, method)() for o in reversed(made)), TOLERANCE
                ), method
            given = x.astype(dtype)
            for call in (CALLS["matmul"], CALLS["matmul-adjoint"], CALLS["matvec"]):
                pair = [
                    call(m, o, m.constant(given)) for m, o in zip((tf, shims), made, strict=True)
                ]
                assert not differences(*reversed(pair), TOLERANCE)
            product = made[1].matmul(made[1].solve(shims.constant(given)))
            assert np.allclose(product, given, atol=1e-5)
            if dtype == "complex64":  # TensorFlow's are complex whatever they are made of
                assert not compared(*(o @ o for o in made))
                assert not compared(*(o.solve(o) for o in made))
                assert not compared(*(o.H for o in made))
                assert not compared(*(o.inverse() for o in made))
            kernel = [o.convolution_kernel() for o in made]
            assert not differences(*reversed(kernel), TOLERANCE)


@pytest.mark.parametrize("shape", [(2, 3), (2, 2, 3), (3, 2, 2, 2)], ids=str)
def test_circulant_blocks(shape):
    """Two axes, a batch of two, and a batch of three."""
    numbers = np.random.default_rng(0)
    depth = 3 if len(shape) == 4 else 2
    spectrum = (numbers.normal(size=shape) + 1j * numbers.normal(size=shape) + 3).astype("c8")
    n = int(np.prod(shape[-depth:]))
    x = numbers.normal(size=(*shape[:-depth], n, 2)).astype("c8")
    made = [getattr(m.linalg, f"LinearOperatorCirculant{depth}D")(spectrum) for m in (tf, shims)]
    assert not hints(*made)
    methods = ("to_dense", "diag_part", "trace", "determinant", "log_abs_determinant")
    for method in (*methods, "convolution_kernel"):
        assert not differences(*(getattr(o, method)() for o in reversed(made)), TOLERANCE), method
    assert made[0].block_shape.as_list() == list(made[1].block_shape)
    assert made[0].block_depth == made[1].block_depth
    for call in ("matmul", "matmul-adjoint", "solve"):
        pair = [CALLS[call](m, o, m.constant(x)) for m, o in zip((tf, shims), made, strict=True)]
        assert not differences(*reversed(pair), TOLERANCE), call
    for f in (lambda o: o @ o, lambda o: o.solve(o), lambda o: o.H, lambda o: o.inverse()):
        assert not compared(*(f(o) for o in made))


def test_blocks():
    """Operators of blocks take and give lists of blocks."""
    makers = dict(OPERATORS)
    blocks = [np.float32([[1, 2], [3, 4]]), np.float32([[0.5, 1], [-1, 2]])]
    for name in ("block-diag", "block-lower"):
        results = []
        for m in (tf, shims):
            o = makers[name](m)
            given = [m.constant(b) for b in blocks]
            vectors = [m.constant(b[:, 0]) for b in blocks]
            results.append(
                (
                    *(o.matmul(given), o.solve(given), o.matvec(vectors), o.solvevec(vectors)),
                    *(o.matmul(given, adjoint=True), o.solve(given, adjoint=True)),
                )
            )
        assert not differences(*reversed(results), TOLERANCE), name


def test_an_operator_of_ones_own():
    """A subclass with `_shape` and `_matmul` has everything else."""

    def made(m):
        class Twice(m.linalg.LinearOperator):
            def _shape(self):
                return m.TensorShape([3, 3])

            def _matmul(self, x, adjoint=False, adjoint_arg=False):
                return 2.0 * (m.linalg.adjoint(x) if adjoint_arg else x)

        return Twice(m.float32, is_self_adjoint=True, is_positive_definite=True)

    assert not hints(made(tf), made(shims))
    calls = {m: of_both(made, lambda _, o, m=m: getattr(o, m)()) for m in METHODS}
    x = np.float32([[1], [2], [3]])
    calls["solve"] = of_both(made, lambda m, o: o.solve(m.constant(x)))
    report(calls)


FUNCTIONS = {
    "adjoint": lambda m, o, x: m.linalg.adjoint(o),
    "cholesky": lambda m, o, x: m.linalg.cholesky(o),
    "det": lambda m, o, x: m.linalg.det(o),
    "diag_part": lambda m, o, x: m.linalg.diag_part(o),
    "inv": lambda m, o, x: m.linalg.inv(o),
    "inv-adjoint": lambda m, o, x: m.linalg.inv(o, adjoint=True),
    "logdet": lambda m, o, x: m.linalg.logdet(o),
    "matmul": lambda m, o, x: m.matmul(o, x),
    "matmul-adjoint": lambda m, o, x: m.matmul(o, x, adjoint_a=True),
    "matmul-right": lambda m, o, x: m.matmul(x, o, adjoint_a=True),
    "matmul-both": lambda m, o, x: m.matmul(o, o),
    "matmul-transposed": lambda m, o, x: m.matmul(o, x, transpose_a=True),
    "solve": lambda m, o, x: m.linalg.solve(o, x),
    "solve-right": lambda m, o, x: m.linalg.solve(x, o),
    "trace": lambda m, o, x: m.linalg.trace(o),
}


@pytest.mark.parametrize("name", ["diag-positive", "full", "full-positive", "lower", "zeros"])
def test_functions_of_matrices(name):
    """Functions take operators in the place of arrays, where TensorFlow's do."""
    make = dict(OPERATORS)[name]
    x = argument(make)
    report(
        {k: of_both(make, lambda m, o, f=f: f(m, o, m.constant(x))) for k, f in FUNCTIONS.items()}
    )
    with pytest.raises(shims.InvalidArgumentError):
        shims.reduce_sum(make(shims))
