"""Each rule spells its operator: programs with many operators are equal to their sessions."""

import pytest

START = """
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.set_random_seed(5)
rng = np.random.RandomState(4)
images = tf.placeholder(tf.float32, [None, 8, 8, 4], name="images")
rows = tf.placeholder(tf.float32, [None, 6], name="rows")
kinds = tf.placeholder(tf.int32, [None], name="kinds")
def weight(name, *shape):
    return tf.get_variable(name, initializer=(rng.randn(*shape) * 0.3).astype(np.float32))
terms = []
def take(value):
    terms.append(tf.reduce_mean(tf.cast(value, tf.float32)))
"""
END = """
loss = tf.add_n(terms)
rate = tf.train.polynomial_decay(0.05, tf.train.get_or_create_global_step(), 10, 0.01)
step = tf.train.GradientDescentOptimizer(rate).minimize(loss, tf.train.get_global_step())
session = tf.Session()
session.run(tf.global_variables_initializer())
session.run(step, {images: rng.rand(3, 8, 8, 4), rows: rng.randn(3, 6), kinds: [0, 2, 1]})
"""

LAYERS = """
kernel, deep, one = weight("kernel", 3, 3, 4, 5), weight("deep", 3, 3, 4, 2), weight("one", 3, 6, 2)
net = tf.nn.conv2d(images, kernel, [1, 2, 2, 1], "SAME")
take(net * net)
take(tf.nn.atrous_conv2d(images, kernel, 2, "VALID") ** 2)
take(tf.nn.depthwise_conv2d(images, deep, [1, 1, 1, 1], "SAME") ** 2)
take(tf.nn.conv1d(tf.tile(rows[:, None, :], [1, 4, 1]), one, 1, "SAME") ** 2)
take(tf.nn.avg_pool(net, [1, 3, 3, 1], [1, 2, 2, 1], "SAME") ** 2)
take(tf.nn.max_pool(tf.sin(net), [1, 2, 2, 1], [1, 1, 1, 1], "VALID"))
take(tf.nn.avg_pool(net, [1, 4, 4, 1], [1, 1, 1, 1], "VALID") ** 2)
grown = tf.nn.conv2d_transpose(net, kernel, tf.stack([tf.shape(net)[0], 8, 8, 4]), [1, 2, 2, 1])
take(grown ** 2)
mean, variance = tf.nn.moments(net, [0, 1, 2])
take(tf.nn.batch_normalization(net, mean, variance, None, None, 1e-3) ** 3)
take(tf.layers.batch_normalization(net, training=True) ** 3)
dense = tf.layers.dense(rows, 4, tf.nn.elu, kernel_initializer=tf.ones_initializer())
take(tf.nn.l2_normalize(dense, 1) ** 3)
"""

LOSSES = """
w = weight("w", 6, 3)
logits = tf.matmul(rows, w)
hot = tf.one_hot(kinds, 3)
take(tf.losses.softmax_cross_entropy(hot, logits, label_smoothing=0.1))
take(tf.losses.sparse_softmax_cross_entropy(kinds, logits, weights=tf.constant([1.0, 0.0, 2.0])))
take(tf.losses.sigmoid_cross_entropy(hot, logits, reduction="weighted_sum"))
take(tf.losses.mean_squared_error(hot, logits, weights=0.5))
take(tf.losses.absolute_difference(hot, logits))
take(tf.losses.huber_loss(hot, logits, delta=0.5))
take(tf.losses.log_loss(hot, tf.nn.sigmoid(logits)))
take(tf.nn.softmax_cross_entropy_with_logits_v2(labels=hot, logits=logits))
take(tf.nn.log_softmax(logits) * hot)
"""

ARRAYS = """
w = weight("w", 6, 4)
net = tf.matmul(rows, w)
take(tf.tensordot(tf.expand_dims(net, 1), w, [[2], [1]]) ** 2)
take(tf.einsum("bi,ji->bj", net, w) ** 2)
take(tf.matmul(net, w, transpose_b=True) ** 2)
take(tf.concat([net, tf.zeros_like(net)], 1) ** 2)
take(tf.stack([net, 2.0 * net], 1)[:, 1:, ::2] ** 2)
take(tf.reverse(tf.pad(net, [[0, 0], [1, 2]], constant_values=1.0), [1]) * tf.range(7.0))
take(tf.cumsum(net, 1) ** 2)
take(tf.transpose(tf.reshape(net, [-1, 2, 2]), [0, 2, 1]) * tf.ones([2, 2]))
first, second = tf.split(net, [1, 3], 1)
take(first * second)
parts = tf.unstack(net, axis=1)
take(parts[0] * parts[3])
take(tf.gather(w, kinds) * net)
take(tf.gather_nd(net, tf.stack([tf.range(tf.shape(net)[0]), kinds], 1)) ** 2)
take(tf.where(kinds > 0, net, -net))
take(tf.where(net > 0.1, net, tf.fill(tf.shape(net), 0.2)))
take(tf.sequence_mask(kinds, 4, tf.float32) * net)
take(tf.clip_by_value(net, -0.2, 0.3) + tf.nn.leaky_relu(net) + tf.nn.softplus(net))
take(tf.slice(net, [0, 1], [-1, 2]) ** 2 / tf.to_float(tf.size(net)))
take(tf.sqrt(tf.abs(net) + 1.0) - tf.log1p(net ** 2) * tf.rsqrt(net ** 2 + 1.0))
take(tf.logical_and(net > 0, tf.logical_not(net > 1.0)))
take(tf.squared_difference(net, 1.0) - tf.maximum(net, 0.0) % 0.7)
take(tf.scan(lambda total, row: total * 0.5 + row, net))
take(tf.foldl(lambda total, row: total + row ** 2, net, tf.zeros([4])))
take(tf.map_fn(lambda row: row * tf.reduce_max(row), net))
take(tf.cond(tf.reduce_sum(rows) > 0.0, lambda: net * 2.0, lambda: net * 3.0))
take(tf.stop_gradient(net) * net + tf.random_normal(tf.shape(net), 1.0, 2.0))
take(net * tf.random_uniform([4], -1.0, 1.0) + tf.truncated_normal([4]))
count = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.reduce_max(kinds)])
take(net * tf.to_float(count))
"""


@pytest.mark.parametrize("part", ["LAYERS", "LOSSES", "ARRAYS"])
def test_rules(part, export):
    report, path = export("program", START + globals()[part] + END, steps=5)
    assert "problem" not in report, report["problem"]
    assert all(check["equal"] for check in report["check"].values()), report["check"]
    assert "shims" not in path.read_text()
    assert "optax.sgd(learning_rate)" in path.read_text()
