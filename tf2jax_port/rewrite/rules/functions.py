"""Diagnostics of `tf.function` and what belongs to it."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

WITHOUT_PLACE = Rule(
    code="TJ203",
    name="argument-without-use",
    state=State.REVIEW,
    why=(
        "`tf.function` and `tf.Variable` have arguments that tell TensorFlow how to trace or place "
        "something (`experimental_implements`, `caching_device`). The call becomes the one of "
        "`shims`, and these arguments are left out."
    ),
    safety=(
        "The results are the same. What the argument was for, a special kernel or a device, is not "
        "there any more."
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
        "`@tf.function` stands above a function whose parameters are operands of operators that JAX "
        "has, which reads nothing else and does nothing else. `jax.jit` compiles it."
    ),
    safety=(
        "The same values. It is compiled once for each shape, and nothing in it depends on a size "
        "that only the data knows. A method, a default, a branch, a loop, a name from outside, an "
        "index, a shape that is computed, or an attribute of the function that is asked for "
        "(`f.get_concrete_function`) leaves `shims.function` in its place (TJ401, TJ402)."
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
            because="`jax.jit` would have to know the axis",
        ),
        Leaves(
            "import tensorflow as tf\n\n\n@tf.function\ndef f(a):\n    return tf.boolean_mask(a, a > 0)\n",
            because="the size of the result depends on data",
        ),
    ),
)

RULES = (WITHOUT_PLACE,)
