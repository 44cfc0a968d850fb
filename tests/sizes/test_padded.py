"""`Padded` is an ordinary pytree: it survives every transformation, and never lends its padding."""

from __future__ import annotations

import copy
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims as tf

Y = np.array([[1.0, -2.0], [3.0, 0.5], [-1.5, 4.0]], np.float32)


def padded(fill=0.0):
    return tf.Padded.pad(Y, 5, fill=fill)


def test_pad_and_unpad_are_inverse():
    for n, capacity in ((3, 5), (3, 3), (0, 4), (1, 1)):
        y = Y[:n]
        p = tf.Padded.pad(y, capacity, fill=7)
        assert p.values.shape == (capacity, 2)
        assert {axis: int(size) for axis, size in p.sizes.items()} == {0: n}
        assert np.all(np.asarray(p.values)[n:] == 7)
        np.testing.assert_array_equal(p.unpad(), y)
        assert p.unpad().dtype == y.dtype


def test_pad_along_another_axis():
    p = tf.Padded.pad(Y, 4, axis=1, fill=np.nan)
    assert p.values.shape == (3, 4)
    assert int(p.sizes[1]) == 2
    np.testing.assert_array_equal(p.unpad(), Y)


def test_pad_to_less_than_the_size_raises():
    with pytest.raises(tf.CapacityError, match=r"\b3\b"):
        tf.Padded.pad(Y, 2)


def test_it_is_a_pytree_whose_sizes_are_int32():
    leaves, structure = jax.tree.flatten(padded())
    again = jax.tree.unflatten(structure, leaves)
    np.testing.assert_array_equal(again.unpad(), Y)
    assert padded().sizes[0].dtype == np.int32
    assert hash(structure) == hash(jax.tree.structure(padded(fill=3)))


def test_through_jit_as_argument_and_result():
    double = jax.jit(tf.dynamic(lambda y: y * 2))
    np.testing.assert_array_equal(double(padded(np.nan)).unpad(), Y * 2)
    np.testing.assert_array_equal(jax.jit(lambda p: p)(padded()).unpad(), Y)


def test_sizes_are_traced_and_cost_no_compilation():
    total = jax.jit(tf.dynamic(lambda y: y.sum()))
    for n in range(4):
        assert float(total(tf.Padded.pad(Y[:n], 5, fill=np.inf))) == Y[:n].sum()
    assert total._cache_size() == 1


def test_through_grad():
    def f(y):
        return jnp.sum(y**2) / y.shape[0]

    gradient = jax.grad(tf.dynamic(f), allow_int=True)(padded(np.nan))
    assert isinstance(gradient, tf.Padded)
    np.testing.assert_allclose(gradient.values[:3], 2 * Y / 3, rtol=1e-6)
    assert not np.any(gradient.values[3:])


def test_a_gradient_flows_through_a_padded_result():
    def f(x, m):
        p = tf.boolean_mask(x, m)
        return tf.dynamic(lambda y: jnp.sum(y**3))(p)

    x, m = np.array([1.0, 2.0, 3.0], np.float32), np.array([True, False, True])
    np.testing.assert_allclose(jax.jit(jax.grad(f))(x, m), [3, 0, 27])


def test_through_vmap():
    rows = padded(1), tf.Padded.pad(Y[:1], 5)
    sizes = jnp.stack([p.sizes[0] for p in rows])
    batch = tf.Padded(jnp.stack([p.values for p in rows]), {1: sizes})
    means = jax.vmap(tf.dynamic(lambda y: y.mean(0)))(batch)
    np.testing.assert_allclose(means, [Y.mean(0), Y[0]], rtol=1e-6)


def test_through_a_scan_as_carry_and_operand():
    def step(p, _):
        return tf.dynamic(lambda y: jnp.sin(y))(p), tf.dynamic(lambda y: y.sum())(p)

    last, sums = lax.scan(step, padded(np.nan), None, length=3)
    want = [Y, np.sin(Y), np.sin(np.sin(Y))]
    np.testing.assert_allclose(sums, [w.sum() for w in want], rtol=1e-5)
    np.testing.assert_allclose(last.unpad(), np.sin(want[-1]), rtol=1e-5)


def test_through_cond():
    pick = jax.jit(lambda flag, p, q: lax.cond(flag, lambda: p, lambda: q))
    np.testing.assert_array_equal(pick(True, padded(), tf.Padded.pad(Y[:1], 5)).unpad(), Y)
    np.testing.assert_array_equal(pick(False, padded(), tf.Padded.pad(Y[:1], 5)).unpad(), Y[:1])


def test_through_device_put_and_copies():
    for p in (jax.device_put(padded()), copy.copy(padded()), copy.deepcopy(padded())):
        np.testing.assert_array_equal(p.unpad(), Y)
        assert isinstance(p, tf.Padded)


def test_through_pickle():
    p = pickle.loads(pickle.dumps(padded(fill=2)))
    assert isinstance(p, tf.Padded)
    np.testing.assert_array_equal(p.values, padded(fill=2).values)
    np.testing.assert_array_equal(p.unpad(), Y)


def test_through_checkpoint_and_inner_jit():
    f = tf.dynamic(lambda y: jnp.sum(jnp.exp(-y)))
    for transform in (jax.checkpoint, jax.jit):
        np.testing.assert_allclose(transform(f)(padded(np.nan)), np.exp(-Y).sum(), rtol=1e-6)


USES = (
    ("jnp.sum", lambda p: jnp.sum(p)),
    ("jnp.asarray", lambda p: jnp.asarray(p)),
    ("np.asarray", lambda p: np.asarray(p)),
    ("jnp.concatenate", lambda p: jnp.concatenate([p, p])),
    ("jnp.stack", lambda p: jnp.stack([p])),
    ("jax.nn.relu", lambda p: jax.nn.relu(p)),
    ("lax.exp", lambda p: lax.exp(p)),
    ("iteration", lambda p: list(p)),
    ("membership", lambda p: 1.0 in p),
    ("float", lambda p: float(p)),
    ("truth", lambda p: bool(p)),
    ("length", lambda p: len(p)),
)


@pytest.mark.parametrize("use", [u for _, u in USES], ids=[n for n, _ in USES])
def test_it_never_lends_its_padding(use):
    with pytest.raises((TypeError, ValueError)):
        use(padded(np.nan))


def test_an_array_that_does_not_fit_is_refused_as_it_is_for_exact_arrays():
    with pytest.raises((TypeError, ValueError)):
        jnp.ones(5) * padded()


ARITHMETIC = (
    ("addition", lambda p: p + 1),
    ("array on the left", lambda p: jnp.array([2.0, 3.0]) * p),
    ("subtraction from the right", lambda p: 1 - p),
    ("division", lambda p: 1 / p / 2),
    ("power", lambda p: p**2),
    ("matrix product", lambda p: p @ np.eye(2, dtype=np.float32)),
    ("comparison", lambda p: p < 1),
    ("equality of itself", lambda p: p + p),
    ("negation", lambda p: -p),
    ("absolute value", lambda p: abs(p)),
    ("first row", lambda p: p[0]),
    ("last row", lambda p: p[-1]),
    ("reversal", lambda p: p[::-1]),
    ("column", lambda p: p[:, 1]),
)


@pytest.mark.parametrize("use", [u for _, u in ARITHMETIC], ids=[n for n, _ in ARITHMETIC])
def test_its_operators_see_the_true_entries_only(use):
    want = np.asarray(use(jnp.asarray(Y)))
    for run in (use, jax.jit(use)):
        got = run(padded(np.nan))
        got = got.unpad() if isinstance(got, tf.Padded) else got
        np.testing.assert_allclose(got, want, rtol=1e-6)


def test_its_repr_shows_capacity_and_size():
    text = repr(padded())
    assert "Padded" in text
    assert "5" in text
    assert "3" in text


def test_operators_take_and_give_it():
    p = jax.jit(tf.boolean_mask)(Y, np.array([True, False, True]))
    assert isinstance(p, tf.Padded)
    assert not isinstance(jax.jit(lambda q: tf.reduce_sum(q))(p), tf.Padded)
    np.testing.assert_allclose(jax.jit(lambda q: tf.reduce_sum(q))(p), Y[[0, 2]].sum(), rtol=1e-6)
    np.testing.assert_allclose(tf.reduce_mean(p, axis=0), Y[[0, 2]].mean(0), rtol=1e-6)
    joined = jax.jit(lambda q: tf.concat([q, q], 0))(p)
    np.testing.assert_array_equal(joined.unpad(), np.concatenate([Y[[0, 2]]] * 2))


def test_a_function_can_return_it_without_waiting(monkeypatch):
    mask = np.array([True, False, True])
    reads = {}
    for unpad in (True, False):
        fn = tf.function(lambda x, m: tf.boolean_mask(x, m), unpad=unpad)
        fn(Y, mask)
        with monkeypatch.context() as patch:
            read, asarray = [], np.asarray

            def reading(x, *args, read=read, asarray=asarray, **kwargs):
                read.append(isinstance(x, jax.Array))
                return asarray(x, *args, **kwargs)

            patch.setattr(np, "asarray", reading)
            p = fn(Y, mask)
        reads[unpad] = any(read)
    assert reads == {True: True, False: False}
    assert isinstance(p, tf.Padded)
    np.testing.assert_array_equal(p.unpad(), Y[[0, 2]])


def test_leaves_may_be_placeholders():
    """Libraries that save trees put `None` or objects of their own in place of the leaves."""
    leaves, tree = jax.tree.flatten({"p": padded()})
    for stand_in in (None, "leaf", object()):
        empty = jax.tree.unflatten(tree, [stand_in] * len(leaves))
        found = jax.tree.leaves(empty, is_leaf=lambda x: x is None)
        assert found == [stand_in] * len(leaves)
