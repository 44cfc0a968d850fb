"""Windows over arrays of which no size but the channels is known, against TensorFlow."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import Tolerance, assert_same

RNG = np.random.default_rng(3)
IMAGE = RNG.normal(size=(2, 7, 5, 4)).astype(np.float32)
KERNEL = RNG.normal(size=(3, 2, 4, 4)).astype(np.float32)
DEEP = RNG.normal(size=(3, 2, 4, 2)).astype(np.float32)
DOUBLED, LESS, MORE = np.asarray([[1, 2, 2, 1], [0, 0, 1, 0], [0, 2, 1, 0]], np.int32)
CALLS = {
    "conv2d-same": lambda tf, x, w: tf.nn.conv2d(x, w, [2, 3], "SAME"),
    "conv2d-valid": lambda tf, x, w: tf.nn.conv2d(x, w, 2, "VALID"),
    "conv2d-dilated": lambda tf, x, w: tf.nn.conv2d(x, w, 1, "SAME", dilations=[2, 1]),
    "conv2d-explicit": lambda tf, x, w: tf.nn.conv2d(x, w, 2, [[0, 0], [1, 2], [0, 1], [0, 0]]),
    "transpose": lambda tf, x, w: tf.nn.conv2d_transpose(x, w, tf.shape(x) * DOUBLED - LESS, 2),
    "transpose-valid": lambda tf, x, w: tf.nn.conv2d_transpose(
        x, w, tf.shape(x) + MORE, 1, "VALID"
    ),
    "max": lambda tf, x, w: tf.nn.max_pool2d(x, [3, 2], 2, "SAME"),
    "max-valid": lambda tf, x, w: tf.nn.max_pool2d(x, [2, 3], [2, 1], "VALID"),
    "avg": lambda tf, x, w: tf.nn.avg_pool2d(x, 3, 2, "SAME"),
    "argmax": lambda tf, x, w: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")[0],
    "dilation2d": lambda tf, x, w: tf.nn.dilation2d(
        x, w[:, :, 0], [1, 2, 1, 1], "SAME", "NHWC", [1, 1, 2, 1]
    ),
    "lrn": lambda tf, x, w: tf.nn.lrn(x, 1),
}


def theirs(call, x, w):
    """The result, and the gradients of the sum of its cosines."""
    x, w = tf.constant(x), tf.constant(w)
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        out = call(tf, x, w)
        total = tf.reduce_sum(tf.cos(out))
    slopes = tape.gradient(total, [x, w], unconnected_gradients="zero")
    return [a.numpy() for a in (out, *slopes)]


def ours(call):
    """The same as one function of unknown sizes."""

    def run(x, w):
        out = call(shims, x, w)
        slopes = jax.grad(lambda x, w: jnp.sum(jnp.cos(call(shims, x, w))), (0, 1))(x, w)
        return out, *slopes

    signature = [shims.TensorSpec([None, None, None, 4]), shims.TensorSpec([3, 2, 4, 4])]
    return shims.function(run, input_signature=signature, on_specialize="raise")


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_unknown_sizes(call):
    run = ours(call)
    for x in (IMAGE, IMAGE[:, :4, 1:]):
        for found, wanted in zip(run(x, KERNEL), theirs(call, x, KERNEL), strict=True):
            assert_same(found, wanted, Tolerance(relative=1e-4, absolute=2e-5))


def test_depthwise_over_unknown_sizes():
    def call(tf, x, w):
        return tf.nn.depthwise_conv2d(x, w[..., :2], [1, 2, 2, 1], "SAME")

    run = ours(call)
    for found, wanted in zip(run(IMAGE, KERNEL), theirs(call, IMAGE, KERNEL), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=2e-5)


def test_a_window_that_does_not_fit_is_found_by_the_run():
    run = shims.function(
        lambda x: shims.nn.max_pool2d(x, 3, 1, "VALID"),
        input_signature=[shims.TensorSpec([1, None, 5, 4])],
    )
    assert run(IMAGE[:1]).shape == (1, 5, 3, 4)
    with pytest.raises(shims.InvalidArgumentError) as raised:
        run(IMAGE[:1, :1])
    assert str(raised.value).startswith(
        "max_pool2d: spatial axis 0 is shorter than one window.\n  Required: at least 3 elements, including the padding"
    )


def test_a_transpose_of_another_size_is_refused():
    """TensorFlow's process ends here."""
    with pytest.raises(shims.InvalidArgumentError) as raised:
        shims.nn.conv2d_transpose(IMAGE, KERNEL, [2, 20, 10, 4], 2)
    assert str(raised.value).startswith(
        "conv2d_transpose: a convolution of an array of shape `output_shape` cannot have the "
        "shape of `input`.\n"
        "  Required: size 10 along axis 1\n"
        "  Received: input f32[2, 7, 5, 4]"
    )


def test_strides_and_dilations_of_single_channels_are_refused():
    with pytest.raises(shims.errors.UnimplementedError) as raised:
        shims.nn.depthwise_conv2d(IMAGE, DEEP, [1, 2, 2, 1], "VALID", dilations=[2, 2])
    assert str(raised.value).startswith(
        "depthwise_conv2d: `strides` and `dilations` are both greater than 1.\n  Required: `strides` or `dilations` equal to 1\n  "
        "Received: strides=(1, 2, 2, 1), dilations=(2, 2)"
    )


BACKWARD = {
    "input": lambda m, dilations: m.nn.depthwise_conv2d_backprop_input(
        [2, 7, 5, 4], DEEP, m.ones([2, 7, 5, 8]), [1, 1, 1, 1], "SAME", dilations=dilations
    ),
    "filter": lambda m, dilations: m.nn.depthwise_conv2d_backprop_filter(
        IMAGE, [3, 2, 4, 2], m.ones([2, 7, 5, 8]), [1, 1, 1, 1], "SAME", dilations=dilations
    ),
}


@pytest.mark.parametrize("name", BACKWARD)
def test_dilations_that_tensorflow_ignores_are_refused(name):
    """TensorFlow returns the gradient of a convolution without dilations."""
    call = BACKWARD[name]
    np.testing.assert_array_equal(call(tf, [1, 2, 2, 1]), call(tf, [1, 1, 1, 1]))
    assert_same(call(shims, [1, 1, 1, 1]), call(tf, [1, 1, 1, 1]), Tolerance(1e-5))
    with pytest.raises(shims.errors.UnimplementedError) as raised:
        call(shims, [1, 2, 2, 1])
    assert str(raised.value).startswith(
        f"depthwise_conv2d_backprop_{name}: TensorFlow's kernel on CPU ignores `dilations`.\n"
        "  Required: dilations=[1, 1, 1, 1]\n"
        "  Received: dilations=[1, 2, 2, 1]"
    )
    assert str(raised.value).endswith(
        "  Do:       differentiate `depthwise_conv2d` with these dilations: `jax.vjp` or `GradientTape`"
    )
