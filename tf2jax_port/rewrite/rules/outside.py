"""Define the diagnostics of code outside of array computation: pipelines, files, logs, devices."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.findings.former_layers import layer_advice
from tf2jax_port.rewrite.findings.outside import FAMILIES, find_family
from tf2jax_port.rewrite.rules.rule import Instead, Leaves, Rewrites, Rule

_TF = "import tensorflow as tf\n\n"
_V1 = "import tensorflow.compat.v1 as tf\n\n"
_OPERATOR = Leaves(
    f"{_TF}y = tf.square(x)\n",
    because="`tf.square` computes with numbers, and the rewriter has a replacement for it",
)
_ALONE = (
    "The name and its import are not changed, and a comment marks the line. The other operators in the same code "
    "are rewritten as usual. "
)

_STAYS = (
    "The name and its import are not changed. The other operators in the same code are rewritten. "
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
    """Build a rule with an example in which a line stays and gets a marker comment above it."""
    family = next(family for family in FAMILIES if family.code == code)
    if family.stays:
        examples = (*((instead,) if instead else ()), _OPERATOR)
        return Rule(code, name, State.KEPT, why, _STAYS + safety, examples)
    named = symbol or line[line.index("tf.") :].partition("(")[0]
    path = named.removeprefix("tf.")
    message = layer_advice(path) or (find_family(path) or family).message
    marked = Rewrites(
        f"{head}{line}\n", f"{head}# {code}: {named}: {message}\n{line}\n", runs=False
    )
    examples = (marked, *((instead,) if instead else ()), _OPERATOR)
    return Rule(code, name, State.MANUAL, why, _ALONE + safety, examples)


SUMMARY = _rule(
    "TJ520",
    "summary",
    (
        "A summary writes a number, a histogram or an image to a file for TensorBoard. JAX has no such writer. The "
        "rewritten file still uses TensorFlow's writer, unless `--target shims` converts all summaries to "
        "`shims.summary`."
    ),
    (
        "TensorFlow's writer works outside of compiled code and accepts JAX's arrays, so let the compiled step "
        "return the values (TJ339). `shims.summary` needs no TensorFlow, and also writes inside of `shims.function` "
        "(`docs/summaries.md`)."
    ),
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
    "TJ521",
    "data-pipeline",
    (
        "`tf.data` reads, shuffles and batches data on the host. JAX neither has nor needs a counterpart."
    ),
    (
        "Functions that only the pipeline calls are not changed either (TJ504). Use `as_numpy_iterator()` to get "
        "NumPy arrays from the pipeline. `--data shims` converts pipelines to `shims.data`, which needs no "
        "TensorFlow. Grain is an alternative."
    ),
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
    "TJ522",
    "reading-and-decoding",
    (
        "Records, images, audio and tables are decoded from strings on the host, because JAX's "
        "arrays cannot contain strings."
    ),
    (
        "Code that reads and decodes data usually belongs to a pipeline; convert its result to an array. `--data "
        "shims` converts such code to `shims.io`, which reads records and images without TensorFlow."
    ),
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
    (
        "`tf.io.gfile` and `tf.gfile` access local files and some remote stores. Most functions of these two modules "
        "become functions of `shims.io.gfile` (TJ407). This diagnostic reports the other functions of these modules, "
        "and calls with keywords of early TensorFlow versions."
    ),
    (
        "For local files use `open`, `os.path.exists`, `os.makedirs(exist_ok=True)`, `glob.glob`, `shutil.rmtree`; "
        "for remote files use `shims.io.gfile`, which accepts the same paths as TensorFlow. `shims.io.gfile` reads "
        "remote files with fsspec, if fsspec is installed."
    ),
    "folders = tf.gfile.Walk('names')",
    head=_V1,
    symbol="tf.gfile.Walk",
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
    (
        "A TensorFlow checkpoint identifies variables by the structure of Python objects, or by the names of the "
        "variables in a graph. `tf.train.Checkpoint` and `tf.train.CheckpointManager` become the classes of the same "
        "name in `shims.train`, which read and write the same files (TJ407). The other functions for checkpoints "
        "need a graph of TensorFlow 1, which `shims.compat.v1` builds."
    ),
    (
        "In a program that keeps its sessions, run the rewriter with `--target auto`: `Saver` of `shims.compat.v1` reads "
        "and writes TensorFlow's files. In other code, save the values with `shims.train.Checkpoint`, in a NumPy archive, "
        "or with Orbax. `shims.train.load_variable` reads an old checkpoint (docs/checkpoints.md)."
    ),
    "saver = tf.train.Saver()",
    head=_V1,
    symbol="tf.train.Saver",
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
    "TJ525",
    "training-loop",
    "Estimators, supervisors, hooks, queues and monitored sessions run a loop around a graph.",
    (
        "Write the loop in Python: read a batch, call the compiled step, and write summaries and checkpoints at "
        "intervals. Move the code of a hook into the loop. The command `tf2jax-port import-graph --run` writes the "
        "training step of a program that calls `Estimator.train` as plain JAX code (docs/way_out.md)."
    ),
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
    (
        "A strategy copies variables to all devices and sums the results of the devices. In JAX one program runs on "
        "all devices, and the sharding of each array says where the array is stored."
    ),
    (
        "Create a mesh, specify how the batch is sharded over the mesh, and compile the step with `jax.jit`; the "
        "compiler inserts the sums between devices. With `--target shims`, a program with its own training loop keeps "
        "its strategy (TJ407). `fit` of Keras on JAX ignores strategies, and trains on one device: call "
        "`keras.distribution.set_distribution(keras.distribution.DataParallel())` before the model is built, and use "
        "batches that all devices can share equally (docs/devices.md)."
    ),
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
    ("TensorFlow implicitly scales losses and changes graphs to use smaller floating-point types."),
    (
        "In JAX, mixed precision is explicit: cast parameters and inputs inside the loss, and keep the original "
        "parameters in float32. With bfloat16, no scaling is needed. With float16, multiply the loss by a scale, "
        "divide the gradients by the same scale, and skip each step in which a gradient is not finite."
    ),
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
    (
        "In TensorFlow 1, `tf.contrib`, slim, `tf.layers`, recurrent cells, `tf.losses` and `tf.metrics` create "
        "variables by name in a graph. TensorFlow 2 has dropped some of these modules and functions."
    ),
    (
        "Keras 3 has layers, cells, losses and metrics with these names, but some defaults differ, so compare the "
        "results. For example, the momentum of `tf.layers.batch_normalization` is 0.99, and the decay of "
        "`slim.batch_norm` is 0.999. Flax is an alternative. The finding names the corresponding layers of Keras 3 "
        "and Flax, and the defaults that differ. With `--target graph`, the file runs as a graph program."
    ),
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
    (
        "`tf.flags` and `tf.app` wrap absl-py. Functions that are the same in absl are rewritten (TJ115, TJ209); "
        "this diagnostic reports all others."
    ),
    (
        "Run `pip install absl-py`, then use `from absl import app, flags`: the functions have "
        "the same names and arguments. There are two differences: absl's flags have no values "
        "before `app.run` has parsed the command line, and `app.run` rejects undefined flags."
    ),
    "tf.flags.DEFINE_string('name', default_value='a')",
    head=_V1,
    symbol="tf.flags.DEFINE_string",
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
    (
        "`tf.test.TestCase` is `absltest.TestCase` with additional methods for comparing arrays, for sessions and "
        "for seeds."
    ),
    (
        "Derive from `shims.test.TestCase`, which is a `unittest.TestCase` with TensorFlow's methods "
        "(`assertAllClose`, `assertAllEqual`, `evaluate`, `get_temp_dir` and others) and tolerances. The methods "
        "`session` and `cached_session` exist only in `shims.compat.v1.test.TestCase`, for graph programs. Without "
        "`shims`, derive from `absl.testing.parameterized.TestCase` or `unittest.TestCase`: "
        "`assertAllClose` becomes `np.testing.assert_allclose(actual, desired, rtol=1e-6, "
        "atol=1e-6)` (NumPy's own defaults differ), `assertAllEqual` becomes "
        "`np.testing.assert_array_equal`, and `self.evaluate(y)` becomes `y`."
    ),
    "class Test(tf.test.TestCase): pass",
    symbol="tf.test.TestCase",
    instead=Instead(
        f"{_TF}case = tf.test.TestCase()\ncase.assertAllClose(x, x + 1e-7)\ny = x + 0.0\ndel case\n",
        "import numpy as np\n\nnp.testing.assert_allclose(x, x + 1e-7, rtol=1e-6, atol=1e-6)\n"
        "y = x + 0.0\n",
    ),
)

CONFIGURATION = _rule(
    "TJ531",
    "configuration",
    "These names configure sessions, devices and profiling, or give TensorFlow's version.",
    (
        "Most functions of `tf.config`, such as `list_physical_devices`, become functions of `shims.config` (TJ407). "
        "Configure JAX with `jax.config.update`, `JAX_PLATFORMS` and `XLA_FLAGS` before JAX computes. JAX preallocates GPU memory unless `XLA_PYTHON_CLIENT_PREALLOCATE=false`. "
        "For profiling use `jax.profiler.trace`."
    ),
    "config = tf.compat.v1.ConfigProto()",
    symbol="tf.compat.v1.ConfigProto",
    instead=Instead(
        f"{_TF}config = tf.compat.v1.ConfigProto()\nconfig.gpu_options.allow_growth = True\n"
        "y = tf.square(x)\ndel config\n",
        "import os\n\nos.environ['XLA_PYTHON_CLIENT_PREALLOCATE'] = 'false'\n"
        "import jax.numpy as jnp\n\ny = jnp.square(x)\n",
    ),
)

STORED = _rule(
    "TJ332",
    "stored-program",
    ("SavedModels, TensorFlow Lite models and graph definitions are TensorFlow programs in files."),
    (
        "`shims.saved_model` saves modules with their variables and functions, in its own file format. `jax.export` "
        "stores a compiled function and its shapes; the weights can be stored in the same file or in another file. "
        "If a SavedModel is required, `jax2tf` creates one. To use a stored model of TensorFlow, run `tf2jax-port "
        "import-graph`, which converts a SavedModel or a frozen graph to JAX code (docs/import_graph.md), or "
        "`tf2jax-port weights`, which extracts the arrays (docs/checkpoints.md)."
    ),
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
    (
        "Feature columns and some string functions work with text, which JAX's arrays cannot contain. Functions of "
        "`tf.strings` and tables of `tf.lookup` are not changed (TJ501), or become functions of `shims.strings` and "
        "`shims.lookup`, which run on the host (TJ407)."
    ),
    (
        "Convert words to numbers before you pass them to JAX: with `shims.lookup.StaticHashTable`, in the "
        "pipeline, or with a dictionary. The layers of Keras 3 that look up or hash words need TensorFlow (TJ233)."
    ),
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
    (
        "Modules below `tensorflow.python`, `tensorflow.core` and similar packages are private "
        "to TensorFlow and change with every version. Operators that also have a public name "
        "are recognized."
    ),
    "Use the public name if there is one, then run the rewriter again.",
    "y = core_pb2.NodeDef()",
    head="from tensorflow.core.framework import node_def_pb2 as core_pb2\n\n",
    symbol="tf.core.framework.node_def_pb2.NodeDef",
)

REFUSED = (
    *(FILES, CHECKPOINT, DISTRIBUTION, SCALING, DROPPED, ABSL, TESTS, STORED, WORDS, PRIVATE),
)
KEPT = (SUMMARY, DATA, READING, LOOP, CONFIGURATION)
