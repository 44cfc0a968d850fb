"""Corners that depend on what is passed: the mean of integers, a range of fractions, ragged tensors."""

import pytest

from tests.rewrite.running import assert_same, both
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.plan import rewrite

IMPORT = "import tensorflow as tf\n\n"

# What is passed, and the code of the call; the last call of each program is meant.
CALLS = {
    "tf.reduce_mean([1, 2, -4, -4])": "TJ403",
    "tf.reduce_mean(tf.constant([1, 2]))": "TJ403",
    "tf.reduce_mean(tf.cast(v, tf.int64), axis=0)": "TJ403",
    "tf.reduce_mean(tf.constant([1.0, 2.0]))": "TJ101",
    "tf.reduce_mean(tf.exp(v) * w)": "TJ101",
    "tf.reduce_mean(v / w)": "TJ101",
    "tf.reduce_mean(tf.where(m, 0.5, v))": "TJ101",
    "tf.reduce_mean(tf.zeros([2]))": "TJ101",
    "tf.reduce_mean(tf.zeros([2], tf.int32))": "TJ403",
    "tf.reduce_mean(v)": "TJ201",
    "tf.reduce_mean(tf.gather(v, i))": "TJ201",
    "tf.reduce_mean(v * 2)": "TJ201",
    "tf.reduce_sum(tf.cast(v, tf.int8))": "TJ403",
    "tf.reduce_sum(v)": "TJ101",
    "tf.reduce_prod(tf.constant([100, 2], tf.uint8))": "TJ403",
    "tf.reduce_sum(tf.cast(v, 'int32'))": "TJ101",
    "tf.range(1.0, 1.3, 0.1)": "TJ403",
    "tf.range(0, 10, 3)": "TJ101",
    "tf.range(5.0)": "TJ101",
    "tf.range(a, b)": "TJ101",
    "tf.range(a, b, c)": "TJ201",
    "tf.argmax(v)": "TJ201",
    "tf.argmax(tf.cast(v, tf.int32))": "TJ101",
    "tf.cast(v, tf.int32)": "TJ201",
    "tf.cast(m > 0, tf.int32)": "TJ101",
    "tf.compat.v1.to_int32(v)": "TJ201",
    "tf.compat.v1.to_int32([1])": "TJ101",
    "tf.cast(v, tf.float32)": "TJ101",
    "tf.math.floormod(v, 2)": "TJ201",
    "tf.math.floormod(v, 2.0)": "TJ101",
    "tf.nn.softmax(v)": "TJ101",
    "tf.convert_to_tensor(v, dtype=tf.int32)": "TJ201",
    "tf.constant(v, tf.bool)": "TJ201",
    "tf.constant(v > 0, tf.bool)": "TJ101",
    "tf.constant([0.7], tf.int32)": "TJ403",
    "tf.constant(tf.shape(v), tf.uint8)": "TJ403",
    "tf.constant([1, -2], tf.uint8)": "TJ101",
    "tf.convert_to_tensor(tf.shape(v), tf.int32)": "TJ101",
    "tf.convert_to_tensor(v, tf.float32)": "TJ101",
    "tf.convert_to_tensor(v)": "TJ101",
    "tf.maximum(v, -2 ** 33)": "TJ403",
    "tf.maximum(v, 2**31 - 1)": "TJ201",
}


def code_of(call, before=""):
    """The code of the last call of a program."""
    outcome = rewrite(f"{IMPORT}{before}y = {call}\n".encode(), Options())
    return min(outcome.findings, key=lambda f: (-f.line, f.column)).code


@pytest.mark.parametrize("call", CALLS)
def test_what_is_passed_decides(call):
    assert code_of(call) == CALLS[call]


@pytest.mark.parametrize(
    ("before", "call", "code"),
    [
        ("z = tf.constant(1, tf.int8)\n", "tf.reduce_sum(v)", "TJ201"),
        ("z = float('inf')\n", "tf.nn.softmax(v)", "TJ201"),
        ("v = tf.ones([3])\n", "tf.reduce_mean(v)", "TJ101"),
        ("v = tf.ones([3])\nv = tf.cast(v, tf.int32)\n", "tf.reduce_mean(v)", "TJ201"),
        ("import numpy as np\nv = np.float32(3)\n", "tf.reduce_mean(v)", "TJ101"),
        ("import numpy as np\nv = u.astype(np.int16)\n", "tf.reduce_sum(v)", "TJ403"),
        ("for i in range(3):\n    f(i)\n", "tf.constant(i, tf.int64)", "TJ101"),
        ("for i in z:\n    f(i)\n", "tf.constant(i, tf.int64)", "TJ201"),
        ("", "tf.constant([len(z), 1], tf.int32)", "TJ201"),
        ("", "tf.constant([len(z), len(y)], tf.int32)", "TJ101"),
    ],
)
def test_the_lines_before_it_decide(before, call, code):
    assert code_of(call, before) == code


# Programs whose corners are met: TensorFlow and JAX give the same.
MET = """
import tensorflow as tf

means = tf.reduce_mean([1, 2, -4, -4]), tf.reduce_mean(tf.constant([[1, 2], [4, 8]]), 1)
sums = tf.reduce_sum(tf.constant([100, 100], tf.int8)), tf.reduce_prod(tf.constant([9, 99], tf.uint8))
steps = tf.range(1.0, 1.3, 0.1), tf.range(0, 1, 0.25), tf.range(3.0)
r = tf.ragged.constant([[1, 2], [], [3]])
rows = tf.reduce_sum(r, axis=1), tf.square(r).values, tf.cast(r, tf.float32).values
del r
s = tf.math.unsorted_segment_sum([1.0, 2.0], [1, 0], 3)
caught = []
try:
    tf.reshape(tf.ones([4]), [3])
except tf.errors.InvalidArgumentError:
    caught.append(1)
try:
    raise tf.errors.NotFoundError(None, None, "nothing there")
except tf.errors.OpError as error:
    caught.append(error.message == "nothing there")
ends = tf.exp(x).dtype.max, tf.constant([1], tf.int8).dtype.min, tf.exp(x).dtype.size
"""


def test_where_a_corner_is_met_the_numbers_are_tensorflows(tmp_path):
    outcome = rewrite(MET.encode(), Options())
    assert {f.state.value for f in outcome.findings} == {"rewritten", "shim"}
    old, new = both(MET, outcome.data.decode(), tmp_path)
    assert_same(old, new)


def test_an_error_that_nobody_waits_for_stays_jax():
    code = b"import tensorflow as tf\n\ntry:\n    y = tf.reshape(x, [3])\nexcept %s:\n    pass\n"
    assert b"jnp.reshape" in rewrite(code % b"ValueError", Options()).data
    assert b"shims.reshape" in rewrite(code % b"tf.errors.OpError", Options()).data


def test_an_error_of_tensorflow_is_raised_as_one_of_shims():
    code = b"import tensorflow as tf\n\nraise tf.errors.InvalidArgumentError(None, None, 'no')\n"
    assert b"raise shims.errors.InvalidArgumentError(None, None, 'no')" in rewrite(code).data
    more = code.replace(b"'no'", b"'no', 3, 4")
    assert [f.code for f in rewrite(more).findings] == ["TJ302"]


def test_a_name_of_an_old_version_keeps_no_import_of_shims_as_tf():
    code = b"import tensorflow as tf\n\ny = tf.compat.v1.div(tf.abs(x), 2)\n"
    after = rewrite(code, Options(target="shims")).data.decode()
    assert "compat" not in after
    assert "shims.div(tf.abs(x), 2)" in after.replace("shims.abs", "tf.abs")


# Parameters that calls of the same file give lists; TensorFlow takes them for tensors.
LISTS = """
import tensorflow as tf


def total(z):
    return tf.cumsum(z)


def twice(first, second=(1.0, 2.0)):
    return total(first), tf.concat([first, second], 0)


class Steps:
    def __init__(self, start):
        self.start = tf.square(start)

    def then(self, by):
        return self.start + tf.round(by)


numbers = [1.0, 2.5]
sums = twice(numbers, [3.0])
steps = Steps([1.0, 2.0]).then(by=[0.4, 0.6])
plain = tf.exp(x)
"""


def test_parameters_that_are_given_lists_become_arrays(tmp_path):
    after = rewrite(LISTS.encode()).data.decode()
    assert "jnp.exp(x)" in after
    old, new = both(LISTS, after, tmp_path)
    del old["numbers"], new["numbers"]
    assert_same(old, new)


def test_parameters_of_unknown_calls_stay_as_they_are():
    code = b"import tensorflow as tf\n\n\ndef f(x):\n    return tf.exp(x)\n\n\nf(g(1))\n"
    assert b"jnp.exp(x)" in rewrite(code).data


def test_sizes_that_are_joined_with_a_parameter_stay_numbers():
    text = "import tensorflow as tf\n\n\ndef f(x, sizes):\n    y = tf.square(x)\n"
    text += "    a = tf.concat([sizes, tf.shape(y)[1:]], axis=0)\n"
    text += "    return tf.reshape(y, a), tf.concat([y, x], 0)\n"
    new = rewrite(text.encode()).data.decode()
    assert "shims.concat([sizes, " in new
    assert "jnp.concatenate([y, x]" in new


LARGE = """
a = tf.exp(x) * (-2 ** 32 + 1)
b = 2**33 - tf.ones_like(x) * 2.0 + 2 ** 40
c = tf.where(x > 0, x, -2 ** 32 + 1)
d = tf.ones_like(x) + (1 << 40) * 0.5
e = 5 % 2 ** 32 + tf.shape(x)[0] * 0
f = tf.reduce_sum(x) * 2147483647
g = tf.ones_like(x) * -4294967296
"""


def test_integers_beyond_32_bits_beside_arrays_are_floats(tmp_path):
    program = f"{IMPORT}{LARGE}"
    outcome = rewrite(program.encode(), Options())
    new = outcome.data.decode()
    assert "jnp.exp(x) * (-2.0 ** 32 + 1)" in new
    assert "2.0**33 - jnp.ones_like(x) * 2.0 + 2.0 ** 40" in new
    assert "shims.where(x > 0, x, -2 ** 32 + 1)" in new
    assert "5 % 2 ** 32" in new
    assert "(1 << 40) * 0.5" in new
    assert "* 2147483647" in new
    codes = {f.line: f.code for f in outcome.findings if f.symbol in ("tf.exp", "tf.ones_like")}
    assert codes == {4: "TJ101", 5: "TJ101", 7: "TJ101", 10: "TJ201"}
    assert rewrite(outcome.data, Options()).data == outcome.data
    assert_same(*both(program, new, tmp_path))


RETURNED_LISTS = """
parts = tf.split(x, 3, axis=1)
a = tf.concat([tf.split(x, 3, axis=1)], axis=0)
b = tf.stack([tf.unstack(x), parts[0] * tf.ones([2, 3])])
c = tf.concat([parts, parts], 1)
d = tf.reduce_sum(parts, axis=0) + tf.add_n(parts)
e = tf.concat(parts, axis=0)
f = tf.concat(tf.split(x, 3, axis=1), axis=1)
"""


def test_what_operators_return_as_a_list_is_an_array_within_a_list(tmp_path):
    outcome = rewrite(f"{IMPORT}{RETURNED_LISTS}".encode(), Options())
    new = outcome.data.decode()
    assert "jnp.concatenate([jnp.asarray(parts), jnp.asarray(parts)], axis=1)" in new
    assert_same(*both(f"{IMPORT}{RETURNED_LISTS}", new, tmp_path))
