"""Diagnostics of `tf.function` and what belongs to it."""

from __future__ import annotations

from tf2jax_port.rewrite.findings import State
from tf2jax_port.rewrite.rule import Leaves, Rewrites, Rule

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

RULES = (WITHOUT_PLACE,)
