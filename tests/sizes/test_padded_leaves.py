"""The sizes of a `Padded` survive arithmetic on its leaves, or their loss is an error."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jax import lax

import shims
from shims._src.sizes import size_code

X = np.float32([3.0, 1.0, 5.0])


def padded(exact=X, capacity=4, fill=np.nan):
    return shims.Padded.pad(exact, capacity, fill=fill)


def stacked(*rows):
    sizes = jnp.stack([p.sizes[0] for p in rows])
    return shims.Padded(jnp.stack([p.values for p in rows]), {-1: sizes})


def is_padded(x):
    return isinstance(x, shims.Padded)


def loss(p):
    return shims.reduce_sum(p**2)


KEPT = {
    "step": lambda a, b: a - 0.1 * b,
    "average": lambda a, b: (a + b) / 2,
    "root": lambda a, b: jnp.sqrt(jnp.abs(a)) + 0 * b,
    "clipped": lambda a, b: jnp.clip(a, -1, 1) - b / 4,
    "momentum": lambda a, b: 0.9 * a + 0.1 * jnp.sign(b),
    "dtype": lambda a, b: a.astype(jnp.bfloat16),
    "chosen": lambda a, b: jnp.where(True, a, b),
    "sum removed": lambda a, b: a / jnp.sum(a),
    "part of a norm": lambda a, b: a / (jnp.linalg.norm(b) + 1),
    "first axis": lambda a, b: a / jnp.sum(a, 0),
    "cut to a norm": lambda a, b: a / jnp.maximum(1, jnp.sqrt(jnp.vdot(a, b))),
    "signs": lambda a, b: a - 0.1 * jnp.sign(b),
}
LOST = {
    "constant": lambda a: a + 1,
    "exponential": jnp.exp,
    "comparison": lambda a: a > 0,
    "integers": lambda a: a.astype(np.int32),
    "zero": lambda a: a * 0,
    "sum": jnp.sum,
    "square": lambda a: a * a,
    "half": lambda a: a.astype(jnp.float16),
    "norm removed": lambda a: a / jnp.linalg.norm(a),
    "cumulated": lambda a: jnp.cumsum(a, 0),
    "flipped": jnp.flip,
    "flipped along the first axis": lambda a: a[::-1],
    "flipped along the last axis": lambda a: a[..., ::-1],
    "rolled": lambda a: jnp.roll(a, 2, 0),
    "rolled along the last axis": lambda a: jnp.roll(a, 2, -1),
    "transposed": lambda a: a.T,
    "flat": lambda a: a.reshape(-1),
    "shorter": lambda a: a[1:],
}
REFUSED = {
    "mean": jnp.mean,
    "mean of squares": lambda a: a / jnp.maximum(1, jnp.sqrt(jnp.mean(a**2))),
    "deviation": lambda a: a / jnp.std(a),
    "variance": jnp.var,
    "average": jnp.average,
    "largest": lambda a: a / jnp.max(a),
    "smallest": jnp.min,
    "largest magnitude": lambda a: jnp.linalg.norm(a.ravel(), jnp.inf) if a.ndim == 1 else a.max(),
    "range": jnp.ptp,
    "product": jnp.prod,
    "place": jnp.argmax,
    "median": jnp.median,
    "quantile": lambda a: jnp.quantile(a, 0.2),
    "sorted": jnp.sort,
    "order": jnp.argsort,
    "greatest": lambda a: jax.lax.top_k(a, 1),
    "count": jnp.count_nonzero,
    "count of positive": lambda a: jnp.sum(a > 0),
    "normalized": lambda a: jax.nn.softmax(a, 0),
    "exponentials": jax.nn.logsumexp,
}


@pytest.mark.parametrize("name", KEPT)
def test_sums_and_multiples_of_one_size_keep_it(name):
    f = KEPT[name]
    want = f(X, X)
    for lane in (jax.tree.map, jax.jit(lambda f, p, q: jax.tree.map(f, p, q), static_argnums=0)):
        found = lane(f, padded(), padded()).unpad()
        assert found.shape == want.shape
        np.testing.assert_allclose(found, want, rtol=1e-2 if name == "dtype" else 1e-6)


@pytest.mark.parametrize("name", LOST)
def test_what_loses_the_size_is_an_error(name):
    # A transpose changes only a matrix.
    changed = jax.tree.map(LOST[name], padded(np.outer(X, X) if name == "transposed" else X))
    for use in (lambda q: q.unpad(), lambda q: q + 1, lambda q: shims.reverse(q, [0])):
        with pytest.raises(shims.errors.PaddedUseError, match="sizes of a padded value were lost"):
            use(changed)
    assert "lost" in repr(changed)


@pytest.mark.parametrize("name", REFUSED)
def test_a_reduction_that_would_count_the_padding_is_refused(name):
    f = REFUSED[name]
    for call in (
        lambda: jax.tree.map(f, padded()),
        lambda: jax.jit(lambda p: jax.tree.map(f, p))(padded()),
    ):
        with pytest.raises(shims.errors.PaddedUseError, match="include the padding"):
            call()
    np.testing.assert_allclose(shims.dynamic(lambda y: f(y))(padded()), f(X), rtol=1e-6)


def test_a_reduction_of_ordinary_arrays_is_not_refused():
    shape = size_code.shape_of(2)
    assert jnp.mean(jnp.ones((*shape[:2], 2, *shape[3:]))) == 1
    assert jnp.mean(jnp.ones((shape[0], 1, 1, 1, shape[-1]))) == 1
    stacked = jnp.stack([jnp.ones(shape), jnp.zeros(shape)])
    assert jnp.mean(stacked, 0).shape == shape


_WITHOUT_CODES = """
import jax, jax.numpy as jnp, numpy as np, shims
from shims._src.sizes import size_code
shape = size_code.shape_of(2)
x = jnp.ones(np.prod(shape)).at[3].set(2).reshape(shape)
p = shims.Padded.pad(np.float32([1, 2]), 4)
for f in (jnp.sum, jnp.mean, jnp.max, jnp.prod, jnp.argmax, jnp.median, lambda a: jnp.sum(a > 0)):
    for found in (f(x), jax.jit(f)(x), jax.jit(lambda a, p: (f(a), p))(x, p)[0]):
        assert found == f(x.ravel()), (f, found)
try:
    jax.tree.map(jnp.mean, p)
except shims.errors.PaddedUseError:
    print("refused")
assert jnp.isnan(sum(jnp.sum(jnp.cos(leaf)) for leaf in jax.tree.leaves(p)))
"""


def test_without_codes_every_array_is_reduced():
    """Run in a process of its own, where no leaves of a `Padded` have been handed out at first."""
    run = subprocess.run(
        [sys.executable, "-c", _WITHOUT_CODES], capture_output=True, text=True, check=False
    )
    assert run.stdout == "refused\n", run.stderr


@pytest.mark.parametrize("f", [jnp.cos, jnp.sign, jnp.ones_like, lambda x: x > 0])
def test_sums_of_functions_that_count_zeros_are_no_numbers(f):
    def total(p):
        return sum(jnp.sum(f(x), dtype=jnp.float32) for x in jax.tree.leaves(p))

    assert jnp.isnan(total(padded()))
    assert jnp.isnan(jax.jit(total)(padded()))
    assert total([jnp.asarray(X)]) == jnp.sum(f(X))


def test_leaves_have_no_padding():
    for p in (padded(), padded(np.outer(X, X))):
        assert jnp.sum(jax.tree.leaves(p)[0]) == np.sum(np.asarray(p.unpad()))
        assert jnp.isnan(p.values).any()


def test_the_remedy_of_the_message_works():
    tree = {"a": padded(), "b": jnp.ones(2)}
    found = jax.tree.map(lambda x: x + 1, tree, is_leaf=is_padded)
    np.testing.assert_array_equal(found["a"], X + 1)
    lost = jax.tree.map(jnp.exp, padded())
    restored = shims.Padded(lost.values, padded().sizes)
    np.testing.assert_allclose(restored.unpad(), np.exp(X), rtol=1e-6)


MIXED = [
    *(lambda a, b: (a + b) / 2, jnp.minimum, jnp.maximum, jnp.subtract),
    *(lambda a, b: 0 * a + b, lambda a, b: a + 0 * b, jnp.fmax),
    *(lambda a, b: jnp.where(a > 2, a, b), lambda a, b: jnp.where(a < 0, a, b)),
    *(lambda a, b: jnp.where(b > 2, a, b), lambda a, b: jnp.where(b == 0, a, b)),
]


@pytest.mark.parametrize("f", MIXED)
def test_values_of_other_sizes_are_not_averaged(f):
    with pytest.raises(shims.errors.PaddedUseError, match="different sizes are combined"):
        jax.tree.map(f, padded(), padded(X[:2]))
    under_jit = jax.jit(lambda p, q: shims.dynamic(lambda y: y * 2)(jax.tree.map(f, p, q)))
    with pytest.raises(shims.errors.PaddedUseError):
        under_jit(padded(), padded(X[:2])).unpad()


@pytest.mark.parametrize(("reduce", "result"), [(lax.psum, X * 2), (lax.pmean, X)])
def test_reductions_over_devices(reduce, result):
    def rows(*sizes):
        return stacked(*(padded(X[:n], fill=7) for n in sizes))

    f = jax.vmap(lambda p: reduce(p, "batch"), axis_name="batch")
    for row in f(rows(3, 3)).unpad():
        np.testing.assert_array_equal(row, result)
    with pytest.raises(shims.errors.PaddedUseError):
        f(rows(3, 2)).unpad()


def test_sums_and_norms_over_the_leaves():
    tree = {"w": padded(), "b": jnp.ones(2)}
    exact = {"w": jnp.asarray(X), "b": jnp.ones(2)}
    for f in (optax.tree.norm, optax.tree.sum, lambda t: optax.tree.vdot(t, t)):
        np.testing.assert_allclose(f(tree), f(exact), rtol=1e-6)
        np.testing.assert_allclose(jax.jit(f)(tree), f(exact), rtol=1e-6)
    assert optax.tree.norm(padded(0 * X)) == 0
    signs = jax.tree.map(jnp.sign, padded())
    np.testing.assert_allclose(optax.tree.norm(signs), np.sqrt(3), rtol=1e-6)


def test_gradients_have_the_sizes_of_their_values():
    p = padded()
    for gradient in (jax.grad(loss)(p), jax.jit(jax.grad(loss))(p), jax.grad(jax.jit(loss))(p)):
        np.testing.assert_array_equal(gradient.unpad(), 2 * X)
        np.testing.assert_allclose(p - 0.1 * gradient, 0.8 * X, rtol=1e-6)
        np.testing.assert_allclose(
            jax.tree.map(lambda a, g: a - 0.1 * g, p, gradient).unpad(), 0.8 * X, rtol=1e-6
        )
    twice = jax.grad(lambda p: shims.reduce_sum(jax.grad(loss)(p) * p))(p)
    np.testing.assert_array_equal(twice.unpad(), 4 * X)
    value, slope = jax.jvp(loss, (p,), (p,))
    assert (float(value), float(slope)) == (35, 70)


def test_gradients_of_each_row():
    rows = stacked(padded(), padded(X[:1]))
    for gradient in (
        jax.vmap(jax.grad(loss))(rows),
        jax.grad(lambda p: jax.vmap(loss)(p).sum())(rows),
    ):
        for found, want in zip(gradient.unpad(), (2 * X, 2 * X[:1]), strict=True):
            np.testing.assert_array_equal(found, want)


def test_padding_has_no_gradient_norm():
    gradient = jax.grad(loss)(padded())
    np.testing.assert_allclose(optax.tree.norm(gradient), np.linalg.norm(2 * X), rtol=1e-6)


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.1, momentum=0.9, nesterov=True),
    "adam": lambda: optax.adam(0.1),
    "adamw": lambda: optax.adamw(0.1),
    "lion": lambda: optax.lion(0.1),
    "rmsprop": lambda: optax.rmsprop(0.1),
    "adagrad": lambda: optax.adagrad(0.1),
    "lamb": lambda: optax.lamb(0.1),
    "novograd": lambda: optax.novograd(0.1),
    "clipped": lambda: optax.chain(optax.clip_by_global_norm(1.0), optax.adam(0.1)),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_over_a_tree_with_padded_values(name):
    optimizer = OPTIMIZERS[name]()

    def trained(tree, loss_of):
        state = optimizer.init(tree)
        for _ in range(3):
            updates, state = optimizer.update(jax.grad(loss_of)(tree), state, tree)
            tree = optax.apply_updates(tree, updates)
        return tree

    found = trained({"w": padded(), "b": jnp.ones(2)}, lambda t: loss(t["w"]) + t["b"].sum())
    want = trained({"w": X, "b": jnp.ones(2)}, lambda t: jnp.sum(t["w"] ** 2) + t["b"].sum())
    np.testing.assert_allclose(found["w"].unpad(), want["w"], rtol=1e-6)


def test_an_optimizer_that_takes_means_is_an_error():
    optimizer, p = optax.adafactor(0.1), padded(fill=0)
    state = optimizer.init(p)
    with pytest.raises(shims.errors.PaddedUseError, match="reduced"):
        optimizer.update(jax.grad(loss)(p), state, p)

    # The remedy of the message.
    def steps(p):
        state, gradient = optimizer.init(p), 2 * p
        return optax.apply_updates(p, optimizer.update(gradient, state, p)[0])

    np.testing.assert_allclose(shims.dynamic(steps)(p), steps(jnp.asarray(X)), rtol=1e-6)


def test_a_tangent_has_the_size_of_its_value():
    cubes = shims.dynamic(lambda y: jnp.sum(y**3))

    def along(p, tangent):
        return jax.jvp(cubes, (p,), (tangent,))

    assert list(map(float, along(padded(), padded()))) == [153, 459]
    with pytest.raises(shims.errors.PaddedUseError, match="tangent have different sizes"):
        along(padded(), padded(X[:2]))
    assert all(map(jnp.isnan, jax.jit(along)(padded(), padded(X[:2]))))
    assert list(map(float, jax.jit(along)(padded(), padded()))) == [153, 459]


@pytest.mark.parametrize("numbers", [(0, 0), (3, -2), (2**31 - 1, -(2**31)), (1, 2, 3)])
def test_every_number_has_a_code(numbers):
    code = size_code.encode(tuple(map(np.int32, numbers)))
    assert code.shape == size_code.shape_of(len(numbers))
    assert size_code.is_code(code, len(numbers))
    found, is_whole = size_code.decode(code, len(numbers))
    assert tuple(map(int, found)) == numbers
    assert is_whole
    assert np.all(np.isfinite(code))
    assert size_code.has_shape_of_code((3, *code.shape))


def test_the_dtype_of_a_padded_operand_is_checked():
    with pytest.raises(shims.errors.OpError, match="no kernel for bool"):
        shims.reduce_sum(padded() > 2)
    with pytest.raises(shims.errors.OpError, match="no kernel for bool"):
        shims.reduce_sum(padded(X > 2, fill=False))


def test_copies_and_pickles_of_results():
    p = jax.jit(lambda x: shims.boolean_mask(x, x > 2))(X)
    for again in (copy.copy(p), copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        np.testing.assert_array_equal(again.unpad(), [3, 5])
    assert jax.eval_shape(lambda q: q, p).sizes[0].shape == ()
