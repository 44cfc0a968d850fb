"""Diagnostics of random numbers that are drawn with keys of JAX, which `--random keys` asks for."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

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
        "`--random keys` asks for `jax.random`. A stateless draw makes its key from its seed. Every "
        "other draw takes a key that is split in front of its statement, each time that the statement "
        "is run; a function that draws gets a parameter for one, if all of its calls stand in the file "
        "and can give one. Keys begin where `tf.random.set_seed` stands, or with a number of their own."
    ),
    safety=(
        "The numbers are other ones than TensorFlow's, of the same distribution, shape and dtype; no "
        "key is used twice. The same seeds give the same numbers at each run, in compiled functions "
        "too. The new parameter can be given by its name only and has no default: a call that was not "
        "seen, from a program that is no part of this one, fails and says so. Results that were "
        "recorded with TensorFlow's numbers cannot be compared any more: compare first, with "
        "`shims.random`, and ask for keys afterwards."
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
            "import tensorflow as tf\n\n\n"
            "def noisy(x):\n    return x + tf.random.normal(tf.shape(x))\n\n\n"
            "def main():\n    x = noisy(tf.ones([2]))\n"
            "    return [noisy(x), tf.nn.dropout(x, 0.1)]\n\n\n"
            "if __name__ == '__main__':\n    tf.random.set_seed(7)\n    main()\n",
            "import jax\nimport jax.numpy as jnp\nimport shims\n\n\n"
            "def noisy(x, *, key):\n    return x + jax.random.normal(key, jnp.shape(x))\n\n\n"
            "def main(*, key):\n    key, subkey = jax.random.split(key)\n"
            "    x = noisy(jnp.ones([2], dtype=jnp.float32), key=subkey)\n"
            "    key, subkey, subkey_2 = jax.random.split(key, 3)\n"
            "    return [noisy(x, key=subkey), jnp.where(jax.random.bernoulli(subkey_2, 1 - 0.1, "
            "jnp.shape(x)), x / (1 - 0.1), 0)]\n\n\n"
            "if __name__ == '__main__':\n    key = jax.random.key(7)\n    shims.random.set_seed(7)\n"
            "    key, subkey = jax.random.split(key)\n    main(key=subkey)\n",
            runs=False,
            options=_KEYS,
        ),
        Rewrites(
            "import tensorflow as tf\n\ntf.random.set_seed(7)\n"
            "for _ in range(2):\n    x, y = tf.random.normal([2]), tf.random.uniform([2], 1.0, 3.0)\n"
            "z = [tf.random.normal([2]) for _ in range(3)]\n",
            "import jax\nimport shims\n\nkey = jax.random.key(7)\nshims.random.set_seed(7)\n"
            "for _ in range(2):\n    key, subkey, subkey_2 = jax.random.split(key, 3)\n"
            "    x, y = jax.random.normal(subkey, [2]), jax.random.uniform(subkey_2, [2], "
            "minval=1.0, maxval=3.0)\nkey, subkey = jax.random.split(key)\n"
            "z = [jax.random.normal(jax.random.fold_in(subkey, i), [2]) for i in range(3)]\n",
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
        "`--random keys` asks for `jax.random`, and this draw has no key. Its message says why: the "
        "function around it is called from elsewhere or handed on as a value, it stands in a lambda or "
        "in the body of a loop that TensorFlow runs, or `jax.random` has no such distribution in these "
        "words."
    ),
    safety=(
        "It stays `shims.random`: TensorFlow's generator, and after `set_seed` TensorFlow's numbers, as "
        "long as nothing that was drawn before it is drawn with a key now. To go on, give the function "
        "a parameter `key`, draw with `jax.random` from it, and hand each call a key of its own from "
        "`jax.random.split`. The body of a loop carries the key as a part of its state and splits it in "
        "each pass: a key from outside would give the same numbers each time."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\ndef noisy(x):\n    return x + tf.random.normal([2, 3])\n\n\n"
            "tf.random.set_seed(7)\nnoise = noisy\ny = noise(x)\n",
            "import shims\n\n\ndef noisy(x):\n    return x + shims.random.normal([2, 3])\n\n\n"
            "shims.random.set_seed(7)\nnoise = noisy\ny = noise(x)\n",
            options=_KEYS,
        ),
        _PLAIN,
    ),
)
