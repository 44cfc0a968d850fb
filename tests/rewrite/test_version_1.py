"""Programs in TensorFlow 1's words: rewritten, run in TensorFlow and in JAX, and compared."""

import inspect

import pytest

from tests.rewrite.running import assert_same, both
from tf2jax_port.rewrite import rewrite
from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.knowledge import version_1
from tf2jax_port.rewrite.knowledge.bind import signature
from tf2jax_port.table.version_1 import CLASSES, ROWS

V1 = "import tensorflow.compat.v1 as tf\n\n"
JAX, JNP, SHIMS = "import jax\n", "import jax.numpy as jnp\n", "import shims\n"

# (before, after): the text behind the import, and the whole text.
PROGRAMS = {
    "the smallest position": (
        "y = tf.to_float(tf.arg_min(x, 1))\n",
        f"{JNP}\ny = jnp.argmin(x, axis=1).astype(jnp.float32)\n",
    ),
    "the largest position, by an old name": (
        "y = tf.to_float(tf.argmax(x, dimension=1))\n",
        f"{JNP}\ny = jnp.argmax(x, axis=1).astype(jnp.float32)\n",
    ),
    "blocks": (
        "y = tf.batch_to_space_nd(tf.ones([4, 1, 1, 1]), [2, 2], [[0, 0], [0, 0]])\n",
        f"{JNP}{SHIMS}\ny = shims.batch_to_space(jnp.ones([4, 1, 1, 1], dtype=jnp.float32), "
        "[2, 2], [[0, 0], [0, 0]])\n",
    ),
    "counts of numbers": (
        "y = tf.bincount([1, 1, 3], minlength=5)\n",
        f"{SHIMS}\ny = shims.math.bincount([1, 1, 3], minlength=5)\n",
    ),
    "a confusion matrix": (
        "y = tf.confusion_matrix([1, 0], [1, 1], 2, tf.float32, 'n')\n",
        f"{JNP}{SHIMS}\n"
        "y = shims.math.confusion_matrix([1, 0], [1, 1], 2, dtype=jnp.float32, name='n')\n",
    ),
    "counts of what is not zero": (
        "y = tf.to_float(tf.count_nonzero(x, reduction_indices=0, keep_dims=True))\n",
        f"{JNP}\ny = jnp.count_nonzero(x, axis=0, keepdims=True).astype(jnp.float32)\n",
    ),
    "depth to space": (
        "y = tf.depth_to_space(tf.reshape(x[:, :2], [1, 1, 1, 4]), 2)\n",
        f"{JNP}{SHIMS}\ny = shims.nn.depth_to_space(jnp.reshape(x[:, :2], [1, 1, 1, 4]), 2)\n",
    ),
    "patches": (
        "y = tf.extract_image_patches(tf.ones([1, 3, 3, 1]), ksizes=[1, 2, 2, 1], "
        "strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding='VALID')\n",
        f"{JNP}{SHIMS}\n"
        "y = shims.image.extract_patches(jnp.ones([1, 3, 3, 1], dtype=jnp.float32), sizes=[1, 2, 2, 1], "
        "strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding='VALID')\n",
    ),
    "what is in the first k": (
        "y = tf.nn.in_top_k(x, [2, 1], 1)\n",
        f"{SHIMS}\ny = shims.math.in_top_k(predictions=x, targets=[2, 1], k=1)\n",
    ),
    "softmax with labels that have a gradient": (
        "y = tf.nn.softmax_cross_entropy_with_logits_v2(labels=x, logits=x, dim=0)\n",
        f"{SHIMS}\ny = shims.nn.softmax_cross_entropy_with_logits(labels=x, logits=x, axis=0)\n",
    ),
    "softmax with labels that have none": (
        "y = tf.nn.softmax_cross_entropy_with_logits(labels=x, logits=x)\n",
        f"{JAX}{JNP}{SHIMS}\ny = shims.nn.softmax_cross_entropy_with_logits("
        "jax.lax.stop_gradient(jnp.asarray(x)), x)\n",
    ),
    "softmax along an axis": (
        "y = tf.nn.softmax_cross_entropy_with_logits(labels=x, logits=x, dim=0, name='n')\n",
        f"{JAX}{JNP}{SHIMS}\ny = shims.nn.softmax_cross_entropy_with_logits("
        "jax.lax.stop_gradient(jnp.asarray(x)), x, axis=0)\n",
    ),
    "weighted logits": (
        "y = tf.nn.weighted_cross_entropy_with_logits(targets=x, logits=x, pos_weight=2.0)\n",
        f"{SHIMS}\n"
        "y = shims.nn.weighted_cross_entropy_with_logits(labels=x, logits=x, pos_weight=2.0)\n",
    ),
    "an affine map": (
        "y = tf.nn.xw_plus_b(x, tf.ones([3, 2]), tf.ones([2]))\n",
        f"{JNP}\ny = jnp.matmul(x, jnp.ones([3, 2], dtype=jnp.float32)) + jnp.ones([2], dtype=jnp.float32)\n",
    ),
    "rows turned around": (
        "y = tf.reverse_sequence(x, [2, 3], seq_dim=1, batch_dim=0)\n",
        f"{SHIMS}\ny = shims.reverse_sequence(x, [2, 3], seq_axis=1, batch_axis=0)\n",
    ),
    "sums of segments": (
        "y = tf.sparse_segment_sum(x, [0, 1, 1], [0, 0, 1])\n",
        f"{SHIMS}\ny = shims.sparse.segment_sum(x, [0, 1, 1], [0, 0, 1])\n",
    ),
    "finite or not": (
        "y = tf.verify_tensor_all_finite(x, 'm')\n",
        f"{SHIMS}\ny = shims.debugging.assert_all_finite(x, 'm')\n",
    ),
    "numbers in an order": (
        "tf.assert_less_equal(x, 5.0, message='m')\ny = tf.square(x)\n",
        f"{JNP}{SHIMS}\nshims.debugging.assert_less_equal(x, 5.0, message='m')\n"
        "y = jnp.square(x)\n",
    ),
    "random numbers": (
        "tf.set_random_seed(3)\ny = tf.random_uniform([2])\nz = tf.multinomial(x, 4, output_dtype=tf.int32)\n"
        "w = tf.random_poisson(2.0, [3])\n",
        f"{JNP}{SHIMS}\nshims.random.set_seed(3)\ny = shims.random.uniform([2])\n"
        "z = shims.random.categorical(x, 4, dtype=jnp.int32)\nw = shims.random.poisson(lam=2.0, shape=[3])\n",
    ),
    "dropout by what is kept": (
        "tf.set_random_seed(3)\ny = tf.nn.dropout(x, 0.25)\nz = tf.nn.dropout(x, keep_prob=0.5, "
        "seed=2, name='d')\n",
        f"{SHIMS}\nshims.random.set_seed(3)\ny = shims.nn.dropout(x, rate=1 - 0.25)\n"
        "z = shims.nn.dropout(x, rate=1 - 0.5, seed=2)\n",
    ),
    "dropout by what is dropped": (
        "tf.set_random_seed(3)\ny = tf.nn.dropout(x, rate=0.25, noise_shape=[2, 1])\n",
        f"{SHIMS}\nshims.random.set_seed(3)\n"
        "y = shims.nn.dropout(x, rate=0.25, noise_shape=[2, 1])\n",
    ),
    "a variable and its first value": (
        "v = tf.Variable(x, False, use_resource=True)\ntf.global_variables_initializer()\n"
        "tf.variables_initializer([v])\nv.assign(x + 1.0)\ny = v + 0.0\ndel v\n",
        f"{SHIMS}\nv = shims.Variable(x, False)\nshims.no_op()\nshims.no_op()\n"
        "v.assign(x + 1.0)\ny = v + 0.0\ndel v\n",
    ),
    "rows of a variable": (
        "v = tf.Variable(x)\na = tf.scatter_update(v, [0], [[1.0, 1.0, 1.0]]) + 0.0\n"
        "b = tf.scatter_nd_add(v, [[1]], [[1.0, 1.0, 1.0]], name='n') + 0.0\n"
        "del v\n",
        f"{SHIMS}\nv = shims.Variable(x)\n"
        "a = v.scatter_update(shims.IndexedSlices([[1.0, 1.0, 1.0]], [0])) + 0.0\n"
        "b = v.scatter_nd_add([[1]], [[1.0, 1.0, 1.0]]) + 0.0\n"
        "del v\n",
    ),
    "a choice": (
        "y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x + 1.0, fn2=lambda: x)\n",
        f"{JNP}{SHIMS}\ny = shims.cond(jnp.sum(x) > 0.0, lambda: x + 1.0, false_fn=lambda: x)\n",
    ),
    "a loop": (
        "i, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y * 2.0], [0, x], "
        "name='w')\n",
        f"{SHIMS}\ni, y = shims.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y * 2.0], "
        "[0, x], name='w')\n",
    ),
    "a named block": (
        "n = None\nwith tf.name_scope(n, 'd', [x]) as s:\n    y = tf.square(x)\n"
        "with tf.name_scope('a', values=[x]):\n    z = tf.exp(x)\ndel s, n\n",
        f"{JAX}{JNP}{SHIMS}\nn = None\nwith shims.name_scope('d' if n is None else n) as s:\n"
        "    y = jnp.square(x)\nwith jax.named_scope('a'):\n    z = jnp.exp(x)\ndel s, n\n",
    ),
    "rows by number": (
        "y = tf.nn.embedding_lookup(x, [1, 0, 1], 'div')\n",
        f"{SHIMS}\ny = shims.nn.embedding_lookup(x, [1, 0, 1])\n",
    ),
    "a size that is known": (
        "n = tf.dimension_value(x.shape[1])\ny = tf.zeros([n])\n",
        f"{JNP}\nn = x.shape[1]\ny = jnp.zeros([n], dtype=jnp.float32)\n",
    ),
    "messages": (
        "tf.logging.set_verbosity(tf.logging.WARN)\ntf.logging.info('%d', 1)\n"
        "y = float(tf.logging.get_verbosity())\n",
        "import logging\nimport shims\n\nshims.get_logger().setLevel(logging.WARNING)\n"
        "shims.get_logger().info('%d', 1)\ny = float(shims.get_logger().getEffectiveLevel())\n",
    ),
    "a switch": (
        "tf.enable_v2_behavior()\ntf.enable_eager_execution()\ny = tf.square(x)\n",
        f"{JNP}\npass\npass\ny = jnp.square(x)\n",
    ),
    "blocks of graphs": (
        "with tf.colocate_with(x), tf.container('c'):\n    y = tf.square(x)\n",
        f"{JNP}{SHIMS}\nwith shims.device(None), shims.device(None):\n    y = jnp.square(x)\n",
    ),
    "sparse or not": (
        "y = tf.convert_to_tensor_or_sparse_tensor(x)\n",
        f"{SHIMS}\ny = x if isinstance(x, shims.SparseTensor) else "
        "shims.convert_to_tensor(x, None)\n",
    ),
    "where programs run": (
        "with tf.device('/cpu:0'):\n    y = tf.square(x)\nz = tf.executing_eagerly()\n",
        f"{JNP}{SHIMS}\nwith shims.device('/cpu:0'):\n    y = jnp.square(x)\n"
        "z = shims.executing_eagerly()\n",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_before_and_after(name, tmp_path):
    body, after = PROGRAMS[name]
    outcome = rewrite((V1 + body).encode())
    assert outcome.data.decode() == after
    assert rewrite(outcome.data).data == outcome.data
    old, new = both(V1 + body, after, tmp_path)
    assert_same(old, new)


REVIEWED = {
    "tf.global_variables_initializer()": ROWS[0].differs,
    "tf.set_random_seed(1)": version_1.differs("random.set_seed"),
    "tf.cond(p, f, g)": version_1.differs("cond"),
    "tf.cond(p, lambda: [x], lambda: [y])": version_1.differs("cond"),
    "tf.while_loop(c, b, [x])": version_1.differs("while_loop"),
    "tf.nn.embedding_lookup(x, i)": version_1.differs("nn.embedding_lookup"),
    "tf.logging.info('m')": version_1.differs("v1.logging.info"),
    "tf.assert_equal(x, y, data=[x])": "the argument `data`, which TensorFlow 1 prints, is left out",
}


@pytest.mark.parametrize("call", REVIEWED)
def test_what_differs_is_reviewed(call):
    (finding,) = rewrite(f"{V1}y = {call}\n".encode()).findings
    assert (finding.state, finding.message) == (State.REVIEW, REVIEWED[call])


REFUSED = {
    "tf.Variable(x, collections=['c'])": "in TensorFlow 2 the function has no argument `collections`",
    "tf.nn.dropout(x)": "the JAX expression for this call cannot be written at this place",
    "tf.nn.embedding_lookup(x, i, validate_indices=tf.square(x))": "contains names of TensorFlow",
    "tf.batch_to_space(x, [[0, 0], [0, 0]], 2)": "the name has different meanings",
    "tf.nn.in_top_k(x, k=1)": "the argument `targets` is not given",
    "isinstance(v, tf.Variable)": "an operator with different arguments in TensorFlow 1",
    "tf.reduce_sum(*x)": "the call has `*args` or `**kwargs`",
}


@pytest.mark.parametrize("call", REFUSED)
def test_what_is_not_understood_is_left(call):
    before = f"{V1}y = {call}\n"
    finding = rewrite(before.encode()).findings[0]
    assert finding.state is State.MANUAL
    assert REFUSED[call] in finding.message


def _named(path):
    import tensorflow as tf

    found = tf.compat.v1
    for part in path.removeprefix("v1.").split("."):
        found = getattr(found, part)
    return found


SIGNATURES = [
    *((name, params) for name, params in CLASSES),
    *((old, params) for old, (_, params) in version_1.moved().items()),
    *((row.name, row.params) for row in ROWS if row.name[:3] == "v1." and row.params),
]


@pytest.mark.parametrize(("name", "params"), SIGNATURES)
def test_signatures_are_tensorflows(name, params):
    named = _named(name)
    theirs = inspect.signature(named.__init__ if inspect.isclass(named) else named).parameters
    named = [n for n, p in theirs.items() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    assert [p.name for p in signature(params)] == [n for n in named if n != "self"]


def test_starred_arguments_go_to_the_function_of_shims():
    outcome = rewrite(b"import tensorflow as tf\n\ny = tf.reduce_sum(*x, **k)\n")
    assert outcome.data == b"import shims\n\ny = shims.reduce_sum(*x, **k)\n"
    assert [(f.state, f.code) for f in outcome.findings] == [(State.SHIM, "TJ403")]


def test_what_changes_nothing_is_left_out_without_a_word():
    outcome = rewrite(f"{V1}y = tf.Variable(x, use_resource=True)\n".encode())
    assert [(f.state, f.code) for f in outcome.findings] == [(State.SHIM, "TJ401")]


def test_a_name_of_compat_v1_says_nothing_about_the_others():
    text = "import tensorflow as tf\n\n\ndef f(c, x):\n    tf.compat.v1.losses.Reduction.SUM\n"
    new = rewrite((text + "    return tf.where(c, x, 1.0)\n").encode()).data.decode()
    assert "jnp.where(c, x, 1.0)" in new
