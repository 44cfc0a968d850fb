"""`--random keys`: draws with keys of JAX where they can be had; which, and of what distribution."""

import numpy as np
import pytest

from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.options import Options

KEYS = Options(random="keys")
HEAD = "import tensorflow as tf\n\n"
SEEDED = f"{HEAD}tf.random.set_seed(5)\n"
# Expressions of 20,000 numbers: stateless ones, and those that a statement of the program draws.
STATELESS = {
    "uniform": "tf.random.stateless_uniform([20000], [1, 2])",
    "uniform bounds": "tf.random.stateless_uniform((20000,), (1, 2), minval=-1.0, maxval=3)",
    "normal": "tf.random.stateless_normal(shape=[20000], seed=[4, 5], stddev=2.0, mean=-1.0)",
    "truncated": "tf.random.stateless_truncated_normal([20000], pair, 3.0, 0.5, tf.float32)",
}
STATEFUL = {
    "uniform": "tf.random.uniform([20000], -2.0, dtype=tf.float32, maxval=2.0)",
    "normal": "tf.random.normal([20000], 1.0)",
    "truncated": "tf.random.truncated_normal([100, 200], stddev=1.5)",
}
PROGRAMS = {
    **{f"stateless {n}": f"{HEAD}pair = (7, 8)\ny = {e}\n" for n, e in STATELESS.items()},
    **{f"stateful {n}": f"{SEEDED}y = {e}\n" for n, e in STATEFUL.items()},
}


def moments(values):
    """The first four moments, in units of the spread where they grow with it."""
    values = np.asarray(values, np.float64).ravel()
    middle, spread = values.mean(), values.std()
    scaled = (values - middle) / spread
    return [middle / spread, spread, np.mean(scaled**3), np.mean(scaled**4)]


def ran(code):
    namespace = {}
    exec(code, namespace)
    return namespace


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_distribution_is_the_same(name):
    outcome = rewrite(PROGRAMS[name].encode(), KEYS)
    assert {f.code for f in outcome.findings if "random" in f.symbol} == {"TJ206"}
    theirs, ours = ran(PROGRAMS[name])["y"], ran(outcome.data.decode())["y"]
    assert (tuple(theirs.shape), theirs.dtype.name) == (ours.shape, ours.dtype.name)
    np.testing.assert_allclose(moments(ours), moments(theirs), atol=0.15)
    theirs, ours = (np.quantile(np.asarray(v), np.linspace(0.01, 0.99, 9)) for v in (theirs, ours))
    np.testing.assert_allclose(ours, theirs, atol=0.06 * np.ptp(theirs))
    assert rewrite(outcome.data, KEYS).data == outcome.data


def test_each_draw_has_a_key_of_its_own():
    code = (
        f"{SEEDED}drawn = []\nfor _ in range(3):\n"
        "    if len(drawn) < 9:\n        drawn += [tf.random.normal([4]), tf.random.normal([4])]\n"
        "drawn.append(tf.random.normal([4]))\n"
    )
    after = rewrite(code.encode(), KEYS).data.decode()
    first, second = ran(after)["drawn"], ran(after)["drawn"]
    np.testing.assert_array_equal(first, second)
    assert len({np.asarray(x).tobytes() for x in first}) == 7


LEFT = {
    "in a function": f"{SEEDED}def f():\n    return tf.random.normal([2])\n",
    "in a loop of an expression": f"{SEEDED}x = [tf.random.normal([2]) for _ in range(3)]\n",
    "in a condition": f"{SEEDED}while tf.random.uniform([]) < 0.9:\n    pass\n",
    "in half of an expression": f"{SEEDED}x = 1 if y else tf.random.normal([2])\n",
    "behind a colon": f"{SEEDED}if y: x = tf.random.normal([2])\n",
    "behind a semicolon": f"{SEEDED}y = 1; x = tf.random.normal([2])\n",
    "in a class": f"{SEEDED}class A:\n    x = tf.random.normal([2])\n",
    "in a text": f"{SEEDED}x = f'{{tf.random.normal([2])}}'\n",
    "without a seed": f"{HEAD}x = tf.random.normal([2])\n",
    "before the seed": f"{HEAD}x = tf.random.normal([2])\ntf.random.set_seed(3)\n",
    "with two seeds": f"{SEEDED}tf.random.set_seed(6)\nx = tf.random.normal([2])\n",
    "of integers": f"{SEEDED}x = tf.random.uniform([2], maxval=3, dtype=tf.int32)\n",
    "of a computed mean": f"{SEEDED}x = tf.random.normal([2], f(3))\n",
    "of a shape that data say": f"{SEEDED}x = tf.random.normal(tf.shape(y))\n",
    "beside another draw": f"{SEEDED}x = tf.random.normal([2])\ny = tf.random.shuffle(x)\n",
    "with taken names": f"{SEEDED}key = random_key = 1\nx = tf.random.normal([2])\n",
    "where a comment keeps one": (
        f"{SEEDED}x = tf.random.normal([2])\ny = tf.random.normal([2])  # tf2jax: ignore\n"
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_has_no_key_keeps_its_numbers(name):
    outcome = rewrite(LEFT[name].encode(), KEYS)
    drawn = [f for f in outcome.findings if f.code == "TJ207"]
    assert drawn
    assert all(f.state is State.REVIEW for f in drawn)
    assert b"jax.random" not in outcome.data
    assert b"subkey" not in outcome.data


def test_other_names_are_taken_where_a_file_has_these():
    after = rewrite(f"{SEEDED}subkey = 1\nx = tf.random.normal([2])\n".encode(), KEYS).data.decode()
    assert "random_key, random_subkey = jax.random.split(random_key)\n" in after


@pytest.mark.parametrize(
    "options",
    [Options(), Options(random="keys", safe_only=True), Options(random="keys", target="shims")],
    ids=["not asked for", "safe only", "to shims"],
)
def test_numbers_stay_unless_keys_are_asked_for(options):
    outcome = rewrite(PROGRAMS["stateful normal"].encode(), options)
    assert b"jax.random" not in outcome.data
    assert not {f.code for f in outcome.findings} & {"TJ206", "TJ207"}
