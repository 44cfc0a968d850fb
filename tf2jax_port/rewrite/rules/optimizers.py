"""Define the diagnostics of optimizers, for `--optimizers optax`."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

_OPTAX = Options(optimizers="optax")
_SET = "import os\n\nos.environ['KERAS_BACKEND'] = 'jax'\n"
_PLAIN = Leaves(
    "import tensorflow as tf\n\noptimizer = tf.keras.optimizers.Adam(0.1)\n",
    because=(
        "without `--optimizers optax`, the optimizer becomes `keras.optimizers.Adam`, which takes the same steps"
    ),
)
_LOOP = (
    "    w = {v}.Variable([1.0, -2.0])\n    for _ in range(4):\n"
    "        with {v}.GradientTape() as tape:\n            loss = {sum}(w * w)\n"
    "        optimizer.apply_gradients([(tape.gradient(loss, w), w)])\n    return w * 1.0\n"
)

KEPT = Rule(
    code="TJ132",
    name="optimizer-of-keras",
    state=State.REWRITTEN,
    why=(
        "With `--optimizers optax`, the rewriter uses Optax where it can, but this optimizer becomes an optimizer "
        "of Keras 3. The finding gives the reason: a model is compiled with the optimizer, the optimizer is "
        "returned or passed to other code, or the file uses a feature that `shims.optax.Optimizer` does not have, "
        "such as averaged weights, accumulated gradients or scaled losses."
    ),
    safety=(
        "With or without `--optimizers optax`, the optimizer takes the same steps as in TensorFlow. To use Optax "
        "anyway, write `shims.optax.Optimizer(shims.optax.adam(...))` in your own training loop; a model can be "
        "compiled only with an optimizer of Keras."
    ),
    examples=(
        Rewrites(
            f"{_SET}import tensorflow as tf\n\n"
            "model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer='ones')])\n"
            "model.compile(tf.keras.optimizers.SGD(0.125), loss='mse')\n"
            "model.fit(x, x[:, :1], epochs=2, verbose=0)\ny = model.get_weights()\n",
            f"{_SET}import keras\n\n"
            "model = keras.Sequential([keras.layers.Dense(1, kernel_initializer='ones')])\n"
            "model.compile(keras.optimizers.SGD(0.125), loss='mse')\n"
            "model.fit(x, x[:, :1], epochs=2, verbose=0)\ny = model.get_weights()\n",
            options=_OPTAX,
        ),
        _PLAIN,
    ),
)

HANDED = Rule(
    code="TJ208",
    name="optimizer-handed-on",
    state=State.REVIEW,
    why=(
        "With `--optimizers optax`, this diagnostic applies to a TensorFlow 2 file in which a "
        "function returns an optimizer of `tf.compat.v1.train`, or in which such an optimizer is "
        "passed to other code. The rewriter does not see how the other code uses the optimizer. "
        "Keras 3 has no optimizer with the same steps. The optimizer becomes "
        "`shims.optax.Optimizer` around a function that takes TensorFlow's steps."
    ),
    safety=(
        "The steps are the same as in TensorFlow. The new optimizer has `apply_gradients`, `compute_gradients`, "
        "`minimize` and `variables`. The new optimizer has no `get_slot`. The second argument of `minimize` is the "
        "list of variables, and `minimize` raises an error in a graph. A model cannot be compiled with this "
        "optimizer."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\ndef made(rate):\n"
            "    return tf.compat.v1.train.MomentumOptimizer(rate, 0.5)\n\n\ndef train():\n"
            f"    optimizer = made(0.1)\n{_LOOP.format(v='tf', sum='tf.reduce_sum')}\n\ny = train()\n",
            "import jax.numpy as jnp\nimport shims\n\n\ndef made(rate):\n"
            "    return shims.optax.Optimizer(shims.optax.momentum_v1(rate, 0.5))\n\n\ndef train():\n"
            f"    optimizer = made(0.1)\n{_LOOP.format(v='shims', sum='jnp.sum')}\n\ny = train()\n",
            options=_OPTAX,
        ),
        _PLAIN,
    ),
)

OPTAX = Rule(
    code="TJ406",
    name="optimizer-of-optax",
    state=State.SHIM,
    why=(
        "With `--optimizers optax`, an optimizer of `tf.keras.optimizers` becomes `shims.optax.Optimizer` around the "
        "function of `shims.optax` that takes TensorFlow's steps. An optimizer of `tf.train` is rewritten in the "
        "same way if the code builds no graph. The rewriter makes this change if it understands all uses of the "
        "optimizer in the file: `apply_gradients`, `minimize`, `compute_gradients`, the learning rate, the step "
        "counter and the optimizer's variables. The rewriter follows the optimizer through names, attributes of the "
        "file's classes, lists and dictionaries that are written out, and the file's own functions. A learning-rate "
        "schedule that is used only by optimizers rewritten in this way becomes a function of the step."
    ),
    safety=(
        "The steps are the same as in TensorFlow: the tests compare 25 steps of each optimizer, with sparse rows, "
        "clipping, decay, variables without a gradient and changing rates. The tests also compare every "
        "learning-rate schedule beyond its boundaries. The new code reads rows of a table with `shims.gather`, "
        "because the gradient of `jnp.take` does not show whether a row was read twice. Unlike optimizers of Keras "
        "3, this optimizer has `minimize`. The optimizer's state consists of variables, which `shims.function` "
        "tracks; to save the state, save `optimizer.variables`. The package `optax` must be installed."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\ndef train():\n"
            "    optimizer = tf.keras.optimizers.Adam(0.1, beta_1=0.8, name='steps')\n"
            f"{_LOOP.format(v='tf', sum='tf.reduce_sum')}\n\ny = train()\n",
            "import jax.numpy as jnp\nimport shims\n\n\ndef train():\n"
            "    optimizer = shims.optax.Optimizer(shims.optax.adam(0.1, beta_1=0.8))\n"
            f"{_LOOP.format(v='shims', sum='jnp.sum')}\n\ny = train()\n",
            options=_OPTAX,
        ),
        Rewrites(
            "import tensorflow as tf\n\n\ndef train():\n"
            "    rate = tf.keras.optimizers.schedules.PiecewiseConstantDecay([2], [0.1, 0.01])\n"
            "    optimizer = tf.keras.optimizers.SGD(rate, momentum=0.5)\n"
            f"{_LOOP.format(v='tf', sum='tf.reduce_sum')}\n\ny = train()\n",
            "import jax.numpy as jnp\nimport shims\n\n\ndef train():\n"
            "    rate = shims.optax.piecewise_constant_decay([2], [0.1, 0.01])\n"
            "    optimizer = shims.optax.Optimizer(shims.optax.sgd(rate, momentum=0.5))\n"
            f"{_LOOP.format(v='shims', sum='jnp.sum')}\n\ny = train()\n",
            options=_OPTAX,
        ),
        Rewrites(
            "import tensorflow as tf\n\n\ndef train():\n    w = tf.Variable([1.0, -2.0])\n"
            "    optimizer = tf.compat.v1.train.AdamOptimizer(0.1)\n    for _ in range(4):\n"
            "        optimizer.minimize(lambda: tf.reduce_sum(w * w), var_list=[w])\n"
            "    return w * 1.0\n\n\ny = train()\n",
            "import jax.numpy as jnp\nimport shims\n\n\ndef train():\n"
            "    w = shims.Variable([1.0, -2.0])\n"
            "    optimizer = shims.optax.Optimizer(shims.optax.adam_v1(0.1))\n"
            "    for _ in range(4):\n"
            "        optimizer.minimize(lambda: jnp.sum(w * w), var_list=[w])\n"
            "    return w * 1.0\n\n\ny = train()\n",
            options=_OPTAX,
        ),
        Rewrites(
            "import tensorflow as tf\n\n\ndef train(ids):\n"
            "    table = tf.Variable([[1.0], [2.0], [3.0]])\n"
            "    optimizer = tf.keras.optimizers.Adagrad(0.1)\n    for _ in range(2):\n"
            "        with tf.GradientTape() as tape:\n"
            "            loss = tf.reduce_sum(tf.gather(table, ids))\n"
            "        optimizer.apply_gradients([(tape.gradient(loss, table), table)])\n"
            "    return table * 1.0\n\n\ny = train([0, 2, 0])\n",
            "import jax.numpy as jnp\nimport shims\n\n\ndef train(ids):\n"
            "    table = shims.Variable([[1.0], [2.0], [3.0]])\n"
            "    optimizer = shims.optax.Optimizer(shims.optax.adagrad(0.1))\n    for _ in range(2):\n"
            "        with shims.GradientTape() as tape:\n"
            "            loss = jnp.sum(shims.gather(table, ids))\n"
            "        optimizer.apply_gradients([(tape.gradient(loss, table), table)])\n"
            "    return table * 1.0\n\n\ny = train([0, 2, 0])\n",
            options=_OPTAX,
        ),
        _PLAIN,
    ),
)
