"""What a shape gives stays a number in rewritten text, so that slices, ranges and shapes take it."""

import importlib.util
import textwrap

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tf2jax_port.rewrite import rewrite

X = np.arange(12, dtype=np.float32).reshape(4, 3) - 5
BODIES = {
    "minimum": (
        "n = tf.minimum(tf.shape(x)[0], 3)\nreturn x[:n]",
        "np.minimum(jnp.shape(x)[0], 3)",
    ),
    "cast": ("h = tf.cast(tf.shape(x)[0] / 2, tf.int32)\nreturn x[:h]", "np.asarray("),
    "names of sizes": ("s = tf.shape(x)\nreturn tf.zeros([s[1], s[0]])", "s = jnp.shape(x)\n"),
    "unpacked": ("b, n = tf.unstack(tf.shape(x))\nreturn tf.ones([n, b])", "b, n = jnp.shape(x)\n"),
    "arithmetic": (
        "s = tf.shape(x) * 2\nreturn tf.zeros(s)",
        "np.asarray(jnp.shape(x), dtype=np.int32)",
    ),
    "product": ("n = tf.reduce_prod(tf.shape(x)[1:])\nreturn tf.reshape(x, [-1, n])", "math.prod("),
    "joined": (
        "s = tf.concat([tf.shape(x)[:1], [1, -1]], axis=0)\nreturn tf.reshape(x, s)",
        "np.concatenate([jnp.shape(x)[:1], [1, -1]], axis=0)",
    ),
    "axes": (
        "return tf.reduce_sum(x, axis=tf.range(1, tf.rank(x)))",
        "jnp.sum(x, axis=tuple(range(1, jnp.ndim(x))))",
    ),
    "parts of axes": (
        "n = tf.rank(x)\nreturn tf.transpose(x, tf.concat(([1, 0], tf.range(2, n)), axis=0))",
        "np.concatenate(([1, 0], np.arange(2, n)), axis=0)",
    ),
    "parameters as parts of axes": (
        "def swap(x, i, last):\n"
        "    return tf.transpose(x, tf.concat([tf.range(i), [last], tf.range(i + 1, last), [i]], 0))\n"
        "return swap(x, 0, tf.rank(x) - 1)",
        "np.concatenate([np.arange(i), [last], np.arange(i + 1, last), [i]], axis=0)",
    ),
    "cast to the dtype of an array": (
        "n = tf.shape(x)[-1]\nreturn tf.range(1, tf.cast(n, x.dtype) + 1, dtype=x.dtype)",
        "np.asarray(n, x.dtype) + 1",
    ),
    "range": ("return tf.range(tf.shape(x)[0])", "jnp.arange(jnp.shape(x)[0])"),
    "selection": (
        "y = tf.boolean_mask(x, x > 0)\nreturn tf.reduce_max(y) / tf.cast(tf.shape(y)[0], tf.float32)",
        "shims.reduce_max(y)",
    ),
    "nothing selected, through a function of the file": (
        "def moved(y, by):\n    return y + by\n"
        "return tf.reduce_max(moved(tf.boolean_mask(x, x > 99), 1.0))",
        "shims.reduce_max(moved(",
    ),
    "identity of a dtype": (
        "return x * 8 if x.dtype is tf.float32 else x",
        "x.dtype == jnp.float32",
    ),
    "dtype as a key": ("return x * {tf.float32: 2.0}[x.dtype]", "{jnp.dtype(jnp.float32): 2.0}"),
}


def _program(text, path):
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


@pytest.mark.parametrize("name", BODIES)
def test_text_computes_the_same_everywhere(name, tmp_path):
    body, written = BODIES[name]
    before = f"import tensorflow as tf\n\n\ndef f(x):\n{textwrap.indent(body, '    ')}\n"
    after = rewrite(before.encode()).data.decode()
    assert written in after
    assert rewrite(after.encode()).data.decode() == after
    want = np.asarray(_program(before, tmp_path / "before.py")(tf.constant(X)))
    f = _program(after, tmp_path / "after.py")
    for lane in (f, jax.jit(f), shims.function(f)):
        np.testing.assert_allclose(np.asarray(lane(jnp.asarray(X))), want, rtol=1e-6)


def test_sizes_of_selections_are_staged_by_numpy_in_converted_code():
    def f(x):
        n = jnp.shape(x[x > 0])
        return x / np.asarray(n[0], jnp.float32) + np.asarray(n, np.int32)[0]

    for lane in (shims.function(f), jax.jit(shims.dynamic(f))):
        np.testing.assert_allclose(lane(jnp.asarray(X)[:, 0]), X[:, 0] / 2 + 2, rtol=1e-6)


SIZED_BY_SELECTIONS = {
    "tf.zeros([n])": "shims.zeros([n])",
    "tf.ones([tf.shape(y)[0], 2])": "shims.ones([shims.shape(y)[0], 2])",
    "tf.reshape(x[:2, 0], tf.shape(y))": "shims.reshape(x[:2, 0], shims.shape(y))",
    "tf.tile(x[0], [n])": "shims.tile(x[0], [n])",
}


@pytest.mark.parametrize("call", SIZED_BY_SELECTIONS)
def test_shapes_that_depend_on_selections_are_those_of_shims(call, tmp_path):
    before = (
        "import tensorflow as tf\n\n\ndef f(x):\n    y = tf.boolean_mask(x, x > 4)\n"
        f"    n = tf.shape(y)[0]\n    return {call}\n"
    )
    after = rewrite(before.encode()).data.decode()
    assert SIZED_BY_SELECTIONS[call] in after
    want = _program(before, tmp_path / "before.py")(tf.constant(X))
    found = shims.function(_program(after, tmp_path / "after.py"))(jnp.asarray(X))
    np.testing.assert_array_equal(found, want)


LISTS = {
    "parts: List[tf.Tensor]": "return tf.reduce_max(parts)",
    "parts: list[tf.Tensor]": "return tf.reduce_max(parts)",
    "parts": "y = tf.concat(parts, 0)\n    return y + tf.reduce_max(parts)",
    "parts, n=0": "for part in parts:\n        n += part\n    return n + tf.reduce_max(parts)",
}


@pytest.mark.parametrize("parameters", LISTS)
def test_parameters_that_are_lists_become_arrays(parameters):
    code = f"import tensorflow as tf\n\n\ndef f({parameters}):\n    {LISTS[parameters]}\n"
    assert "jnp.max(jnp.asarray(parts))" in rewrite(code.encode()).data.decode()


def test_other_parameters_are_left_as_they_are():
    code = "import tensorflow as tf\n\n\ndef f(x: tf.Tensor):\n    return tf.reduce_max(x)\n"
    assert "jnp.max(x)" in rewrite(code.encode()).data.decode()
