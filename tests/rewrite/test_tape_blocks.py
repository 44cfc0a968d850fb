"""Blocks of tapes that become functions, and those that keep their tape; all are executed."""

import pytest

from tests.rewrite import running
from tf2jax_port.rewrite import rewrite
from tf2jax_port.rewrite.options import Options

HEAD = "import tensorflow as tf\n\nx = tf.sin(x) * 2.0\n"
WITH = "with tf.GradientTape() as tape:\n    tape.watch(x)\n"
TWO = "a = tf.exp(x)\nb = tf.sin(x)\nwith tf.GradientTape() as tape:\n    tape.watch([a, b])\n"
FUNCTION = "def f(x, w):\n    with tf.GradientTape() as tape:\n        tape.watch(x)\n"
SUM = "    y = tf.reduce_sum(tf.square(x))\n"

BECOME = {
    "one": f"{WITH}    y = tf.reduce_sum(tf.exp(x) * x)\ng = tape.gradient(y, x)\n",
    "several lines": f"{WITH}    a = tf.tanh(x)\n    b = a / 2.0\n    y = tf.reduce_mean(b)\ng = tape.gradient(y, x)\n",
    "a list": f"{TWO}    y = tf.reduce_sum(a * b)\ng = tape.gradient(y, [a, b])\n",
    "a tuple": f"{TWO}    y = tf.reduce_sum(a - b * b)\ng = tape.gradient(y, (b, a))\n",
    "a list of one": f"{WITH}{SUM}g = tape.gradient(y, [x])\n",
    "names for each": f"{TWO}    y = tf.reduce_sum(a * tf.exp(b))\nda, db = tape.gradient(y, [a, b])\n",
    "a name in a list": f"{WITH}{SUM}[g] = tape.gradient(y, [x])\n",
    "some of the watched": f"{TWO}    y = tf.reduce_sum(a * b)\ng = tape.gradient(y, b)\n",
    "returned": f"{FUNCTION}            # half\n        y = 0.5 * tf.reduce_sum(x * x)  # here\n    # then\n"
    "    return tape.gradient(y, x)\n\n\ng = f(x, 1.0)\n",
    "returned list": f"{FUNCTION}        y = tf.reduce_max(x)\n    return tape.gradient(y, [x])\n\n\ng = f(x, 1.0)\n",
    "two parameters": f"{FUNCTION}        y = tf.reduce_sum(tf.matmul(x, w))\n    g = tape.gradient(y, x)\n"
    "    return y, g\n\n\ng = f(x, tf.transpose(x))\n",
    "only gradients": f"{FUNCTION}        y = tf.reduce_sum(x * w)\n    g = tape.gradient(y, x)\n    return g\n\n\ng = f(x, 2.0)\n",
    "scalars": "s = tf.constant(3.0)\nk = 2.0\nwith tf.GradientTape() as tape:\n    tape.watch(s)\n"
    "    z = s * s\n    y = tf.sin(z) ** k\ng = tape.gradient(y, s)\n",
    "sums": f"{WITH}{SUM}    y += 0.1 * tf.nn.l2_loss(x)\n    y = y / 3.0\ng = tape.gradient(y, x)\n",
    "losses": "t = tf.ones([2, 3]) / 3.0\n"
    f"{WITH}    y = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=t, logits=x))\n"
    "    z = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=t, logits=x))\n    y = y + z\n"
    "g = tape.gradient(y, x)\n",
    "choices": f"{WITH}    y = tf.reduce_sum(tf.where(x > 0.0, x, tf.zeros_like(x)) + tf.stop_gradient(x))\n"
    "g = tape.gradient(y, x)\n",
    "shapes": f"{WITH}    a = tf.reshape(x, [3, 2])\n    b = tf.concat([a, tf.tile(a, [2, 1])], axis=0)\n"
    "    y = tf.reduce_sum(tf.square(b))\ng = tape.gradient(y, x)\n",
    "a name used again": f"{WITH}{SUM}g = tape.gradient(y, x)\n{WITH}    z = tf.reduce_sum(tf.exp(x))\n"
    "h = tape.gradient(z, x)\n",
    "in a loop": "for i in range(2):\n    with tf.GradientTape() as tape:\n        tape.watch(x)\n"
    "        y = tf.reduce_sum(tf.square(x) * x)\n    g = tape.gradient(y, x)\n    x = x - 0.1 * g\n",
    "compiled": f"@tf.function\n{FUNCTION}        y = tf.reduce_sum(tf.exp(x))\n    g = tape.gradient(y, x)\n"
    "    return y, g\n\n\ng = f(x, x)\n",
    "of any size": "@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])\n"
    "def f(x):\n    with tf.GradientTape() as tape:\n        tape.watch(x)\n        y = tf.reduce_mean(tf.exp(x))\n"
    "    g = tape.gradient(y, x)\n    return y, g\n\n\ng = f(x)\n",
    "seen by a tape": "def f(x):\n    with tf.GradientTape() as inner:\n        inner.watch(x)\n"
    "        y = tf.reduce_sum(x * x * x)\n    return inner.gradient(y, x)\n\n\n"
    "v = tf.Variable([1.0, 2.0])\nwith tf.GradientTape() as tape:\n    z = f(v * 2.0)\nh = tape.gradient(z, v)\ndel v, tape\n",
}


@pytest.mark.parametrize("text", BECOME.values(), ids=BECOME)
def test_becomes_a_function(text, tmp_path):
    before = HEAD + text
    outcome = rewrite(before.encode())
    after = outcome.data.decode()
    kept = "GradientTape() as tape" in after and "inner" not in text
    assert not kept, after
    assert "jax.value_and_grad(" in after or "jax.grad(" in after, after
    assert rewrite(after.encode()).data == outcome.data
    old, new = running.both(before, after, tmp_path)
    made = {name: value for name, value in old.items() if name in new}
    assert made.keys() & {"g", "h", "da", "db"}
    running.assert_same(made, {name: new[name] for name in made}, 1e-5)
    assert all(
        line.partition("#")[1] == "" or line.split("#")[1] in after for line in before.split("\n")
    )


STAY = {
    "no scalar": f"{WITH}    y = tf.square(x)\ng = tape.gradient(y, x)\n",
    "an axis": f"{WITH}    y = tf.reduce_sum(x * x, 1)\ng = tape.gradient(y, x)\n",
    "kept dimensions": f"{WITH}    y = tf.reduce_sum(x * x, keepdims=True)\ng = tape.gradient(y, x)\n",
    "persistent": WITH.replace("()", "(persistent=True)") + f"{SUM}g = tape.gradient(y, x)\n",
    "twice": WITH.replace("()", "(persistent=True)")
    + f"{SUM}g = tape.gradient(y, x)\nh = tape.gradient(y, x)\n",
    "not watched": f"with tf.GradientTape() as tape:\n{SUM}g = tape.gradient(y, x)\ng = g is None\n",
    "a variable": f"x = tf.Variable(x)\n{WITH}{SUM}g = tape.gradient(y, x)\ndel x\n",
    "another name": f"z = x\n{WITH}    y = tf.reduce_sum(x * z)\ng = tape.gradient(y, x)\n",
    "in a list": f"z = [x, x]\n{WITH}    y = tf.reduce_sum(tf.stack(z) * x)\ng = tape.gradient(y, x)\n",
    "the same": f"z = tf.convert_to_tensor(x)\n{WITH}    y = tf.reduce_sum(x * z)\ng = tape.gradient(y, x)\n",
    "by another name": f"x = x * 1.0\nz = tf.identity(x)\nx = z\n{WITH}    y = tf.reduce_sum(x * z)\ng = tape.gradient(y, x)\n",
    "a function": f"def loss():\n    return tf.reduce_sum(x * x)\n\n\n{WITH}    y = loss()\ng = tape.gradient(y, x)\n",
    "unconnected": f"{WITH}    y = tf.reduce_sum(tf.stop_gradient(x))\ng = tape.gradient(y, x) is None\n",
    "unconnected alone": f"{WITH}    y = tf.reduce_sum(tf.stop_gradient(x))\ng = tape.gradient(y, x)\ng = g is None\n",
    "one unconnected": f"{TWO}    y = tf.reduce_sum(a)\ng = tape.gradient(y, [a, b])\ng = g[1] is None\n",
    "of whole numbers": f"{WITH}    y = tf.reduce_sum(tf.cast(x, tf.int32))\ng = tape.gradient(y, x)\ng = g is None\n",
    "zeros wanted": f"{WITH}{SUM}g = tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)\n",
    "weighted": f"{WITH}{SUM}g = tape.gradient(y, x, tf.constant(2.0))\n",
    "used later": f"{WITH}    z = x * x\n    y = tf.reduce_sum(z)\ng = tape.gradient(y, x)\nh = z + 1.0\n",
    "by what is made": f"{WITH}    z = x * x\n    y = tf.reduce_sum(z)\ng = tape.gradient(y, z)\n",
    "a source made anew": f"z = x\n{WITH}    x = x * 2.0\n    y = tf.reduce_sum(x)\ng = tape.gradient(y, z)\n",
    "something between": f"{WITH}{SUM}k = 1.0\ng = tape.gradient(y, x)\n",
    "read before": f"k = tf.constant(1.0)\n{WITH}    k = k * 2.0\n    y = tf.reduce_sum(x) * k\ng = tape.gradient(y, x)\n",
    "a loop": f"{WITH}{SUM}    for i in range(2):\n        y = y * 2.0\ng = tape.gradient(y, x)\n",
    "a magnitude": f"{WITH}    y = tf.reduce_sum(tf.abs(x))\ng = tape.gradient(y, x)\n",
    "two tapes": f"{WITH}    with tf.GradientTape() as inner:\n        inner.watch(x)\n"
    "        y = tf.reduce_sum(x * x * x)\n    d = inner.gradient(y, x)\n    z = tf.reduce_sum(d)\n"
    "g = tape.gradient(z, x)\ndel inner\n",
    "parts": f"{WITH}    y = tf.reduce_sum(tf.gather(x, [0]))\ng = tape.gradient(y, x)\ng = tf.convert_to_tensor(g)\n",
    "one line": "with tf.GradientTape() as tape: tape.watch(x); y = tf.reduce_sum(x * x)\ng = tape.gradient(y, x)\n",
}


@pytest.mark.parametrize("text", STAY.values(), ids=STAY)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_keeps_its_tape(text, tmp_path):
    before = f"{HEAD}{text}del tape\n"
    after = rewrite(before.encode()).data.decode()
    assert "shims.GradientTape" in after
    assert "_of(" not in after
    assert b"_of(" not in rewrite((HEAD + text).encode()).data
    old, new = running.both(before, after, tmp_path)
    running.assert_same(old, new, 1e-5)


def test_a_class_body_keeps_its_tape():
    text = (
        HEAD
        + "class A:\n    x = tf.constant(1.0)\n    "
        + (WITH + "    y = x * x\ng = tape.gradient(y, x)\n").replace("\n", "\n    ")
    )
    assert b"shims.GradientTape" in rewrite(text.rstrip(" ").encode()).data


@pytest.mark.parametrize(
    "options", [Options(exact=True), Options(safe_only=True), Options(target="shims")]
)
def test_doubt_keeps_the_tape(options):
    text = HEAD + BECOME["two parameters"]
    after = rewrite(text.encode(), options).data
    assert b"GradientTape() as tape" in after


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_line_ends(ending):
    text = (HEAD + BECOME["returned list"]).replace("\n", ending)
    after = rewrite(text.encode()).data.decode()
    assert "_of" in after
    assert after.count("\n") == after.count(ending)
