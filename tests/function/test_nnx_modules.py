"""What a function changes in objects of Flax NNX is changed after the call, as with `nnx.jit`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims as tf

nnx = pytest.importorskip("flax.nnx")
X = jnp.asarray(np.random.default_rng(0).normal(size=(6, 3)), jnp.float32)
MASKS = ([1, 1, 0, 1, 0, 1], [1, 1, 1, 1, 1, 1], [0, 0, 1, 0, 0, 0])


class Net(nnx.Module):
    """A layer, moving averages, random numbers, and a count of the rows."""

    def __init__(self, rngs):
        self.linear = nnx.Linear(3, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.count = nnx.Variable(jnp.zeros(()))

    def __call__(self, x, mask):
        y = self.linear(x[mask])
        self.count.set_value(self.count.get_value() + y.shape[0])
        return self.drop(self.norm(y)).sum(0)

    @tf.dynamic
    def inlined(self, x, mask):
        return self(x, mask)

    @tf.function
    def compiled(self, x, mask):
        return self(x, mask)


def step(net, x, mask):
    return net(x, mask)


def arrays(net):
    """The arrays of its variables, without those of random keys."""
    leaves = jax.tree.leaves(nnx.state(net))
    return [x for x in leaves if not jax.dtypes.issubdtype(x.dtype, jax.dtypes.extended)]


LANES = {
    "dynamic": tf.dynamic(step),
    "function": tf.function(step),
    "nnx.jit of dynamic": nnx.jit(tf.dynamic(step)),
    "nnx.jit of function": nnx.jit(tf.function(step)),
    "a method": Net.inlined,
    "a compiled method": Net.compiled,
    "by keyword": lambda net, x, m: tf.function(step)(x=x, mask=m, net=net),
    "in a dict": lambda net, x, m: tf.function(lambda d: d["net"][0](d["x"], m))(
        {"net": [net], "x": x}
    ),
    "with a signature": lambda net, x, m: tf.function(
        step, input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None], tf.bool)]
    ).__get__(net)(x, m),
}


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("lane", LANES)
def test_changes_are_kept(lane, mask):
    mask = jnp.asarray(mask, bool)
    exact, net = Net(nnx.Rngs(0)), Net(nnx.Rngs(0))
    for _ in range(2):
        right, made = step(exact, X, mask), LANES[lane](net, X, mask)
        np.testing.assert_allclose(made, right, rtol=1e-4, atol=1e-5)
    assert net.count.get_value() == exact.count.get_value() == 2 * mask.sum()
    for a, b in zip(*map(arrays, (net, exact)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_one_object_twice():
    net = Net(nnx.Rngs(0))
    tf.function(lambda a, b, x, m: a(x, m) + b(x, m))(net, net, X, jnp.asarray(MASKS[0], bool))
    assert net.count.get_value() == 8


@pytest.mark.parametrize("wrap", [tf.function, tf.dynamic, lambda f: nnx.jit(tf.dynamic(f))])
def test_new_variables_are_kept(wrap):
    def grown(net, x):
        net.more = nnx.Variable(x[x > 0].sum())
        net.linear.more = nnx.Variable(x[0])
        return x[x > 0].shape[0]

    net, call = Net(nnx.Rngs(0)), wrap(grown)
    for x in (X, X + 1, X):
        assert call(net, x) == (x > 0).sum()
        np.testing.assert_allclose(net.more.get_value(), x[x > 0].sum(), rtol=1e-6)
        np.testing.assert_array_equal(net.linear.more.get_value(), x[0])


@pytest.mark.parametrize("wrap", [tf.function, tf.dynamic])
def test_other_changes_of_the_structure_are_refused(wrap):
    def marked(net, x):
        net.mark = "seen"
        return x

    def shrunk(net, x):
        del net.count
        return x

    for f in (marked, shrunk):
        with pytest.raises(NotImplementedError, match="changes the structure of a Flax NNX object"):
            wrap(f)(Net(nnx.Rngs(0)), X)


def test_gradients():
    mask = jnp.asarray(MASKS[0], bool)
    loss = lambda net, x, m: (net.linear(x[m]) ** 2).mean() + net.norm(net.linear(x[m]))[0, 0]
    exact, net = Net(nnx.Rngs(0)), Net(nnx.Rngs(0))
    right = nnx.grad(loss)(exact, X, mask)
    made = nnx.grad(tf.dynamic(loss))(net, X, mask)
    for a, b in zip(*map(jax.tree.leaves, (made, right)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
