"""Diagnostics of what stands around computing: pipelines, files, logs, devices, old training loops."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.findings.outside import FAMILIES
from tf2jax_port.rewrite.rules.rule import Instead, Leaves, Rewrites, Rule

_TF = "import tensorflow as tf\n\n"
_V1 = "import tensorflow.compat.v1 as tf\n\n"
_OPERATOR = Leaves(f"{_TF}y = tf.square(x)\n", because="an operator has a row in the table")
_ALONE = (
    "Nothing changes: the name and its import stay, and a comment marks the place. The operators "
    "around it are rewritten like any others. "
)


def _rule(
    code: str,
    name: str,
    why: str,
    safety: str,
    line: str,
    *,
    head: str = _TF,
    symbol: str = "",
    instead: Instead | None = None,
) -> Rule:
    """A rule whose first example is one line that stays as it is, under its marker."""
    message = next(family.message for family in FAMILIES if family.code == code)
    named = symbol or line[line.index("tf.") :].partition("(")[0]
    marked = Rewrites(
        f"{head}{line}\n", f"{head}# {code}: {named}: {message}\n{line}\n", runs=False
    )
    examples = (marked, *((instead,) if instead else ()), _OPERATOR)
    return Rule(code, name, State.MANUAL, why, _ALONE + safety, examples)


SUMMARY = _rule(
    "TJ320",
    "summary",
    "A summary writes a number, a histogram or a picture to a file for TensorBoard. JAX has no such "
    "writer, and a compiled function writes nothing.",
    "TensorFlow's writer goes on working, outside of compiled code, and takes JAX's arrays. Return "
    "from the compiled step what is to be written.",
    "writer = tf.summary.create_file_writer('logs')",
    instead=Instead(
        f"{_TF}y = tf.reduce_mean(x)\nwith tf.summary.create_noop_writer().as_default():\n"
        "    tf.summary.write('loss', y, step=1)\n",
        "import jax.numpy as jnp\nimport tensorflow as tf\n\ny = jnp.mean(x)\n"
        "with tf.summary.create_noop_writer().as_default():\n"
        "    tf.summary.write('loss', float(y), step=1)\n",
    ),
)

DATA = _rule(
    "TJ321",
    "data-pipeline",
    "`tf.data` reads, shuffles and batches on the host. It has no counterpart in JAX and needs none.",
    "Let the pipeline be TensorFlow, functions in `map` included, and take NumPy arrays out of it. "
    "Grain is a pipeline without TensorFlow.",
    "data = tf.data.Dataset.range(6)",
    symbol="tf.data.Dataset.range",
    instead=Instead(
        f"{_TF}data = tf.data.Dataset.range(6).map(lambda n: tf.cast(n, tf.float32)).batch(2)\n"
        "y = tf.stack([tf.reduce_sum(rows) for rows in data])\ndel data\n",
        "import jax.numpy as jnp\nimport tensorflow as tf\n\n"
        "data = tf.data.Dataset.range(6).map(lambda n: tf.cast(n, tf.float32)).batch(2)\n"
        "y = jnp.stack([jnp.sum(jnp.asarray(rows)) for rows in data.as_numpy_iterator()])\ndel data\n",
    ),
)

READING = _rule(
    "TJ322",
    "reading-and-decoding",
    "Records, pictures, sounds and tables are read and decoded on the host, from strings, of which "
    "JAX has no arrays.",
    "Leave it where it is, mostly inside of a pipeline, and make the result an array. Without "
    "TensorFlow: Pillow, `soundfile`, `csv`.",
    "y = tf.io.decode_raw(text, 'float32')",
    symbol="tf.io.decode_raw",
    instead=Instead(
        f"{_TF}text = tf.io.serialize_tensor(x)\ny = tf.square(tf.io.parse_tensor(text, tf.float32))\n"
        "del text\n",
        "import jax.numpy as jnp\nimport tensorflow as tf\n\n"
        "text = tf.io.serialize_tensor(x)\n"
        "y = jnp.square(jnp.asarray(tf.io.parse_tensor(text, tf.float32).numpy()))\ndel text\n",
    ),
)

FILES = _rule(
    "TJ323",
    "files",
    "`tf.io.gfile` and `tf.gfile` are files of the machine, and those of a few remote stores.",
    "For files of the machine write `open`, `os.path.exists`, `os.makedirs(exist_ok=True)`, "
    "`glob.glob`, `shutil.rmtree`; for remote ones `etils.epath`, which reads the same addresses. "
    "Nothing here is rewritten, because a text does not say which files its names are.",
    "file = tf.io.gfile.GFile('names.txt')",
    instead=Instead(
        "import os\nimport tempfile\n\nimport tensorflow as tf\n\n"
        "with tempfile.TemporaryDirectory() as folder:\n    name = os.path.join(folder, 'a', 'n.txt')\n"
        "    tf.io.gfile.makedirs(os.path.dirname(name))\n"
        "    with tf.io.gfile.GFile(name, 'w') as file:\n        file.write('3')\n"
        "    y = tf.io.gfile.exists(name) and float(tf.io.gfile.GFile(name).read())\n"
        "del file, folder, name\n",
        "import os\nimport tempfile\n\n"
        "with tempfile.TemporaryDirectory() as folder:\n    name = os.path.join(folder, 'a', 'n.txt')\n"
        "    os.makedirs(os.path.dirname(name), exist_ok=True)\n"
        "    with open(name, 'w') as file:\n        file.write('3')\n"
        "    with open(name) as file:\n        y = os.path.exists(name) and float(file.read())\n"
        "del file, folder, name\n",
    ),
)

CHECKPOINT = _rule(
    "TJ324",
    "checkpoint",
    "A checkpoint of TensorFlow names the variables of Python objects, or of a graph.",
    "Write the values: a NumPy archive, or Orbax for large and sharded ones. Values of an old "
    "checkpoint are read once, in TensorFlow, with `tf.train.load_variable`.",
    "saved = tf.train.Checkpoint(model=model)",
    instead=Instead(
        "import os\nimport tempfile\n\nimport tensorflow as tf\n\n"
        "v = tf.Variable(x)\nwith tempfile.TemporaryDirectory() as folder:\n"
        "    path = tf.train.Checkpoint(v=v).write(os.path.join(folder, 'saved'))\n"
        "    v.assign(x + 1.0)\n    tf.train.Checkpoint(v=v).read(path)\n"
        "y = v + 0.0\ndel folder, path, v\n",
        "import os\nimport tempfile\n\nimport numpy as np\nimport shims\n\n"
        "v = shims.Variable(x)\nwith tempfile.TemporaryDirectory() as folder:\n"
        "    path = os.path.join(folder, 'saved.npz')\n    np.savez(path, v=v.numpy())\n"
        "    v.assign(x + 1.0)\n    with np.load(path) as archive:\n        v.assign(archive['v'])\n"
        "y = v + 0.0\ndel archive, folder, path, v\n",
    ),
)

LOOP = _rule(
    "TJ325",
    "training-loop",
    "Estimators, supervisors, hooks, queues and monitored sessions run a loop around a graph.",
    "Write the loop in Python: take a batch, call the compiled step, every so often write a summary "
    "and a checkpoint. What a hook did stands in the loop.",
    "spec = tf.estimator.EstimatorSpec(mode)",
    symbol="tf.estimator.EstimatorSpec",
    instead=Instead(
        f"{_TF}w = tf.Variable(0.0)\nfor _ in range(3):\n    with tf.GradientTape() as tape:\n"
        "        loss = tf.square(w - 1.0)\n    w.assign_sub(0.1 * tape.gradient(loss, w))\n"
        "y = w + 0.0\ndel tape, w\n",
        "import jax\n\n\n@jax.jit\ndef step(w):\n"
        "    loss, slope = jax.value_and_grad(lambda w: (w - 1.0) ** 2)(w)\n"
        "    return w - 0.1 * slope, loss\n\n\ny = 0.0\nfor _ in range(3):\n    y, loss = step(y)\n",
    ),
)

DISTRIBUTION = _rule(
    "TJ326",
    "distribution",
    "A strategy copies variables to devices and adds up what they compute. In JAX one program runs "
    "on all devices, and where an array lies is a property of the array.",
    "Make a mesh, say how the batch lies on it, and compile the step with `jax.jit`; the sums between "
    "devices are the compiler's business.",
    "strategy = tf.distribute.MirroredStrategy()",
    instead=Instead(
        f"{_TF}strategy = tf.distribute.OneDeviceStrategy('/cpu:0')\n"
        "y = strategy.reduce('SUM', strategy.run(tf.square, [x]), axis=None)\ndel strategy\n",
        "import jax\nimport jax.numpy as jnp\n\n"
        "mesh = jax.sharding.Mesh(jax.devices()[:1], ['batch'])\n"
        "rows = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec('batch'))\n"
        "y = jax.jit(jnp.square)(jax.device_put(x, rows))\ndel mesh, rows\n",
    ),
)

SCALING = _rule(
    "TJ327",
    "mixed-precision",
    "Loss scaling and the rewriting of graphs to smaller floating-point types are done by TensorFlow "
    "behind the program's back.",
    "In JAX the program says it: cast parameters and inputs inside the loss, keep the originals in "
    "float32. bfloat16 needs no scaling. For float16 multiply the loss by a scale, divide the "
    "gradients, and leave a step out when one of them is not finite.",
    "scale = tf.mixed_precision.FixedLossScale(8.0)",
    head=_V1,
    instead=Instead(
        f"{_TF}v = tf.Variable(x)\nwith tf.GradientTape() as tape:\n"
        "    loss = tf.reduce_sum(tf.square(tf.cast(v, tf.float16)))\n    scaled = loss * 8.0\n"
        "y = tape.gradient(scaled, v) / 8.0\ndel tape, v, loss, scaled\n",
        "import jax\nimport jax.numpy as jnp\n\n\ndef scaled(x):\n"
        "    return 8.0 * jnp.sum(jnp.square(x.astype(jnp.float16)))\n\n\n"
        "y = jax.grad(scaled)(x) / 8.0\n",
    ),
)

DROPPED = _rule(
    "TJ328",
    "dropped-by-tensorflow-2",
    "`tf.contrib`, slim, `tf.layers`, cells, `tf.losses` and `tf.metrics` of TensorFlow 1 make "
    "variables in a graph by name, or are not there at all any more.",
    "Keras 3 has layers, cells, losses and metrics of these names; the defaults are not the same "
    "everywhere (`tf.layers.batch_normalization` has `momentum=0.99`, slim's has 0.999), so compare "
    "before you trust. Flax is the other way.",
    "y = tf.layers.dense(x, 8)",
    head=_V1,
    symbol="tf.layers.dense",
    instead=Instead(
        f"{_V1}y = tf.losses.mean_squared_error(tf.ones([2, 3]), x)\n",
        "import jax.numpy as jnp\n\ny = jnp.mean(jnp.square(x - 1.0))\n",
    ),
)

ABSL = _rule(
    "TJ329",
    "flags-and-app",
    "`tf.flags` and `tf.app` are thin covers of absl-py.",
    "`pip install absl-py`, then `from absl import app, flags`: the functions have the same names "
    "and arguments. Two things differ: absl's flags have no values before `app.run` has parsed the "
    "command line, and `app.run` refuses flags that nobody defined.",
    "tf.app.run(main)",
    head=_V1,
    symbol="tf.app.run",
    instead=Instead(
        f"{_V1}values = tf.flags.FlagValues()\ntf.flags.DEFINE_integer('n', 3, 'how many', flag_values=values)\n"
        "values(['program', '--n=4'])\ny = float(values.n)\ndel values\n",
        "from absl import flags\n\nvalues = flags.FlagValues()\n"
        "flags.DEFINE_integer('n', 3, 'how many', flag_values=values)\n"
        "values(['program', '--n=4'])\ny = float(values.n)\ndel values\n",
    ),
)

TESTS = _rule(
    "TJ330",
    "test-case",
    "`tf.test.TestCase` is `absltest.TestCase` with comparisons of arrays, sessions and seeds.",
    "Derive from `absl.testing.parameterized.TestCase` or `unittest.TestCase`. `assertAllClose` is "
    "`np.testing.assert_allclose(actual, desired, rtol=1e-6, atol=1e-6)` (NumPy's own defaults are "
    "others), `assertAllEqual` is `np.testing.assert_array_equal`, `self.evaluate(y)` is `y`.",
    "class Test(tf.test.TestCase): pass",
    symbol="tf.test.TestCase",
    instead=Instead(
        f"{_TF}case = tf.test.TestCase()\ncase.assertAllClose(x, x + 1e-7)\ny = x + 0.0\ndel case\n",
        "import numpy as np\n\nnp.testing.assert_allclose(x, x + 1e-7, rtol=1e-6, atol=1e-6)\n"
        "y = x + 0.0\n",
    ),
)

CONFIGURATION = _rule(
    "TJ331",
    "configuration",
    "Options of sessions, devices, profiles, and the version of TensorFlow.",
    "JAX is configured with `jax.config.update`, `JAX_PLATFORMS` and `XLA_FLAGS` before it computes; "
    "memory is taken in advance unless `XLA_PYTHON_CLIENT_PREALLOCATE=false`. `jax.profiler.trace` "
    "profiles.",
    "devices = tf.config.list_physical_devices('CPU')",
    symbol="tf.config.list_physical_devices",
    instead=Instead(
        f"{_TF}y = len(tf.config.list_physical_devices('CPU')) > 0\n",
        "import jax\n\ny = len(jax.devices('cpu')) > 0\n",
    ),
)

STORED = _rule(
    "TJ332",
    "stored-program",
    "SavedModels, TensorFlow Lite and graph definitions are programs of TensorFlow in a file.",
    "`jax.export` stores a compiled function with its shapes, weights inside or beside it. Where a "
    "SavedModel is asked for, `jax2tf` makes one of it.",
    "tf.saved_model.save(module, 'model')",
    symbol="tf.saved_model.save",
    instead=Instead(
        "import tempfile\n\nimport tensorflow as tf\n\nmodule = tf.Module()\n"
        "module.f = tf.function(lambda x: tf.square(x), [tf.TensorSpec([None, 3])])\n"
        "with tempfile.TemporaryDirectory() as folder:\n    tf.saved_model.save(module, folder)\n"
        "    y = tf.saved_model.load(folder).f(x)\ndel folder, module\n",
        "import jax\nimport jax.numpy as jnp\nfrom jax import export\n\n"
        "(rows,) = export.symbolic_shape('rows')\n"
        "stored = export.export(jax.jit(jnp.square))(jax.ShapeDtypeStruct([rows, 3], jnp.float32))\n"
        "text = stored.serialize()\ny = export.deserialize(text).call(x)\ndel rows, stored, text\n",
    ),
)

WORDS = _rule(
    "TJ333",
    "words-and-tables",
    "Strings, lookup tables and feature columns work with text. JAX has no arrays of text.",
    "Turn words into numbers before they reach JAX: in the pipeline, or with a dictionary.",
    "column = tf.feature_column.numeric_column('size')",
    symbol="tf.feature_column.numeric_column",
    instead=Instead(
        f"{_TF}table = tf.lookup.StaticHashTable(\n"
        "    tf.lookup.KeyValueTensorInitializer(['a', 'b'], [1.0, 2.0]), 0.0\n)\n"
        "y = table.lookup(tf.constant(['b', 'c']))\ndel table\n",
        "import numpy as np\n\ntable = {'a': 1.0, 'b': 2.0}\n"
        "y = np.array([table.get(word, 0.0) for word in ['b', 'c']], np.float32)\ndel table\n",
    ),
)

PRIVATE = _rule(
    "TJ334",
    "private-name",
    "Modules below `tensorflow.python`, `tensorflow.core` and the like are TensorFlow's own and "
    "change with every version. Operators that have a public name as well are found.",
    "Write the public name where there is one, then run the rewriter again.",
    "y = core_pb2.NodeDef()",
    head="from tensorflow.core.framework import node_def_pb2 as core_pb2\n\n",
    symbol="tf.core.framework.node_def_pb2.NodeDef",
)

RULES = (
    *(SUMMARY, DATA, READING, FILES, CHECKPOINT, LOOP, DISTRIBUTION, SCALING, DROPPED, ABSL, TESTS),
    *(CONFIGURATION, STORED, WORDS, PRIVATE),
)
