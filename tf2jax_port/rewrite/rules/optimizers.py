"""Diagnostics of optimizers, which `--optimizers optax` asks to be those of Optax."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

_OPTAX = Options(optimizers="optax")
_SET = "import os\n\nos.environ['KERAS_BACKEND'] = 'jax'\n"
_PLAIN = Leaves(
    "import tensorflow as tf\n\noptimizer = tf.keras.optimizers.Adam(0.1)\n",
    because="without `--optimizers optax` it becomes `keras.optimizers.Adam`, which steps alike",
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
        "`--optimizers optax` asks for Optax, and this optimizer stays one of Keras 3: a model is "
        "compiled with it, or it is returned, handed to somebody else, or asked for something that "
        "`shims.optax.Optimizer` does not have; the finding says which. Averages of weights, "
        "accumulated gradients and scaled losses are Keras' own, too."
    ),
    safety=(
        "It makes TensorFlow's steps, as without the option. To have Optax all the same, write "
        "`shims.optax.Optimizer(shims.optax.adam(...))` where a loop of your own uses it; a model "
        "can be compiled with an optimizer of Keras only."
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
        "`--optimizers optax` asks for Optax, and an optimizer of `tf.compat.v1.train` in a file for "
        "TensorFlow 2 is returned or handed to somebody: what is asked of it there is not seen. "
        "Keras 3 has none with these steps. It becomes `shims.optax.Optimizer` with the function "
        "that makes them."
    ),
    safety=(
        "The steps are TensorFlow's. Whoever has it finds `apply_gradients`, `compute_gradients`, "
        "`minimize` and `variables`; slots by name are not there, the second argument of `minimize` "
        "is the list of variables, and in a graph it raises. A model cannot be compiled with it."
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
        "`--optimizers optax` asks for Optax. An optimizer of `tf.keras.optimizers`, or of "
        "`tf.train` where no graph is built, becomes `shims.optax.Optimizer` around the function of "
        "`shims.optax` that makes TensorFlow's steps, if all that the file does with it is seen: "
        "`apply_gradients`, `minimize`, `compute_gradients`, the learning rate, the count of steps, "
        "its variables; through names, attributes of the file's classes, lists and dictionaries "
        "that are written out, and the file's own functions. A schedule that goes nowhere else "
        "becomes a function of the count."
    ),
    safety=(
        "The steps are TensorFlow's: the tests compare 25 of each optimizer, with rows, clipping, "
        "decay, variables without a gradient and rates that change, and every schedule beyond its "
        "borders. Rows of a table are taken by `shims.gather`, because `jnp.take` hides from an "
        "optimizer that a row came twice. `minimize`, which Keras 3 has dropped, is there. The state is in variables, which "
        "`shims.function` finds; `optimizer.variables` is what to save. It needs `optax`."
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
