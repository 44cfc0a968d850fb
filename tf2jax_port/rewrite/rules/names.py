"""Define the diagnostics of names that are not called: dtypes, types, constants."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

CONSTANT = Rule(
    code="TJ102",
    name="dtype-or-constant",
    state=State.REWRITTEN,
    why=(
        "This diagnostic reports a dtype, an attribute of a dtype, or a constant such as `tf.newaxis`. JAX or Python "
        "has an equivalent, which replaces the name."
    ),
    safety=(
        "The value is the same. If `jax_enable_x64` is off, JAX creates 32-bit arrays instead of 64-bit arrays and "
        "warns once."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = x[:, tf.newaxis]\nsmallest = tf.float32.min\n",
            "import jax.numpy as jnp\n\ny = x[:, None]\nsmallest = jnp.finfo(jnp.float32).min\n",
        ),
        Leaves(
            "class A:\n    tf = None\n\n    def f(self):\n        return self.tf.float32\n",
            because="an attribute named `tf` is not the module",
        ),
    ),
)

TYPE = Rule(
    code="TJ103",
    name="tensor-type",
    state=State.REWRITTEN,
    why=(
        "In an annotation or in `isinstance`, `tf.Tensor` means an array. The class of JAX's arrays is `jax.Array`."
    ),
    safety=(
        "Tracers are also instances of `jax.Array`. A class derived from `tf.Tensor` is not changed; port it by "
        "hand (TJ311)."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\ndef f(x: tf.Tensor) -> 'tf.Tensor':\n    return x\n",
            "import jax\n\n\ndef f(x: jax.Array) -> 'jax.Array':\n    return x\n",
            runs=False,
        ),
        Rewrites(
            "import tensorflow as tf\n\ny = isinstance(x, tf.Tensor)\n",
            "import jax\n\ny = isinstance(x, jax.Array)\n",
        ),
        Leaves(
            "x = 'tf.Tensor'  # tf.Tensor\n", because="text in strings and comments is not code"
        ),
    ),
)
