"""Define the diagnostics of calls of `jax.random` with keys, for `--random keys`."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

_KEYS = Options(random="keys")
_PLAIN = Leaves(
    "import tensorflow as tf\n\ny = tf.random.stateless_normal([3], seed=[1, 2])\n",
    because="without `--random keys`, the call becomes a call of `shims.random`, which returns TensorFlow's numbers",
)

KEYED = Rule(
    code="TJ206",
    name="random-numbers-by-key",
    state=State.REVIEW,
    why=(
        "With `--random keys`, calls that draw random numbers become calls of `jax.random`. For a stateless draw, "
        "the key is computed from the draw's seed. For every other draw, the program splits a key before the "
        "statement, once for each run of the statement. A function that draws random numbers gets a key parameter "
        "if all calls of the function are in the file and can pass a key. The first key is created from the seed of "
        "`tf.random.set_seed`, or from a number that the rewriter chooses for the file."
    ),
    safety=(
        "The numbers differ from TensorFlow's but have the same distribution, shape and dtype. No key is used "
        "twice. With the same seeds, each run draws the same numbers, even in compiled functions. The new parameter "
        "is keyword-only and has no default, so a call that the rewriter did not see, such as a call from another "
        "program, raises `TypeError`. Results that were recorded with TensorFlow's numbers can no longer be "
        "compared. First compare the program with `shims.random`, and switch to keys afterwards."
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
        "With `--random keys`, draws of random numbers become calls of `jax.random`, but the rewriter could not give "
        "this draw a key. The finding gives the reason. Either the function that contains the draw is called from "
        "other files or passed on as a value, or the draw is in a lambda or in the body of a TensorFlow loop, or "
        "`jax.random` has no such distribution with these arguments."
    ),
    safety=(
        "The draw becomes a call of `shims.random`, which uses TensorFlow's generator. After `set_seed`, the draw "
        "returns TensorFlow's numbers as long as no earlier draw uses a key. To use `jax.random`, give the function "
        "a parameter `key`, draw with this key, and pass each call its own key from `jax.random.split`. In a loop, "
        "keep the key in the loop's state and split the key in each iteration, because a key from outside of the "
        "loop would draw the same numbers in each iteration."
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
