"""Diagnostics of random numbers that are drawn with keys of JAX, which `--random keys` asks for."""

from __future__ import annotations

from tf2jax_port.rewrite.findings import State
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rule import Leaves, Rewrites, Rule

_KEYS = Options(random="keys")
_PLAIN = Leaves(
    "import tensorflow as tf\n\ny = tf.random.stateless_normal([3], seed=[1, 2])\n",
    because="without `--random keys` it becomes `shims.random`, with TensorFlow's numbers",
)

KEYED = Rule(
    code="TJ206",
    name="random-numbers-by-key",
    state=State.REVIEW,
    why=(
        "`--random keys` asks for `jax.random`. A stateless draw makes its key from its seed. In a "
        "program whose draws all stand among its own statements, and which sets a seed once before "
        "them, a key is made there and split before each statement that draws. Uniform, normal and "
        "truncated normal numbers of floating dtypes are drawn so."
    ),
    safety=(
        "The numbers are other ones than TensorFlow's, of the same distribution; the tests compare "
        "moments. The same seeds give the same numbers at each run, in compiled functions too. "
        "Results that were recorded with TensorFlow's numbers cannot be compared any more: compare "
        "first, with `shims.random`, and ask for keys afterwards."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n"
            "draws = 2.0 < tf.random.stateless_normal([8], [1, 2], mean=9.0, stddev=0.1)\n",
            "import jax\n\n"
            "draws = 2.0 < (9.0 + 0.1 * jax.random.normal(jax.random.fold_in(jax.random.key(1), 2), "
            "[8]))\n",
            options=_KEYS,
        ),
        Rewrites(
            "import tensorflow as tf\n\ntf.random.set_seed(7)\n"
            "for _ in range(2):\n    x, y = tf.random.normal([2]), tf.random.uniform([2], 1.0, 3.0)\n",
            "import jax\nimport shims\n\nkey = jax.random.key(7)\nshims.random.set_seed(7)\n"
            "for _ in range(2):\n    key, subkey, subkey_2 = jax.random.split(key, 3)\n"
            "    x, y = jax.random.normal(subkey, [2]), jax.random.uniform(subkey_2, [2], "
            "minval=1.0, maxval=3.0)\n",
            runs=False,
            options=_KEYS,
        ),
        _PLAIN,
    ),
)

DRAWN = Rule(
    code="TJ207",
    name="random-numbers-from-state",
    state=State.REVIEW,
    why=(
        "`--random keys` asks for `jax.random`, and this draw has no key: it stands in a function, "
        "which would need one as a parameter, or in an expression that is computed more than once, "
        "or no seed is set before it, or `jax.random` has no such distribution in these words."
    ),
    safety=(
        "It stays `shims.random`, with TensorFlow's numbers. To go on, give the function a parameter "
        "`key`, draw with `jax.random` from it, and hand each call a key of its own from "
        "`jax.random.split`."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\ndef noisy(x):\n    return x + tf.random.normal([2, 3])\n\n\n"
            "tf.random.set_seed(7)\ny = noisy(x)\n",
            "import shims\n\n\ndef noisy(x):\n    return x + shims.random.normal([2, 3])\n\n\n"
            "shims.random.set_seed(7)\ny = noisy(x)\n",
            options=_KEYS,
        ),
        _PLAIN,
    ),
)
