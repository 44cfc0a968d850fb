"""Two sizes that only the run knows, of which one is 1: nothing is spread where TensorFlow refuses it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims


def _ints(m, v):
    return m.cast(v * 0, m.int32)


def _losses(name):
    return lambda m, x, y: getattr(m.compat.v1.losses, name)(y, y, weights=x)


# `x` belongs to `y`, of which there may be more or fewer.
MANY_BESIDE_ONE = {
    "absolute_difference": _losses("absolute_difference"),
    "hinge_loss": _losses("hinge_loss"),
    "huber_loss": _losses("huber_loss"),
    "log_loss": _losses("log_loss"),
    "mean_squared_error": _losses("mean_squared_error"),
    "sigmoid_cross_entropy": _losses("sigmoid_cross_entropy"),
    "compute_weighted_loss": lambda m, x, y: m.compat.v1.losses.compute_weighted_loss(y, x),
    "of classes": lambda m, x, y: m.compat.v1.losses.sparse_softmax_cross_entropy(
        _ints(m, y), m.ones([m.size(y), 2]), weights=x
    ),
}
EITHER = {
    "fake_quant": lambda m, x, y: m.quantization.fake_quant_with_min_max_vars_per_channel(
        y[None], x - 9, x + 9
    ),
    "fused_batch_norm": lambda m, x, y: m.compat.v1.nn.fused_batch_norm(y[None, None, None], x, x)[
        0
    ],
    "its statistics": lambda m, x, y: m.compat.v1.nn.fused_batch_norm(
        y[None, None, None], y, y, mean=x, variance=x + 1, is_training=False
    )[0],
    "betainc": lambda m, x, y: m.math.betainc(x + 0.5, y + 0.5, m.constant(0.3)),
    "segment_mean": lambda m, x, y: m.math.segment_mean(x, _ints(m, y)),
    "unsorted_segment_max": lambda m, x, y: m.math.unsorted_segment_max(x, _ints(m, y), 2),
    "dynamic_partition": lambda m, x, y: m.dynamic_partition(x, _ints(m, y), 1)[0],
    "scatter_nd": lambda m, x, y: m.scatter_nd(_ints(m, x)[:, None], y, [1]),
    "tensor_scatter_nd_add": lambda m, x, y: m.tensor_scatter_nd_add(
        m.zeros([2, m.size(x)]), m.constant([[0]]), y[None]
    ),
    "non_max_suppression": lambda m, x, y: m.image.non_max_suppression(
        m.stack([x * 0, x * 0, x * 0 + 1, x * 0 + 1], 1), y, 3
    ),
    "crop_and_resize": lambda m, x, y: m.image.crop_and_resize(
        m.ones([1, 2, 2, 1]), m.stack([x * 0, x * 0, x, x], 1), _ints(m, y), [2, 2]
    ),
    "bias_add": lambda m, x, y: m.nn.bias_add(y[None], x),
    "in_top_k": lambda m, x, y: m.math.in_top_k(_ints(m, x), m.ones([m.size(y), 2]), 1),
    "searchsorted": lambda m, x, y: m.searchsorted(m.ones([m.size(x), 2]), m.ones([m.size(y), 2])),
    "set_diag": lambda m, x, y: m.linalg.set_diag(m.linalg.diag(y), x),
    "matvec": lambda m, x, y: m.linalg.matvec(x[None], y),
    "depthwise_conv2d": lambda m, x, y: m.nn.depthwise_conv2d(
        y[None, None, None], x[None, None, :, None], [1, 1, 1, 1], "SAME"
    ),
    "psnr": lambda m, x, y: m.image.psnr(x[:, None, None], y[:, None, None], 1.0),
    "ssim": lambda m, x, y: m.image.ssim(m.ones([9, 9, 1]) * x, m.ones([9, 9, 1]) * y, 1.0, 3),
    "tridiagonal_matmul": lambda m, x, y: m.linalg.tridiagonal_matmul(
        m.ones([3, 2]) * x[:, None, None], m.ones([2, 2]) * y[:, None, None]
    ),
    "tridiagonal_solve": lambda m, x, y: m.linalg.tridiagonal_solve(
        m.ones([3, 1]) * x[:, None, None], m.ones([1]) * y[:, None]
    ),
    "banded_triangular_solve": lambda m, x, y: m.linalg.banded_triangular_solve(
        x[None] + 1, y[:, None]
    ),
    "sparse.add": lambda m, x, y: m.sparse.to_dense(
        m.sparse.add(m.sparse.from_dense(x), m.sparse.from_dense(y))
    ),
}
PAIRS = [("many beside one", p) for p in MANY_BESIDE_ONE] + [
    (sizes, p) for p in EITHER for sizes in ("many beside one", "one beside many")
]


def _refuses(library, program, arrays):
    spec = [library.TensorSpec([None])] * 2
    run = library.function(lambda x, y: program(library, x, y), input_signature=spec)
    try:
        run(*map(library.constant, arrays))
    except (ValueError, library.errors.InvalidArgumentError):
        return True
    return False


@pytest.mark.parametrize(("sizes", "name"), PAIRS)
def test_refused_as_there(sizes, name):
    program = MANY_BESIDE_ONE.get(name) or EITHER[name]
    arrays = [np.float32([1, 2, 3]), np.float32([1])]
    arrays = arrays if sizes == "many beside one" else arrays[::-1]
    assert _refuses(tf, program, arrays), "TensorFlow does not: it has no place here"
    assert _refuses(shims, program, arrays)
    # What is cut off leaves as many.
    longer = [np.append(np.float32(7), a) for a in arrays]
    assert _refuses(shims, lambda m, x, y: program(m, x[1:], y[1:]), longer)


def test_weights_of_bincount():
    def program(m, x, y):
        return m.math.bincount(m.cast(y, m.int32), weights=x)

    arrays = [np.float32([2]), np.float32([1, 2, 3])]
    assert _refuses(tf, program, arrays)
    assert _refuses(shims, program, arrays)


ROWS = np.asarray([[3, 2, -1], [0.5, 3, -4], [-1, -1, 2], [-1, -1, 0.5], [-1, -1, -1]], np.float32)
OF_ROWS = {
    "map_fn": lambda x: shims.map_fn(
        lambda r: shims.reduce_sum(shims.boolean_mask(r, r > 0) + 2 * shims.boolean_mask(r, r > 1)),
        x,
    ),
    "vmap": lambda x: jax.vmap(lambda r: jnp.sum(r[r > 0] + 2 * r[r > 1]))(x),
    "lax.map": lambda x: jax.lax.map(lambda r: jnp.sum(2 * r[r > 1] + r[r > 0]), x),
    "where": lambda x: jax.lax.map(
        lambda r: jnp.sum(jnp.where(r[r > 0] > 0, r[r > 0] + 2 * r[r > 1], 0)), x
    ),
}


@pytest.mark.parametrize("name", OF_ROWS)
def test_one_beside_many_in_some_rows(name):
    exact = [jnp.sum(r[r > 0] + 2 * r[r > 1]) for r in ROWS]
    for lane in (shims.function, shims.dynamic, lambda f: jax.jit(shims.dynamic(f))):
        np.testing.assert_array_equal(lane(OF_ROWS[name])(ROWS), exact)


def test_sizes_that_do_not_meet_in_a_row():
    def f(x):
        return shims.map_fn(lambda r: shims.reduce_sum(r[r > 0] * r[r < 0]), x)

    rows = np.asarray([[3, 2, -1, 0, 0], [1, 1, -1, -1, -1]], np.float32)
    with pytest.raises(shims.errors.InvalidArgumentError, match="does not broadcast"):
        shims.dynamic(f)(rows)
    np.testing.assert_array_equal(shims.dynamic(f)(rows[:1]), [-5])
