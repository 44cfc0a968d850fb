"""Define the diagnostics of `tf.GradientTape` blocks that become functions."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

SURE = Rule(
    code="TJ114",
    name="tape-as-function",
    state=State.REWRITTEN,
    why=(
        "This diagnostic reports a `with tf.GradientTape()` block of a simple form: the first lines watch arrays, "
        "the next lines compute a scalar from these arrays by assignments, and one call of `tape.gradient` follows "
        "the block. The lines and comments of the block become a function of the watched arrays. "
        "`jax.value_and_grad` differentiates this function. If the value is not used, `jax.grad` differentiates the "
        "function."
    ),
    safety=(
        "The value and the gradients are the same; the gradients are a list if TensorFlow returns a list. The block "
        "is rewritten only if the result is known to be a scalar, if every source is watched and reaches the result "
        "through differentiable operators, and if no other code uses the tape or the names assigned in the block. "
        "For integers, JAX raises an error, while TensorFlow returns `None`. A block with a persistent tape, a "
        "Jacobian, a loop, a function call, variables or `unconnected_gradients` uses `shims.GradientTape` instead "
        "(TJ401)."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\ndef slope(x):\n    with tf.GradientTape() as tape:\n"
            "        tape.watch(x)\n        y = tf.exp(x) * x  # grows\n"
            "        loss = tf.reduce_sum(y)\n    return tape.gradient(loss, x)\n\n\ng = slope(x)\n",
            "import jax\nimport jax.numpy as jnp\n\n\ndef slope(x):\n    def loss_of(x):\n"
            "        y = jnp.exp(x) * x  # grows\n        loss = jnp.sum(y)\n        return loss\n"
            "    return jax.grad(loss_of)(x)\n\n\ng = slope(x)\n",
        ),
        Rewrites(
            "import tensorflow as tf\n\n\ndef slopes(k):\n    a = tf.exp(k)\n    b = tf.sin(k)\n"
            "    with tf.GradientTape() as tape:\n        tape.watch([a, b])\n"
            "        y = tf.reduce_sum(a * a * b)\n    gradients = tape.gradient(y, [a, b])\n"
            "    return y, gradients\n\n\ng = slopes(x)\n",
            "import jax\nimport jax.numpy as jnp\n\n\ndef slopes(k):\n    a = jnp.exp(k)\n"
            "    b = jnp.sin(k)\n    def y_of(a, b):\n        y = jnp.sum(a * a * b)\n        return y\n"
            "    y, gradients = jax.value_and_grad(y_of, argnums=(0, 1))(a, b)\n"
            "    gradients = list(gradients)\n    return y, gradients\n\n\ng = slopes(x)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\nwith tf.GradientTape() as tape:\n    tape.watch(x)\n"
            "    y = tf.square(x)\ng = tape.gradient(y, x)\n",
            because=(
                "the result may not be a scalar: TensorFlow sums the gradients of its elements, "
                "but `jax.grad` raises an error"
            ),
        ),
        Leaves(
            "import tensorflow as tf\n\nx = tf.constant(3.0)\nz = x\nwith tf.GradientTape() as tape:\n"
            "    tape.watch(x)\n    y = x * z\ng = tape.gradient(y, x)\n",
            because="`z` is the watched array under another name",
        ),
        Leaves(
            "import tensorflow as tf\n\nx = tf.constant(3.0)\nwith tf.GradientTape() as tape:\n"
            "    tape.watch(x)\n    y = tf.stop_gradient(x)\ng = tape.gradient(y, x)\n",
            because="the result does not depend on `x`: TensorFlow's gradient is `None`, but JAX's gradient is zero",
        ),
    ),
)

REVIEWED = Rule(
    code="TJ205",
    name="tape-over-names",
    state=State.REVIEW,
    why=(
        "This diagnostic reports a tape block that is rewritten as described for TJ114, but reads several arrays, "
        "such as two parameters of a function. The surrounding code does not show whether two of these names refer "
        "to the same array."
    ),
    safety=(
        "A tape differentiates with respect to arrays, while JAX differentiates with respect to parameters. If two "
        "names refer to the same array (`f(a, a)`), TensorFlow differentiates with respect to both names at once, "
        "and JAX with respect to one of them. Check the callers. With `--exact` or `--safe-only` the tape becomes "
        "`shims.GradientTape`."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\ndef fit(w, data):\n    with tf.GradientTape() as tape:\n"
            "        tape.watch(w)\n        error = w - data\n"
            "        loss = tf.reduce_mean(tf.square(error))\n    slope = tape.gradient(loss, w)\n"
            "    return loss, slope\n\n\ny = fit(tf.exp(x), x)\n",
            "import jax\nimport jax.numpy as jnp\n\n\ndef fit(w, data):\n    def loss_of(w):\n"
            "        error = w - data\n        loss = jnp.mean(jnp.square(error))\n        return loss\n"
            "    loss, slope = jax.value_and_grad(loss_of)(w)\n    return loss, slope\n\n\n"
            "y = fit(jnp.exp(x), x)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\nw = tf.exp(x)\nwith tf.GradientTape() as tape:\n"
            "    tape.watch(w)\n    loss = tf.reduce_sum(tf.square(w))\n"
            "slope = tape.gradient(loss, w)\n",
            because="the block reads only one array (TJ114)",
        ),
    ),
)
