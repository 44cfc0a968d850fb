"""What becomes of names of Keras that no program can show: imports, refusals, places left alone."""

import json
import pathlib

import pytest

from tests.facade.test_keras import run as run_process
from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.knowledge.keras_gone import REASONS, why_gone
from tf2jax_port.rewrite.knowledge.keras_rows import NEEDS_TENSORFLOW, find_row
from tf2jax_port.rewrite.knowledge.known import rows
from tf2jax_port.rewrite.names.keras_names import LEFT_OVER, MODULES, PARAMS, RENAMED
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.sites.keras import OTHERWISE_IN_KERAS_2
from tf2jax_port.rewrite.writing.template import parse_template
from tf2jax_port.table.keras_backend import ROWS
from tf2jax_port.table.keras_ops import OPERATORS


def text(code, options=None, **kinds):
    return rewrite(code.encode(), options or Options(), **kinds).data.decode()


def findings(code):
    return rewrite(code.encode()).findings


def test_every_name_of_tensorflows_keras_has_a_row():
    names = [*PARAMS, *RENAMED, *LEFT_OVER]
    assert [name for name in names if find_row(f"keras.{name}", 2) is None] == []


def test_what_is_renamed_or_needs_tensorflow_exists():
    assert [name for name in (*RENAMED.values(), *NEEDS_TENSORFLOW) if name not in PARAMS] == []


# Programs, with the layers that raise an error where TensorFlow is not installed.
BLOCKED = """
import importlib.abc, sys

class Block(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "tensorflow":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Block())
import keras, numpy as np
from keras import layers, utils
from keras.export import ExportArchive

def needs_tensorflow(f):
    try:
        f()
    except (ImportError, NotImplementedError):
        return True
    return False

"""
NEED = {
    "layers.Discretization": "layers.Discretization(num_bins=3).adapt(np.arange(8.0))",
    "layers.Hashing": "layers.Hashing(3)([1])",
    "layers.HashedCrossing": "layers.HashedCrossing(3)(([1], [2]))",
    "layers.IntegerLookup": "layers.IntegerLookup(vocabulary=[1])([1])",
    "layers.StringLookup": "layers.StringLookup(vocabulary=['a'])(['a'])",
    "layers.TextVectorization": "layers.TextVectorization()(['a'])",
    "layers.TFSMLayer": "layers.TFSMLayer('model')",
    "utils.FeatureSpace": "utils.FeatureSpace({'a': 'float'})({'a': np.ones(3)})",
    "utils.split_dataset": "utils.split_dataset(np.arange(9), 0.5)",
    "utils.timeseries_dataset_from_array": "utils.timeseries_dataset_from_array(np.arange(9), None, 3)",
    "export.ExportArchive": "ExportArchive()",
}
NEED_NOT = (
    "layers.Discretization([0.0, 1.0])(np.ones((2, 2)))",
    "layers.Normalization().adapt(np.ones((4, 2)))",
    "layers.Normalization(mean=0.0, variance=1.0)(np.ones((2, 2)))",
    "layers.CategoryEncoding(4)(np.array([1, 2]))",
    "layers.Rescaling(2.0)(np.ones((2, 2)))",
    "layers.RandomFlip()(np.ones((1, 4, 4, 3)))",
    "layers.Resizing(2, 2)(np.ones((1, 4, 4, 3)))",
)


def test_what_needs_tensorflow():
    """In a process in which it cannot be imported; names of folders need files, the callback a training."""
    names = {n for n in NEEDS_TENSORFLOW if "_from_directory" not in n and "preprocessing" not in n}
    assert names - {"callbacks.TensorBoard"} == set(NEED)
    lines = [f"assert needs_tensorflow(lambda: {call}), {call!r}" for call in NEED.values()]
    lines += [f"assert not needs_tensorflow(lambda: {call}), {call!r}" for call in NEED_NOT]
    run_process(BLOCKED + "\n".join(lines), KERAS_BACKEND="jax")


def test_reasons_are_of_names_that_are_gone():
    # A reason for a name that Keras 3 has would never be told.
    assert [name for name, _ in REASONS if name in PARAMS] == []
    assert len({name for name, _ in REASONS}) == len(REASONS)
    assert why_gone("layers.experimental.preprocessing.Rescaling") == why_gone(
        "layers.experimental"
    )
    assert why_gone("layers.Dense") == ""


def test_functions_of_the_old_back_end_are_left_over_from_keras_2():
    old = [row.name.removeprefix("keras.") for row in ROWS]
    assert sorted(set(old) - LEFT_OVER) == []


@pytest.mark.parametrize("target", [row.target for row in ROWS], ids=lambda t: t.expression)
def test_expressions_use_keras_3(target):
    template = parse_template(target.expression, target.optional)
    assert template.names <= {"keras", "len", "tuple", "isinstance", "shims"}
    dotted = target.expression.partition("keras.ops.")[2].partition("(")[0]
    assert not dotted or f"ops.{dotted}" in PARAMS


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_of_symbolic_tensors_have_the_parameters_of_their_rows(name):
    target = OPERATORS[name]
    parameters = {part.split("=")[0].strip() for part in (rows()[name].params or "").split(",")}
    assert set(target.fields) <= parameters
    assert target.expression.partition("(")[0].removeprefix("keras.") in PARAMS


MOVED = {
    "from tensorflow.keras import layers\n\nlayers.Dense(1)\n": (
        "from keras import layers\n\nlayers.Dense(1)\n"
    ),
    "from tensorflow import keras\n\nkeras.Input((1,))\n": ("import keras\n\nkeras.Input((1,))\n"),
    "from tensorflow import keras as k\n\nk.Input((1,))\n": (
        "import keras as k\n\nk.Input((1,))\n"
    ),
    "import tensorflow.keras as K\n\nK.Input((1,))\n": "import keras as K\n\nK.Input((1,))\n",
    "import os, tensorflow.keras.layers as L\n\nL.Dense(os.environ)\n": (
        "import os, keras.layers as L\n\nL.Dense(os.environ)\n"
    ),
    "from tensorflow.compat.v2.keras.layers import Dense as D, ReLU\n\nD(1)\n": (
        "from keras.layers import Dense as D\n\nD(1)\n"
    ),
    "def f():\n    from tensorflow.keras import losses\n    return losses.MeanSquaredError()\n": (
        "def f():\n    from keras import losses\n    return losses.MeanSquaredError()\n"
    ),
    # The module has another name, so what needs `keras` itself uses that.
    "import tensorflow.keras as K\nimport tensorflow as tf\n\nK.Input((1,))\ntf.keras.Model()\n": (
        "import keras as K\n\nK.Input((1,))\nK.Model()\n"
    ),
    # `mean` is not a name of Keras 3; `floatx` is.
    "import tensorflow.keras.backend as K\n\ny = K.mean(x, 0), K.floatx()\n": (
        "import keras.backend as K\nimport keras\n\ny = keras.ops.mean(x, axis=0), K.floatx()\n"
    ),
}
STAYS = {
    "a name is gone": "from tensorflow.keras.layers import ThresholdedReLU\n\nThresholdedReLU()\n",
    "a module is gone": "from tensorflow.keras.preprocessing import text\n\ntext.Tokenizer()\n",
    "the statement brings more": "import tensorflow.keras\n\nx = 1\n",
    "a private copy": "from tensorflow.python.keras import layers\n\nlayers.Dense(1)\n",
    "Keras under its own name": "from keras import layers\n\nlayers.Dense(1)\n",
    "a comment keeps it": "from tensorflow.keras import layers  # tf2jax: ignore\n\nlayers.Dense(1)\n",
    "nobody uses it": "from tensorflow.keras import layers  # noqa: F401\n",
}


@pytest.mark.parametrize("code", MOVED)
def test_an_import_moves(code):
    assert text(code) == MOVED[code]
    assert text(MOVED[code]) == MOVED[code]


@pytest.mark.parametrize("reason", STAYS)
def test_an_import_stays(reason):
    statement = STAYS[reason].partition("\n")[0]
    assert text(STAYS[reason]).startswith(statement)


def test_a_name_beside_one_that_is_gone_is_written_out():
    code = "from tensorflow.keras.layers import Dense, ThresholdedReLU\n\nDense(1)\nThresholdedReLU()\n"
    after = text(code)
    assert "from tensorflow.keras.layers import ThresholdedReLU\n" in after
    assert "import keras\n" in after
    assert "keras.layers.Dense(1)\n# TJ340: tf.keras.layers.ThresholdedReLU: " in after


def test_another_keras_in_the_file_keeps_its_name():
    code = "import mine as keras\nimport tensorflow as tf\n\ntf.keras.Input((keras.n,))\n"
    assert text(code) == (
        "import mine as keras\nimport keras as keras_\n\nkeras_.Input((keras.n,))\n"
    )


def test_an_alias_of_a_module_goes():
    code = "import tensorflow as tf\n\nL = tf.keras.layers\ny = L.Dense(1)\n"
    assert text(code) == "import keras\n\ny = keras.layers.Dense(1)\n"


REFUSED = {
    "tf.keras.optimizers.Adam(decay=0.1)": (
        "TJ302",
        "the rewriter does not support the argument `decay`; write a schedule as `learning_rate=`: "
        "`keras.optimizers.schedules.InverseTimeDecay`",
    ),
    "tf.keras.layers.LSTM(3, time_major=True)": (
        "TJ302",
        "the rewriter does not support the argument `time_major`; swap the first two axes of the input",
    ),
    "tf.keras.layers.Dense()": ("TJ302", "the argument `units` is not given"),
    "tf.keras.utils.multi_gpu_model(m)": ("TJ340", "write `keras.distribution.DataParallel`"),
    "tf.keras.no_such_name()": ("TJ340", "Keras 3 has no such name"),
    "tf.keras.optimizers.legacy.Optimizer": ("TJ340", why_gone("optimizers.legacy")),
    "tf.keras.optimizers.legacy.Adam(decay=0.1)": (
        "TJ302",
        "the rewriter does not support the argument `decay`; write a schedule as `learning_rate=`: "
        "`keras.optimizers.schedules.InverseTimeDecay`",
    ),
    "tf.keras.preprocessing.image.ImageDataGenerator()": (
        "TJ340",
        why_gone("preprocessing.image"),
    ),
    "g(tf.keras.backend)": ("TJ304", "a module of TensorFlow is passed on as a value"),
}


def names_of_keras_2():
    return json.loads(pathlib.Path(__file__).with_name("keras_2_names.json").read_text())["lacking"]


@pytest.mark.parametrize("name", names_of_keras_2())
def test_a_name_of_keras_2_is_rewritten_or_its_replacement_is_named(name):
    findings = rewrite(f"import tensorflow as tf\ny = f(tf.keras.{name})\n".encode()).findings
    finding = next(f for f in findings if f.symbol.startswith("tf.keras"))
    if finding.code == "TJ340":
        assert why_gone(name)
        assert why_gone(name) in finding.message
    else:
        assert finding.code in ("TJ102", "TJ112", "TJ230", "TJ231", "TJ401", "TJ402", "TJ304")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tf.keras.backend.relu(x, max_value=6)", "shims.keras.backend.relu(x, max_value=6)"),
        ("f(tf.keras.backend.mean)", "f(shims.keras.backend.mean)"),
        ("tf.keras.backend.foldl(f, x)", "shims.keras.backend.foldl(f, x)"),
        ("tf.keras.backend.update(v, x)", "v.assign(x)"),
        (
            "tf.keras.layers.experimental.preprocessing.Rescaling(2.0)",
            "keras.layers.Rescaling(2.0)",
        ),
        ("tf.keras.optimizers.experimental.Adam(0.1)", "keras.optimizers.Adam(0.1)"),
    ],
)
def test_functions_of_keras_2_are_those_of_shims_or_have_moved(before, after):
    assert text(f"import tensorflow as tf\n\ny = {before}\n").endswith(f"y = {after}\n")


@pytest.mark.parametrize(
    ("code", "after"),
    [
        ("y = tf.keras.backend.maximum(a, b)", "y = shims.keras.backend.maximum(a, b)"),
        ("y = tf.keras.backend.exp(a)", "y = keras.ops.exp(a)"),
        # A symbolic tensor is for `keras.ops` only.
        ("a = tf.keras.Input((3,))\ny = tf.keras.backend.abs(a)", "y = keras.ops.abs(a)"),
    ],
)
def test_exact_functions_of_the_back_end(code, after):
    exact = rewrite(f"import tensorflow as tf\n\n{code}\n".encode(), Options(exact=True))
    assert exact.data.decode().endswith(f"{after}\n")


def test_a_selection_is_for_shims():
    code = "m = tf.boolean_mask(x, x > 0)\ny = tf.keras.backend.ones_like(m)"
    assert "y = shims.keras.backend.ones_like(m)" in text(f"import tensorflow as tf\n\n{code}\n")


@pytest.mark.parametrize("code", REFUSED)
def test_refused(code):
    (finding,) = findings(f"import tensorflow as tf\n\n{code}\n")
    assert (finding.code, finding.message) == REFUSED[code]
    assert finding.state is State.MANUAL


def test_optimizers_of_keras_2_become_those_of_keras_3():
    code = "import os\nimport tensorflow as tf\n\nos.environ['KERAS_BACKEND'] = 'jax'\n"
    code += "o = tf.keras.optimizers.legacy.RMSprop(1e-3)\n"
    assert "o = keras.optimizers.RMSprop(1e-3)" in text(code)
    (finding,) = findings(code)
    assert (finding.code, finding.state) == ("TJ231", State.REVIEW)
    assert "`epsilon` outside of the square root" in finding.message


HEAD = "import tensorflow as tf\n\nmodel = tf.keras.Sequential([])\n"
TAPE = "    with tf.GradientTape() as tape:\n        loss = model(x)\n"
STEPS = {
    "own step": "import tensorflow as tf\n\n\nclass M(tf.keras.Model):\n    def train_step(self, d): ...\n",
    "minimize": "import tensorflow as tf\n\no = tf.optimizers.SGD()\no.minimize(f, [w])\n",
}
FREE = {
    "by an array": f"{HEAD}def f(x):\n{TAPE}    tape.gradient(loss, x)\n",
    "by weights": f"{HEAD}def f(x):\n{TAPE}    tape.gradient(loss, model.trainable_weights)\n",
    "another class": "import tensorflow as tf\n\n\nclass M(tf.Module):\n    def train_step(self, d): ...\n",
    "a layer": (
        "import tensorflow as tf\n\n\n"
        "class M(tf.keras.layers.Layer):\n    def train_step(self, d): ...\n"
    ),
    "in a function": (
        "import tensorflow as tf\n\no = tf.optimizers.SGD()\n\n\n"
        "@tf.function\ndef f(g, w):\n    o.apply_gradients([(g, w)])\n"
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_steps_by_hand_are_refused(name):
    assert "TJ342" in [finding.code for finding in findings(STEPS[name])]
    once = text(STEPS[name])
    assert text(once) == once


@pytest.mark.parametrize("name", FREE)
def test_what_is_no_step_by_hand(name):
    assert "TJ342" not in [finding.code for finding in findings(FREE[name])]


def test_the_back_end_is_said_once():
    code = "import tensorflow as tf\n\ntf.keras.Input((1,))\ntf.keras.Input((2,))\n"
    assert [f.code for f in findings(code)] == ["TJ230", "TJ130"]
    assert findings(code)[0].message == (
        "`keras.Input`; set `KERAS_BACKEND=jax` in the environment before Keras is imported"
    )
    safe = rewrite(code.encode(), Options(safe_only=True)).findings
    assert [f.code for f in safe] == ["TJ130", "TJ130"]
    ignored = rewrite(code.encode(), Options(ignore=("TJ230",))).findings
    assert [f.code for f in ignored] == ["TJ130", "TJ130"]
    assert [f.code for f in findings("# KERAS_BACKEND\n" + code)] == ["TJ130", "TJ130"]
    old = "import tensorflow.compat.v1 as tf\n\ny = tf.losses.log_loss(x, x)\n"
    assert [f.code for f in findings(old)] == ["TJ401"]
    old = old.replace("losses.log_loss(x, x)", "train.cosine_decay(0.1, x, 9)")
    assert [f.code for f in findings(old)] == ["TJ201"]
    assert "KERAS_BACKEND=jax" in findings(old)[0].message


WEIGHTS = """import tensorflow as tf


class L(tf.keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(2,))
        self.n = 3
        self.both = self.add_weight(shape=(2,))
        self.both = 2.0

    def call(self, x):
        y = tf.concat([x, self.w], 0) * self.w + tf.square(self.both)
        return tf.square(name="s", x=self.w), tf.square(self.n), tf.square(self.w[0]), y
"""


def test_weights_are_read_where_they_are_arguments():
    after = text(WEIGHTS)
    assert "jnp.concatenate([x, self.w.value], axis=0) * self.w + jnp.square(self.both)" in after
    assert "jnp.square(x=self.w.value), jnp.square(self.n), jnp.square(self.w[0])" in after or (
        "jnp.square(self.w.value), jnp.square(self.n), jnp.square(self.w[0])" in after
    )
    assert text(after) == after


SYMBOLS = """import tensorflow as tf

a = tf.keras.Input((3,))
layer = tf.keras.layers.Dense(3)
b = layer(a) + 1.0
c = tf.square(b)
d = [c, a]
e = tf.concat(d, 1)
m = tf.keras.Model(a, e)


def inside(b):
    return tf.square(b)


f = tf.square(m.output)
g = tf.square(x)
h = tf.keras.layers.Lambda(lambda a: tf.square(a))(a)
"""


def test_symbolic_tensors_are_followed():
    after = text(SYMBOLS)
    assert "c = keras.ops.square(b)\n" in after
    assert "e = keras.ops.concatenate(d, axis=1)\n" in after
    assert "f = keras.ops.square(m.output)\ng = jnp.square(x)\n" in after
    assert "return jnp.square(b)\n" in after
    assert "lambda a: jnp.square(a)" in after
    assert text(after) == after


def test_modules_of_keras_3_are_those_of_tensorflow_and_more():
    assert {"layers", "losses", "ops", "optimizers.schedules"} <= MODULES
    assert "preprocessing.text" not in MODULES


@pytest.mark.parametrize("name", OTHERWISE_IN_KERAS_2)
def test_what_keras_2_computed_otherwise_is_said(name):
    call = f"tf.keras.{name}({'3, 3' if 'Conv' in name else '3' if 'layers' in name else 'x'})"
    (old,) = findings(f"import tensorflow.compat.v1 as tf\n\ny = {call}\n")
    assert (old.code, old.message.partition("; set `KERAS_BACKEND")[0]) == (
        "TJ231",
        OTHERWISE_IN_KERAS_2[name],
    )
    (new,) = findings(f"import tensorflow as tf\n\ny = {call}\n")
    assert new.code == "TJ230"


def test_parameters_that_keras_3_has_in_another_order_are_named():
    code = """
from tensorflow.keras.metrics import Metric

class Rate(Metric):
    def __init__(self, name, dtype):
        super().__init__(name, dtype)
        self.count = self.add_weight("count", [2], initializer="zeros")
        self.total = self.add_weight(name, shape=[2])
        self.last = self.add_weight(name="last", shape=[2])
"""
    new = text(code)
    assert "super().__init__(name=name, dtype=dtype)" in new
    assert 'self.add_weight(name="count", shape=[2], initializer="zeros")' in new
    assert "self.add_weight(name=name, shape=[2])" in new
    assert 'self.add_weight(name="last", shape=[2])' in new


def test_private_attributes_of_layers_get_their_public_names():
    body = "    def call(self, x):\n        return tf.cast(tf.cast(x, self._compute_dtype_object), self._compute_dtype)\n"
    head = "import tensorflow as tf\n\n\n"
    of_layer = rewrite(f"{head}class A(tf.keras.layers.Layer):\n{body}".encode()).data.decode()
    assert ".astype(jnp.dtype(self.compute_dtype)).astype(self.compute_dtype)" in of_layer
    of_other = rewrite(f"{head}class A:\n{body}".encode()).data.decode()
    assert ".astype(self._compute_dtype_object).astype(self._compute_dtype)" in of_other
    of_imported = rewrite(f"from a import B\n{head}class A(B):\n{body}".encode())
    assert ".astype(self.compute_dtype)" in of_imported.data.decode()
    assert "TJ231" in {finding.code for finding in of_imported.findings}


@pytest.mark.parametrize(
    "call",
    [
        "layers.BatchNormalization(synchronized=ON)",
        "Input((None,), ragged=ON)",
        "layers.InputLayer((3,), ragged=ON)",
    ],
)
def test_an_argument_that_raises_on_jax_is_left_to_a_person(call):
    program = f"import tensorflow as tf\n\nx = tf.keras.{call}\n"
    (found,) = rewrite(program.replace("ON", "True").encode()).findings
    assert (found.state, found.code) == (State.MANUAL, "TJ302")
    (found,) = rewrite(program.replace("ON", "False").encode()).findings
    assert found.state is not State.MANUAL
