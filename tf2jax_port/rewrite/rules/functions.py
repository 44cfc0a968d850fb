"""Define the diagnostics of `tf.function`."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

WITHOUT_PLACE = Rule(
    code="TJ203",
    name="argument-without-use",
    state=State.REVIEW,
    why=(
        "`tf.function` and `tf.Variable` have arguments that tell TensorFlow how to trace a function or where to "
        "place a variable (`experimental_implements`, `caching_device`). The call becomes a call of the same "
        "function in `shims`, without these arguments."
    ),
    safety=(
        "The results are the same. The effect of the argument, such as a special kernel or a "
        "device, is lost."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\n"
            "@tf.function(experimental_implements='f')\ndef f(x):\n    return tf.square(x)\n\n\ny = f(x)\n",
            "import jax.numpy as jnp\nimport shims\n\n\n"
            "@shims.function()\ndef f(x):\n    return jnp.square(x)\n\n\ny = f(x)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\n\n"
            "@tf.function(jit_compile=True)\ndef f(x):\n    return tf.square(x)\n",
            because="`shims.function` has this argument (TJ401)",
        ),
    ),
)

PURE = Rule(
    code="TJ113",
    name="function-that-only-computes",
    state=State.REWRITTEN,
    why=(
        "This diagnostic reports a function that has the decorator `@tf.function`, applies operators to its "
        "parameters, reads nothing else, and has no side effects. JAX has all operators that the function calls, so "
        "`jax.jit` can compile the function."
    ),
    safety=(
        "The values are the same. `jax.jit` compiles the function once for each input shape. No value in the "
        "function has a data-dependent size. In other cases, the function becomes a `shims.function` (TJ401, "
        "TJ402): for instance, if the function is a method, reads a name from outside, or contains a default value, "
        "a branch, a loop, an index or a computed shape. The function also becomes a `shims.function` if the file "
        "uses an attribute of the function, such as `f.get_concrete_function`."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\n@tf.function\ndef f(a, b):\n"
            "    c = tf.exp(a) - 2.0 * b\n    return tf.reduce_sum(c, axis=1), tf.cast(c, tf.int32)\n\n\n"
            "y = f(x, x)\n",
            "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef f(a, b):\n"
            "    c = jnp.exp(a) - 2.0 * b\n    return jnp.sum(c, axis=1), c.astype(jnp.int32)\n\n\n"
            "y = f(x, x)\n",
        ),
        Rewrites(
            "import tensorflow as tf\n\n\n@tf.function(jit_compile=True)\ndef f(a):\n"
            "    return tf.square(a)\n\n\ny = f(x)\n",
            "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef f(a):\n"
            "    return jnp.square(a)\n\n\ny = f(x)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\n\n@tf.function\ndef f(a):\n    return tf.square(a) * scale\n",
            because="`scale` may change between two calls",
        ),
        Leaves(
            "import tensorflow as tf\n\n\n@tf.function\ndef f(a, n):\n    return tf.reduce_sum(a, n)\n",
            because="`jax.jit` needs a static axis",
        ),
        Leaves(
            "import tensorflow as tf\n\n\n@tf.function\ndef f(a):\n    return tf.boolean_mask(a, a > 0)\n",
            because="the size of the result is data-dependent",
        ),
    ),
)
