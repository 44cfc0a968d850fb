"""Hold the helper functions that a written module may define."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Helper:
    """The source of a helper function, and the names of other helpers that it calls."""

    text: str
    needs: tuple[str, ...] = ()


def _helper(text: str, *needs: str) -> Helper:
    return Helper(text.strip("\n") + "\n", needs)


DEFINITIONS: dict[str, Helper] = {
    "conv2d": _helper('''
def conv2d(x, kernel, strides=(1, 1), padding="SAME", dilation=(1, 1)):
    """Convolve images `[batch, height, width, channels]`."""
    layout = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(
        x, kernel, strides, padding, rhs_dilation=dilation, dimension_numbers=layout
    )
'''),
    "conv1d": _helper('''
def conv1d(x, kernel, stride=1, padding="SAME", dilation=1):
    """Convolve sequences `[batch, time, channels]`."""
    layout = ("NWC", "WIO", "NWC")
    return lax.conv_general_dilated(
        x, kernel, (stride,), padding, rhs_dilation=(dilation,), dimension_numbers=layout
    )
'''),
    "depthwise_conv2d": _helper('''
def depthwise_conv2d(x, kernel, strides=(1, 1), padding="SAME"):
    """Convolve each channel of images with its own kernels."""
    height, width, channels, multiplier = kernel.shape
    kernel = kernel.reshape(height, width, 1, channels * multiplier)
    layout = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(
        x, kernel, strides, padding, dimension_numbers=layout, feature_group_count=channels
    )
'''),
    "conv2d_transpose": _helper('''
def conv2d_transpose(x, kernel, strides, padding="SAME"):
    """Apply the gradient of a convolution with respect to its images."""
    layout = ("NHWC", "HWIO", "NHWC")
    return lax.conv_transpose(
        x, kernel, strides, padding, dimension_numbers=layout, transpose_kernel=True
    )
'''),
    "max_pool": _helper('''
def max_pool(x, window, strides, padding="VALID"):
    """Return the largest value in each window of images `[batch, height, width, channels]`."""
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, *window, 1), (1, *strides, 1), padding)
'''),
    "avg_pool": _helper('''
def avg_pool(x, window, strides, padding="VALID"):
    """Return the mean of each window of images; padding does not count."""
    window, strides = (1, *window, 1), (1, *strides, 1)
    total = lax.reduce_window(x, 0.0, lax.add, window, strides, padding)
    count = lax.reduce_window(jnp.ones_like(x), 0.0, lax.add, window, strides, padding)
    return total / count
'''),
    "batch_norm": _helper('''
def batch_norm(x, mean, variance, scale, offset, epsilon=1e-3):
    """Normalize with given moments."""
    return (x - mean) * (scale / jnp.sqrt(variance + epsilon)) + offset
'''),
    "moments": _helper('''
def moments(x, axes, keepdims=False):
    """Return the mean and the variance over some axes."""
    return x.mean(axes, keepdims=keepdims), x.var(axes, keepdims=keepdims)
'''),
    "unbiased": _helper('''
def unbiased(variance, count):
    """Correct the variance of a sample for the running average, as TensorFlow does."""
    return variance * (count / max(count - 1, 1))
'''),
    "dropout": _helper('''
def dropout(key, x, rate):
    """Set random elements to zero, and scale up the others."""
    keep = jax.random.uniform(key, x.shape, x.dtype) >= rate
    return jnp.where(keep, x / (1 - rate), 0)
'''),
    "l2_loss": _helper('''
def l2_loss(x):
    """Return half of the sum of the squares."""
    return 0.5 * jnp.sum(x**2)
'''),
    "weighted_mean": _helper('''
def weighted_mean(losses, weights):
    """Return the sum of weighted losses, divided by how many of the weights are not zero."""
    weights = jnp.broadcast_to(weights, losses.shape)
    count = jnp.count_nonzero(weights)
    return jnp.where(count > 0, jnp.sum(losses * weights) / jnp.maximum(count, 1), 0.0)
'''),
    "sigmoid_cross_entropy": _helper('''
def sigmoid_cross_entropy(logits, labels):
    """Return the cross-entropy of independent probabilities, from their logits."""
    return jnp.maximum(logits, 0) - logits * labels + jnp.log1p(jnp.exp(-jnp.abs(logits)))
'''),
    "log_poisson_loss": _helper('''
def log_poisson_loss(targets, log_input):
    """Return the Poisson loss of the logarithm of a rate, without the constant term."""
    return jnp.exp(log_input) - log_input * targets
'''),
    "sparse_matmul": _helper('''
def sparse_matmul(indices, values, rows, b):
    """Multiply a sparse matrix, given by its coordinates and values, by a dense matrix."""
    products = values[:, None] * b[indices[:, 1]]
    return jnp.zeros((rows, b.shape[1]), b.dtype).at[indices[:, 0]].add(products)
'''),
    "reverse_sequence": _helper('''
def reverse_sequence(x, lengths):
    """Reverse the first `lengths` steps of each sequence `[batch, time, ...]`."""
    time = jnp.arange(x.shape[1])
    turned = jnp.where(time < lengths[:, None], lengths[:, None] - 1 - time, time)
    return jnp.take_along_axis(x, turned.reshape(*turned.shape, *[1] * (x.ndim - 2)), axis=1)
'''),
    "log_uniform_candidates": _helper('''
def log_uniform_candidates(key, count, classes):
    """Draw classes, the first ones more often, until `count` of them differ.

    Returns them, and for each class how often it is expected among them.
    """

    def some_are_missing(state):
        return state[1].sum() < count

    def draw(state):
        key, drawn, tries = state
        key, now = jax.random.split(key)
        place = jnp.exp(jax.random.uniform(now) * jnp.log(classes + 1.0)) - 1
        return key, drawn.at[place.astype(int)].set(True, mode="clip"), tries + 1

    _, drawn, tries = lax.while_loop(some_are_missing, draw, (key, jnp.zeros(classes, bool), 0))
    chances = jnp.log1p(1 / (jnp.arange(classes) + 1)) / jnp.log(classes + 1.0)
    return jnp.nonzero(drawn, size=count)[0], -jnp.expm1(tries * jnp.log1p(-chances))
'''),
    "sampled_softmax": _helper(
        '''
def sampled_softmax(key, weights, biases, labels, inputs, count, classes):
    """Return the softmax cross-entropy over the true class and `count` classes that are drawn."""
    labels = labels[:, 0]
    drawn, expected = log_uniform_candidates(key, count, classes)
    true = jnp.sum(inputs * weights[labels], axis=1) + biases[labels] - jnp.log(expected[labels])
    others = inputs @ weights[drawn].T + biases[drawn] - jnp.log(expected[drawn])
    others = jnp.where(labels[:, None] == drawn, jnp.finfo(others.dtype).min, others)
    logits = jnp.concatenate((true[:, None], others), axis=1)
    return optax.softmax_cross_entropy_with_integer_labels(logits, jnp.zeros_like(labels))
''',
        "log_uniform_candidates",
    ),
    "ftrl": _helper('''
def ftrl(learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1, l1=0.0, l2=0.0):
    """FTRL-proximal, which Optax does not have."""

    def init(params):
        squares = jax.tree.map(lambda p: jnp.full_like(p, initial_accumulator_value), params)
        return squares, jax.tree.map(jnp.zeros_like, params), jnp.zeros((), int)

    def step(param, gradient, squares, linear, rate):
        total = squares + gradient**2
        grown = total**-learning_rate_power
        linear += gradient - (grown - squares**-learning_rate_power) / rate * param
        near = (l1 * jnp.sign(linear) - linear) / (grown / rate + 2 * l2)
        return jnp.where(jnp.abs(linear) > l1, near, 0) - param, total, linear

    def update(gradients, state, params):
        *kept, count = state
        rate = learning_rate(count) if callable(learning_rate) else learning_rate
        found = jax.tree.map(functools.partial(step, rate=rate), params, gradients, *kept)
        pick = lambda i: jax.tree.map(lambda _, triple: triple[i], params, found)
        return pick(0), (pick(1), pick(2), count + 1)

    return optax.GradientTransformation(init, update)
'''),
    "adam": _helper('''
def adam(learning_rate, b1=0.9, b2=0.999, eps=1e-8):
    """Adam as TensorFlow 1 has it: `eps` is added to the root of an average that is not corrected."""
    b1, b2 = jnp.float32(b1), jnp.float32(b2)

    def init(params):
        zeros = jax.tree.map(jnp.zeros_like, params)
        return zeros, zeros, b1, b2

    def update(gradients, state, params=None):
        mu, nu, power1, power2 = state
        mu = jax.tree.map(lambda m, g: m + (g - m) * (1 - b1), mu, gradients)
        nu = jax.tree.map(lambda v, g: v + (g * g - v) * (1 - b2), nu, gradients)
        scale = jnp.sqrt(1 - power2) / (1 - power1)
        updates = jax.tree.map(lambda m, v: m * scale / (jnp.sqrt(v) + eps), mu, nu)
        return updates, (mu, nu, power1 * b1, power2 * b2)

    moments = optax.GradientTransformation(init, update)
    return optax.chain(moments, optax.scale_by_learning_rate(learning_rate))
'''),
}
