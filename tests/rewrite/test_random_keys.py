"""`--random keys`: draws with keys of JAX where they can be had; which, and of what distribution."""

import numpy as np
import pytest

from tests.rewrite.drawing import drawn
from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.options import Options

KEYS = Options(random="keys")
HEAD = "import tensorflow as tf\n\n"
SEEDED = f"{HEAD}tf.random.set_seed(5)\n"
V1 = "import tensorflow.compat.v1 as tf\n\n"
# Expressions of 20,000 numbers or so, which stand in statements of one program.
SHAPED = "ones = tf.ones([20000])\nodds = tf.math.log([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])\npair = (7, 8)\n"

DRAWS = {
    "stateless uniform": "tf.random.stateless_uniform([20000], [1, 2])",
    "stateless uniform bounds": "tf.random.stateless_uniform((20000,), (1, 2), minval=-1.0, maxval=3)",
    "stateless normal": "tf.random.stateless_normal([20000], seed=[4, 5], stddev=2.0, mean=-1.0)",
    "stateless truncated": "tf.random.stateless_truncated_normal([20000], pair, 3.0, 0.5, tf.float32)",
    "stateless integers": "tf.random.stateless_uniform([20000], pair, 2, 7, tf.int32)",
    "uniform": "tf.random.uniform([20000], -2.0, dtype=tf.float32, maxval=2.0)",
    "uniform half": "tf.random.uniform([20000], dtype=tf.float16, name='u')",
    "integers": "tf.random.uniform([20000], 2, 7, tf.int32)",
    "integers from 0": "tf.random.uniform(shape=(200, 100), maxval=3, dtype='int32')",
    "normal": "tf.random.normal([20000], 1.0)",
    "normal in full": "tf.random.normal(tf.shape(ones), mean=-(1.0), stddev=ones[0] + 1.0)",
    "standard normal": "tf.random.normal([20000], 0.0, 1.0, seed=3)",
    "truncated": "tf.random.truncated_normal([100, 200], stddev=1.5)",
    "shuffle": "tf.random.shuffle(tf.range(20000))",
    "one class": "tf.random.categorical(tf.repeat(odds, 9000, axis=0), 1)",
    "classes": "tf.random.categorical(odds, 9000, dtype=tf.int32)",
    "gamma": "tf.random.gamma([20000], 0.5, beta=2.0)",
    "gammas": "tf.random.gamma([9000], pair)",
    "poisson": "tf.random.poisson([20000], 2.5)",
    "poissons": "tf.random.poisson(shape=[9000], lam=pair, dtype=tf.int32)",
    "dropout": "tf.nn.dropout(ones, 0.3)",
    "dropout of rows": "tf.nn.dropout(ones, rate=0.6, noise_shape=[20000])",
    "dropout of what is computed": "tf.nn.dropout(tf.square(ones), pair[0] / 10, noise_shape=[None])",
    "dropout by an array": "tf.nn.dropout(ones, ones[0] / 4.0)",
}
VERSION_1 = {
    "random_uniform": "tf.random_uniform([20000], -2.0, 1.0)",
    "random_normal": "tf.random_normal([20000], stddev=2.0)",
    "truncated_normal": "tf.truncated_normal([20000], 1.0)",
    "multinomial": "tf.multinomial(odds, num_samples=9000)",
    "random_gamma": "tf.random_gamma([20000], 2.0)",
    "random_poisson": "tf.random_poisson(2.5, [20000])",
    "random_shuffle": "tf.random_shuffle(ones)",
    "dropout by what is kept": "tf.nn.dropout(ones, 0.3)",
    "dropout by rate": "tf.nn.dropout(ones, rate=0.3)",
}


def program(head, seed, expressions):
    lines = [f"y{n} = {expression}\n" for n, expression in enumerate(expressions.values())]
    return f"{head}{seed}\n{SHAPED}{''.join(lines)}"


def both(code):
    outcome = rewrite(code.encode(), KEYS)
    assert "TJ207" not in {f.code for f in outcome.findings}
    assert rewrite(outcome.data, KEYS).data == outcome.data
    old, new = {}, {}
    exec(code, old)
    exec(outcome.data.decode(), new)
    return old, new


@pytest.fixture(scope="module")
def numbers():
    current = both(program(HEAD, "tf.random.set_seed(5)", DRAWS))
    former = both(program(V1, "tf.set_random_seed(5)", VERSION_1))
    names = {name: (current, n) for n, name in enumerate(DRAWS)}
    return names | {name: (former, n) for n, name in enumerate(VERSION_1)}


@pytest.mark.parametrize("name", [*DRAWS, *VERSION_1])
def test_the_distribution_is_the_same(name, numbers):
    (old, new), place = numbers[name]
    theirs, ours = old[f"y{place}"], new[f"y{place}"]
    dtypes = theirs.dtype.name.replace("int64", "int32"), ours.dtype.name
    assert (tuple(theirs.shape), dtypes[0]) == (ours.shape, dtypes[1])
    theirs, ours = (np.asarray(v, np.float64) for v in (theirs, ours))
    parts = {"classes": theirs.shape, "multinomial": theirs.shape}.get(name, (1, -1))
    columns = name in ("gammas", "poissons")
    theirs, ours = (v.T if columns else v.reshape(parts) for v in (theirs, ours))
    for one, other in zip(theirs, ours, strict=True):
        spread = one.std() or 1.0
        assert abs(one.mean() - other.mean()) < 0.06 * spread
        assert abs(np.log((one.std() or 1.0) / (other.std() or 1.0))) < 0.06
        assert distance(one, other) < 0.03


def distance(one, other):
    """How far two distributions are apart, after Kolmogorov and Smirnov."""
    places = np.sort(np.concatenate([one, other]))
    ranks = (np.searchsorted(np.sort(v), places, side="right") / v.size for v in (one, other))
    return np.abs(np.subtract(*ranks)).max()


def test_the_bounds_of_integers_are_tensorflows(numbers):
    (_, new), place = numbers["integers"]
    assert set(np.asarray(new[f"y{place}"]).tolist()) == {2, 3, 4, 5, 6}


def test_truncated_numbers_are_cut_off_at_two_deviations(numbers):
    (_, new), place = numbers["truncated"]
    assert 2.9 < np.abs(new[f"y{place}"]).max() <= 3.0


# Programs: how many of their calls draw by a key. They collect in `out` arrays of numbers that must
# all be different.
KEYED = {
    "two draws in a function": (
        "def f(n):\n    a = tf.random.normal([n])\n    return [a, tf.random.normal([n])]\n"
        "out = [f(3), f(3)]\n",
        2,
    ),
    "loops": (
        "out = []\nfor i in range(3):\n    if i:\n        out.append(tf.random.normal([4]))\n"
        "    else:\n        out += [tf.random.normal([4]), tf.random.uniform([4])]\n"
        "while len(out) < 9:\n    out.append(tf.random.normal([4]))\n",
        4,
    ),
    "branches and returns": (
        "def f(x):\n    if x == 0: return tf.random.normal([2])\n"
        "    elif tf.random.uniform([]) < 2.0 and x == 1:\n        return tf.random.normal([2])\n"
        "    try:\n        y = tf.random.normal([2])\n        raise ValueError\n"
        "    except ValueError:\n        return [y, tf.random.normal([2])]\n"
        "    finally:\n        out.append(tf.random.normal([2]))\n"
        "out = []\nout += [f(0), f(1), f(2), f(0) if len(out) else f(1)]\n",
        6,
    ),
    "recursion": (
        "def f(n):\n    return [tf.random.normal([2]), *g(n - 1)] if n else []\n"
        "def g(n):\n    return [tf.random.uniform([2])] + f(n - 1) if n else []\nout = f(4)\n",
        2,
    ),
    "generators": (
        "def f(n):\n    yield tf.random.normal([2])\n    if n:\n        yield from f(n - 1)\n"
        "a, b = f(2), f(2)\nout = [next(a), next(b), list(a), list(b)]\n",
        1,
    ),
    "comprehensions": (
        "def f(x):\n    return x + tf.random.normal([2])\n"
        "out = [[f(x) for x in (1.0, 1.0)], [tf.random.normal([2]) for _ in range(2)]]\n"
        "out.append(list({a: f(b) for a, b in {'u': 1.0, 'v': 1.0}.items()}.values()))\n"
        "out.append(list(tf.random.normal([2]) for i in range(3) if i))\n",
        3,
    ),
    "methods": (
        "class A:\n    def __init__(self, n=2):\n        self.w = tf.random.normal([n])\n"
        "    def go(self) -> 'A':\n        return [self._draw(2), self._draw(2), A().w]\n"
        "    def _draw(self, n):\n        return tf.random.normal([n])\n"
        "a = A()\nout = [a.w, a.go(), A(n=2).go()]\n",
        2,
    ),
    "closures": (
        "def f(n):\n    def g(m):\n        return m + tf.random.normal([n])\n"
        "    return [g(1.0), g(1.0)]\nout = [f(2), f(2)]\n",
        1,
    ),
    "coroutines": (
        "import asyncio\nasync def f():\n    return tf.random.normal([2])\n"
        "async def g():\n    return [await f(), *await asyncio.gather(f(), f())]\n"
        "out = asyncio.run(g())\n",
        1,
    ),
    "loops that are compiled": (
        "def h(x):\n    return tf.random.uniform([2])\n"
        "@tf.function\ndef f(x):\n    a = tf.TensorArray(tf.float32, 0, dynamic_size=True)\n"
        "    for i in tf.range(3):\n        a = a.write(i, h(x))\n"
        "    while tf.reduce_sum(x) < 20.0:\n        x = x + tf.random.uniform([2])\n"
        "    return a.stack(), x\na, b = f(tf.ones([2]))\nout = [a[0], a[1], a[2], b]\n",
        2,
    ),
    "branches of JAX": (
        "def f(x):\n    return tf.cond(x > 0, lambda: tf.random.normal([2]), lambda: tf.zeros([2]))\n"
        "out = [f(tf.constant(1)), f(tf.constant(1))]\n",
        1,
    ),
    "tapes": (
        "def f(x):\n    with tf.GradientTape() as tape:\n        tape.watch(x)\n"
        "        y = tf.reduce_sum(x * x * tf.random.uniform([3]))\n"
        "    g = tape.gradient(y, x)\n    return g\nout = [f(tf.ones([3])), f(tf.ones([3]))]\n",
        1,
    ),
    "defaults and decorators": (
        "def kept(v):\n    return lambda f: lambda: v\n"
        "def f(x=tf.random.normal([2])):\n    return [x, tf.random.normal([2])]\n"
        "@kept(tf.random.normal([2]))\n@kept(1)\ndef g(): pass\nout = [f(), g()]\n",
        3,
    ),
    "parameters": (
        "def f(a, /, b=(1.0), *rest, c=(2, 3)[0], **more):\n    return a + tf.random.normal([2])\n"
        "def g(\n    a: float,  # first\n    b: int = 2,\n) -> list:\n    return a + tf.random.normal([b])\n"
        "def h(a=(lambda q=(2, 3): q), ): return tf.random.normal([2])\n"
        "out = [f(1.0), f(*[1.0], **{'d': 1}), g(1.0,), g(\n    1.0  # first\n), h()]\n",
        3,
    ),
    "seeds in functions": (
        "def f():\n    tf.random.set_seed(3)\n    return tf.random.normal([2])\n"
        "def g(s=None):\n    if s:\n        tf.random.set_seed(s)\n    return tf.random.normal([2])\n"
        "out = [f(), g(), g(4)]\n",
        4,
    ),
    "two seeds": (
        "tf.random.set_seed(1)\nout = [tf.random.normal([2])]\ntf.random.set_seed(2)\n"
        "out += [tf.random.normal([2])]\n",
        4,
    ),
    "what is run as a program": (
        "from unittest import TestCase\nclass T(TestCase):\n    def setUp(self):\n"
        "        super().setUp()\n        self.x = tf.random.normal([2])\n"
        "    def test_a(self):\n        out.extend([self.x, tf.random.normal([2])])\n"
        "out = []\nclass app:\n    @staticmethod\n    def run(f): f(0)\n"
        "def main(argv):\n    out.append(tf.random.normal([2]))\napp.run(main)\n",
        3,
    ),
    "pictures": (
        "x = tf.reshape(tf.range(300.0), [10, 10, 3])\n"
        "def f(x):\n    y = tf.image.random_crop(tf.image.random_flip_left_right(x), [4, 4, 3])\n"
        "    return tf.image.random_contrast(upper=3.0, lower=0.5, image=y, seed=2)\n"
        "out = [f(x), f(x), tf.image.random_brightness(x, 0.3), tf.image.random_hue(x, 0.2)]\n",
        5,
    ),
    "classes": (
        "class A:\n    w = tf.random.normal([2])\n    v = [tf.random.normal([2]) for _ in range(2)]\n"
        "    def f(self, x=tf.random.normal([2])):\n        return x\nout = [A.w, A.v, A().f()]\n",
        3,
    ),
    "statements in one line": (
        "x = 1; y = tf.random.normal([2]); z = tf.random.normal([2])\n"
        "if x: y2 = tf.random.normal([2])\ntry: y3 = tf.random.normal([2])\nfinally: pass\n"
        "with tf.name_scope('a'): y4 = tf.random.normal([2])\nout = [y, z, y2, y3, y4]\n",
        5,
    ),
    "names that are taken": (
        "key = 2\ndef f(jax, subkey=1):\n    return [tf.random.normal([jax]), tf.random.normal([key])]\n"
        "i = 2\nout = [f(2), [tf.random.normal([i]) for _ in range(2)]]\n",
        3,
    ),
}


@pytest.mark.parametrize("name", KEYED)
def test_no_key_is_used_twice(name, tmp_path):
    code, count = KEYED[name]
    outcome = rewrite((HEAD + code).encode(), KEYS)
    after = outcome.data.decode()
    assert [f.code for f in outcome.findings].count("TJ206") == count
    assert rewrite(outcome.data, KEYS).data == outcome.data
    out, uses = drawn(after, tmp_path)
    assert len(set(uses)) == len(uses)
    assert uses
    assert len({array.tobytes() for array in out}) == len(out) > 0


def test_the_numbers_are_the_same_at_each_run(tmp_path):
    after = rewrite(f"{SEEDED}out = [tf.random.normal([4])]\n".encode(), KEYS).data.decode()
    np.testing.assert_array_equal(drawn(after, tmp_path)[0], drawn(after, tmp_path)[0])


def test_a_seed_of_keras_begins_keys_too():
    code = f"{HEAD}tf.keras.utils.set_random_seed(3)\nx = tf.random.normal([2])\n"
    after = rewrite(code.encode(), KEYS).data.decode()
    assert "key = jax.random.key(3)\nkeras.utils.set_random_seed(3)\nkey, subkey = " in after


def test_numbers_that_the_file_has_as_seeds_are_not_taken_again():
    code = f"{HEAD}x = tf.random.stateless_normal([2], [0, 1])\ny = tf.random.normal([2])\n"
    assert b"key = jax.random.key(1)\n" in rewrite(code.encode(), KEYS).data


def test_a_marker_stays_with_its_statement():
    outcome = rewrite(f"{SEEDED}y = tf.nothing_known(tf.random.normal([2]))\n".encode(), KEYS)
    lines = outcome.data.decode().splitlines()
    assert lines[-2].startswith("# TJ301: ")
    assert lines[-3] == "key, subkey = jax.random.split(key)"
    assert rewrite(outcome.data, KEYS).data == outcome.data


def test_other_names_are_taken_where_a_file_has_these():
    after = rewrite(f"{SEEDED}subkey = 1\nx = tf.random.normal([2])\n".encode(), KEYS).data.decode()
    assert "random_key, random_subkey = jax.random.split(random_key)\n" in after


def test_tabs_and_line_ends_stay():
    code = (
        f"{HEAD}def f(\n\tn,\n):\n\tx = tf.random.normal([n])\n\treturn x + tf.random.normal([2])\n"
    )
    code = (code + "y = f(2)\n").replace("\n", "\r\n").encode()
    after = rewrite(code, KEYS).data
    assert b"\tn,\r\n\t*,\r\n\tkey,\r\n):\r\n\tkey, subkey = " in after
    assert after.count(b"\n") == after.count(b"\r\n")


@pytest.mark.parametrize(
    "options",
    [Options(), Options(random="keys", safe_only=True), Options(random="keys", target="shims")],
    ids=["not asked for", "safe only", "to shims"],
)
def test_numbers_stay_unless_keys_are_asked_for(options):
    outcome = rewrite(f"{SEEDED}y = tf.random.normal([2])\n".encode(), options)
    assert b"jax.random" not in outcome.data
    found = next(f for f in outcome.findings if f.symbol == "tf.random.normal")
    assert (found.state, found.code) == (State.SHIM, "TJ401")
    assert found.message == (
        "`shims.random.normal`, with TensorFlow's numbers for the same seeds; `--random "
        "keys` requests JAX's keys"
    )
