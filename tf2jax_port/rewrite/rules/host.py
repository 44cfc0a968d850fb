"""Define the diagnostics of files, flags, pipelines and unknown names that move, or stay on purpose."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

_V1 = "import tensorflow.compat.v1 as tf\n\n"
_OPERATOR = Leaves(
    "import tensorflow as tf\n\ny = tf.square(x)\n",
    because=("`tf.square` computes with numbers, and the rewriter has a replacement for it"),
)

ABSL = Rule(
    code="TJ115",
    name="name-of-absl",
    state=State.REWRITTEN,
    why="`tf.flags` is the module `absl.flags` under another name.",
    safety=(
        "The functions are the same. A flag definition that uses keyword names from early TensorFlow versions, such "
        "as `default_value=`, is not changed (TJ329)."
    ),
    examples=(
        Rewrites(
            f"{_V1}values = tf.flags.FlagValues()\n"
            "tf.flags.DEFINE_integer('n', 3, 'how many', flag_values=values)\n"
            "values(['program', '--n=4'])\ny = float(values.n)\ndel values\n",
            "from absl import flags\n\n"
            "values = flags.FlagValues()\n"
            "flags.DEFINE_integer('n', 3, 'how many', flag_values=values)\n"
            "values(['program', '--n=4'])\ny = float(values.n)\n"
            "del values\n",
        ),
        _OPERATOR,
    ),
)

APP = Rule(
    code="TJ209",
    name="command-line-of-absl",
    state=State.REVIEW,
    why=(
        "`tf.app.run` and `tf.flags.FLAGS` wrap the functions of absl. TensorFlow's flags "
        "parse the command line when a flag is read for the first time, and ignore undefined "
        "flags."
    ),
    safety=(
        "absl parses the command line in `app.run`; before `app.run`, no flag has a value. absl rejects undefined "
        "flags. Check that the program reads its flags in `main`."
    ),
    examples=(
        Rewrites(
            f"{_V1}\ndef main(argv):\n    print(tf.flags.FLAGS.is_parsed())\n\n\n"
            "if __name__ == '__program__':\n    tf.app.run()\ny = 1.0\n",
            "from absl import app\nfrom absl import flags\n\n\ndef main(argv):\n"
            "    print(flags.FLAGS.is_parsed())\n\n\nif __name__ == '__program__':\n"
            "    app.run(main)\ny = 1.0\n",
        ),
        _OPERATOR,
    ),
)

MOVED = Rule(
    code="TJ407",
    name="host-function-of-shims",
    state=State.SHIM,
    why=(
        "For files, checkpoints, devices and settings, `shims` has functions with TensorFlow's names and arguments. "
        "These functions run on the host and do not need TensorFlow. `shims` also has `autograph.to_graph` and the "
        "functions of `tf.experimental.numpy`, which are functions of `jax.numpy` with TensorFlow's dtypes. With "
        "`--data shims`, functions for pipelines (`tf.data`), records, images and strings also become functions of "
        "`shims`, if `shims` has all functions of these kinds that the file uses. With `--target shims`, "
        "`tf.summary` becomes `shims.summary`, if `shims.summary` has all summary functions that the file uses; and "
        "`tf.distribute` becomes `shims.distribute`, if `shims.distribute` has all names that the file uses and the "
        "file does not call `fit`."
    ),
    safety=(
        "Files and checkpoints have the same content: TensorFlow and `shims` read each other's files. "
        "`docs/data.md` lists the differences between pipelines of TensorFlow and of `shims`; for example, the "
        "elements of a `shims` pipeline are NumPy arrays."
    ),
    examples=(
        Rewrites(
            "import os\nimport tempfile\nimport tensorflow as tf\n\n"
            "with tempfile.TemporaryDirectory() as folder:\n"
            "    tf.io.gfile.makedirs(os.path.join(folder, 'a'))\n"
            "    y = float(tf.io.gfile.exists(os.path.join(folder, 'a')))\ndel folder\n",
            "import os\nimport tempfile\nimport shims\n\n"
            "with tempfile.TemporaryDirectory() as folder:\n"
            "    shims.io.gfile.makedirs(os.path.join(folder, 'a'))\n"
            "    y = float(shims.io.gfile.exists(os.path.join(folder, 'a')))\ndel folder\n",
        ),
        Rewrites(
            "import tensorflow as tf\n\n"
            "data = tf.data.Dataset.range(3).map(lambda n: tf.cast(n, tf.float32) * 2.0)\n"
            "y = tf.stack(list(data))\ndel data\n",
            "import jax.numpy as jnp\nimport shims\n\n"
            "data = shims.data.Dataset.range(3).map(lambda n: jnp.asarray(n).astype(jnp.float32) * 2.0)\n"
            "y = jnp.stack(list(data))\ndel data\n",
            options=Options(data="shims"),
        ),
        Rewrites(
            "import tensorflow as tf\n\nstrategy = tf.distribute.OneDeviceStrategy('/cpu:0')\n"
            "y = strategy.reduce('SUM', strategy.run(tf.square, [x]), axis=None)\ndel strategy\n",
            "import shims as tf\n\nstrategy = tf.distribute.OneDeviceStrategy('/cpu:0')\n"
            "y = strategy.reduce('SUM', strategy.run(tf.square, [x]), axis=None)\ndel strategy\n",
            options=Options(target="shims"),
        ),
        Leaves(
            "import tensorflow as tf\n\ndata = tf.data.Dataset.range(3)\n",
            because="without `--data shims`, the pipeline still uses TensorFlow (TJ521)",
        ),
    ),
)

IN_PIPELINE = Rule(
    code="TJ504",
    name="function-of-a-pipeline",
    state=State.KEPT,
    why=(
        "This diagnostic reports a name in a function that only a pipeline calls (`data.map(f)`). The pipeline still "
        "uses TensorFlow and passes TensorFlow tensors to the function. JAX's functions do not accept TensorFlow "
        "tensors."
    ),
    safety=(
        "The function is not changed. With `--data shims`, the pipeline and its functions are rewritten together. If "
        "code outside of the pipeline also calls the function, the rewriter rewrites the function. In this case, "
        "write a separate copy of the TensorFlow function for the pipeline."
    ),
    examples=(
        Leaves(
            "import tensorflow as tf\n\n\ndef f(x):\n    return tf.square(x)\n\n\ny = f(x)\nz = data.map(f)\n",
            because="other code calls the function, too",
        ),
    ),
)

PROBABILITY = Rule(
    code="TJ210",
    name="probability-on-jax",
    state=State.REVIEW,
    why=(
        "TensorFlow Probability has a substrate on JAX with the same distributions, bijectors and samplers: "
        "`tensorflow_probability.substrates.jax`."
    ),
    safety=(
        "The import changes, and the calls do not. Methods that draw random numbers, such as `sample`, need "
        "`seed=jax.random.key(...)` and return different numbers than in TensorFlow. Layers and private modules are "
        "not part of the substrate (TJ335)."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\ndef log_prob(x):\n"
            "    import tensorflow_probability as tfp\n\n"
            "    return tfp.distributions.Normal(0.0, 1.0).log_prob(tf.square(x))\n\n\ny = tf.square(x)\n",
            "import jax.numpy as jnp\n\n\ndef log_prob(x):\n"
            "    import tensorflow_probability.substrates.jax as tfp\n\n"
            "    return tfp.distributions.Normal(0.0, 1.0).log_prob(jnp.square(x))\n\n\ny = jnp.square(x)\n",
        ),
        _OPERATOR,
    ),
)

COMPANION = Rule(
    code="TJ335",
    name="library-on-tensorflow",
    state=State.MANUAL,
    why=(
        "This diagnostic reports a library that depends on TensorFlow (Addons, Hub, Sonnet, `tf_keras`). The objects "
        "of such a library compute with TensorFlow. Of `transformers`, only the names that need TensorFlow are "
        "reported, such as `TFBertModel`."
    ),
    safety=("The line is not changed. The finding names a replacement for the library on JAX."),
    examples=(
        Rewrites(
            "import tensorflow_addons as tfa\n\ny = tfa.layers.GELU()\n",
            "# TJ335: tensorflow_addons: the library needs TensorFlow and is no longer maintained: Keras 3 and "
            "Optax have most of the library's layers, losses and optimizers; `keras.ops.image` and "
            "`jax.scipy.ndimage` have most of the image operators\n"
            "import tensorflow_addons as tfa\n\n"
            "y = tfa.layers.GELU()\n",
            runs=False,
        ),
        _OPERATOR,
    ),
)

KEPT_COMPANION = Rule(
    code="TJ505",
    name="library-on-the-host",
    state=State.KEPT,
    why="TensorFlow Datasets and TensorFlow Text prepare data on the host, like a pipeline.",
    safety="The import is not changed. Convert the data of these libraries to NumPy arrays, for example with "
    "`tfds.as_numpy(data)`.",
    examples=(_OPERATOR,),
)

SUMMARY_COMPILED = Rule(
    code="TJ339",
    name="summary-in-compiled-function",
    state=State.MANUAL,
    why=(
        "This diagnostic reports a summary that is written inside a compiled function, or inside a function that a "
        "compiled function of the same file calls. TensorFlow's writer accepts numbers and arrays, but the arrays in "
        "a compiled function are tracers."
    ),
    safety=(
        "The call is not changed. Return the value from the function and write the summary outside of the function, "
        "or use `shims.summary`, which also writes inside a `shims.function`. Use `shims.summary` for the writer and "
        "for all summaries, because TensorFlow's writer does not record summaries of `shims`, and `shims`' writer "
        "does not record summaries of TensorFlow. With `--target shims`, the rewriter uses `shims.summary` in every "
        "file that uses only summary functions that `shims.summary` has."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\n@tf.function\ndef step(x):\n    y = tf.square(x)\n"
            "    tf.summary.scalar('y', y, step=1)\n    return y\n",
            "import tensorflow as tf\n"
            "import jax.numpy as jnp\n"
            "import shims\n\n\n"
            "@shims.function\n"
            "def step(x):\n    y = jnp.square(x)\n    # TJ339: tf.summary.scalar: the function is compiled, and "
            "TensorFlow's writer does not accept traced arrays: return the value and write the summary outside of "
            "the function, or use `shims.summary` for the writer and all summaries (`--target shims`)\n    "
            "tf.summary.scalar('y', y, step=1)\n    return y\n",
            runs=False,
        ),
        Leaves(
            "import tensorflow as tf\n\ntf.summary.scalar('y', tf.square(2.0), step=1)\n",
            because="the call runs eagerly (TJ520)",
        ),
    ),
)

REACHES_JAX = Rule(
    code="TJ338",
    name="kept-tensor-in-jax",
    state=State.MANUAL,
    why=(
        "This diagnostic reports a call that still returns a TensorFlow tensor or a TensorFlow dataset, if the same "
        "file passes the tensor, or an element of the dataset, to a function of JAX. JAX's functions raise an error "
        "for a TensorFlow tensor."
    ),
    safety=(
        "The call is not changed. If the call runs eagerly, convert the result to NumPy arrays: append `.numpy()` "
        "to a tensor, or `.as_numpy_iterator()` to a dataset. A function that a pipeline calls must keep "
        "TensorFlow's operators; the rewriter keeps them if `data.map(f)` is in the same file (TJ504). With `--data "
        "shims`, the call is rewritten and no longer needs TensorFlow."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\nn = tf.strings.length(['a', 'bc'])\ny = tf.square(n)\ndel n\n",
            "import tensorflow as tf\n"
            "import jax.numpy as jnp\n\n"
            "# TJ338: tf.strings.length: the result is passed to JAX functions, which do not accept TensorFlow "
            "tensors: append `.numpy()` if the call runs eagerly, or rewrite the call with `--data shims`\n"
            "n = tf.strings.length(['a', 'bc'])\n"
            "y = jnp.square(n)\n"
            "del n\n",
            runs=False,
        ),
        Leaves(
            "import tensorflow as tf\n\nn = tf.strings.length(['a', 'bc']).numpy()\ny = tf.square(n)\n",
            because="`numpy()` returns an array",
        ),
    ),
)
