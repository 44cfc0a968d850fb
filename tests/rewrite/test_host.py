"""Files, flags, pipelines, strings and companion libraries: they move, or stay with the reason."""

import types

import pytest
import tensorflow as tf

import shims
from tests.meta import tree
from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.imports import companions
from tf2jax_port.rewrite.knowledge import host_names
from tf2jax_port.rewrite.options import Options

HEAD = "import tensorflow as tf\n\n"
V1 = "import tensorflow.compat.v1 as tf\n\n"
DATA = Options(data="shims")


def ends(program, options=None):
    """Return `(symbol, state, code)` of each finding."""
    outcome = rewrite(program.encode(), options or Options())
    return [(f.symbol, f.state.value, f.code) for f in outcome.findings]


def text(program, options=None):
    """Return the rewritten program, which a second run leaves as it is."""
    options = options or Options()
    data = rewrite(program.encode(), options).data
    assert rewrite(data, options).data == data
    return data.decode()


def find(library, name):
    for part in name.split("."):
        library = getattr(library, part)
    return library


MOVING = (
    host_names.ALWAYS | host_names.OF_PIPELINES | host_names.OF_SUMMARIES | host_names.OF_STRATEGIES
)


@pytest.mark.parametrize("name", sorted(MOVING))
def test_both_libraries_have_a_name_that_moves(name):
    assert find(tf, name) is not None
    assert find(shims, name) is not None


def names(module, prefix=""):
    for name in (n for n in dir(module) if not n.startswith("_")):
        value = getattr(module, name)
        is_module = isinstance(value, types.ModuleType)
        yield from names(value, f"{prefix}{name}.") if is_module else [prefix + name]


def test_every_setting_that_shims_has_moves():
    assert set(names(shims.config, "config.")) <= host_names.ALWAYS


def test_every_strategy_that_shims_has_moves():
    assert set(names(shims.distribute, "distribute.")) == host_names.OF_STRATEGIES


def test_the_release_is_the_one_that_names_and_numbers_are_tested_against():
    for name in host_names.TEXTS:
        assert find(shims, name) == find(tf, name)
        assert find(shims.compat.v1, name) == find(tf.compat.v1, name)


@pytest.mark.parametrize(("old", "new"), host_names.OLD_FILES.items())
def test_a_function_of_files_of_version_1_has_a_new_name(old, new):
    assert hasattr(tf.compat.v1.gfile, old.removeprefix("gfile."))
    assert find(shims, new) is not None


MOVED = {
    f"{HEAD}a = tf.io.gfile.exists(p)\n": "import shims\n\na = shims.io.gfile.exists(p)\n",
    f"{V1}a = tf.gfile.Open(p, 'r')\n": "import shims\n\na = shims.io.gfile.GFile(p, 'r')\n",
    f"{HEAD}a = tf.train.Checkpoint(v=v)\n": "import shims\n\na = shims.train.Checkpoint(v=v)\n",
    f"{HEAD}a = tf.constant('hello')\n": "import shims\n\na = shims.constant('hello')\n",
    f"{HEAD}assert tf.__version__.startswith('2.'), tf.version.VERSION\n": (
        "import shims\n\nassert shims.__version__.startswith('2.'), shims.version.VERSION\n"
    ),
    f"{HEAD}a = tf.compat.as_text(b)\n": "import shims\n\na = shims.compat.as_text(b)\n",
    f"{V1}flags = tf.app.flags\nflags.DEFINE_string('a', 'b', 'c')\n": (
        "from absl import flags as flags_\n\nflags_.DEFINE_string('a', 'b', 'c')\n"
    ),
}


@pytest.mark.parametrize("program", MOVED)
def test_what_moves(program):
    assert text(program) == MOVED[program]


def test_pipelines_move_on_request_and_only_as_a_whole():
    program = f"{HEAD}a = tf.data.Dataset.range(3)\nb = tf.strings.length(s)\nc = tf.string\n"
    assert {state for _, state, _ in ends(program)} == {"kept"}
    moved = "import shims\n\na = shims.data.Dataset.range(3)\nb = shims.strings.length(s)\nc = shims.string\n"
    assert text(program, DATA) == moved
    mixed = f"{program}d = tf.data.experimental.make_batched_features_dataset(f, 3, g)\n"
    assert text(mixed, DATA) == mixed
    assert text(mixed) == mixed


SHIMS = Options(target="shims")
STRATEGY = f"{HEAD}s = tf.distribute.MirroredStrategy()\ny = tf.unique(x)\n"
STAYS = {
    "fit": f"{STRATEGY}model.fit(x)\n",
    "a name that shims does not have": f"{STRATEGY}t = tf.distribute.experimental.CentralStorageStrategy()\n",
}


def test_a_strategy_moves_with_target_shims():
    assert text(STRATEGY, SHIMS) == STRATEGY.replace(
        "import tensorflow as tf", "import shims as tf"
    )
    codes = {f.symbol: f for f in rewrite(STRATEGY.encode(), SHIMS).findings}
    finding = codes["tf.distribute.MirroredStrategy"]
    assert (finding.state, finding.code) == (State.SHIM, "TJ407")
    assert "for `fit` of Keras, use `keras.distribution.DataParallel`" in finding.message
    assert "TJ326" in [code for _, _, code in ends(STRATEGY)]


@pytest.mark.parametrize("name", STAYS)
def test_a_strategy_that_shims_cannot_run_stays(name):
    assert "s = tf.distribute.MirroredStrategy()" in text(STAYS[name], SHIMS)
    found = [f for f in rewrite(STAYS[name].encode(), SHIMS).findings if f.code == "TJ326"]
    assert found
    assert all("`keras.distribution.DataParallel` for `fit` of Keras" in f.message for f in found)


IN_PIPELINE = (
    "d = d.map(lambda x: tf.square(x))\n",
    "def f(x):\n    return tf.square(x)\n\n\nd = d.map(f, num_parallel_calls=4)\n",
    "def g(x):\n    return tf.square(x)\n\n\ndef f(x):\n    return g(x)\n\n\nd = d.filter(f)\n",
    "class A:\n    def f(self, x):\n        return tf.square(x)\n\n    def g(self, d):\n        return d.map(self.f)\n",
)


@pytest.mark.parametrize("program", IN_PIPELINE)
def test_functions_that_only_a_pipeline_calls_stay(program):
    assert ends(HEAD + program) == [("tf.square", "kept", "TJ504")]
    assert "jnp.square" in text(HEAD + program, DATA)


@pytest.mark.parametrize(
    "program",
    [
        "def f(x):\n    return tf.square(x)\n\n\nd = d.map(f)\ny = f(x)\n",
        "y = list(map(lambda x: tf.square(x), xs))\n",
        "y = jax.lax.map(lambda x: tf.square(x), xs)\n",
    ],
)
def test_functions_that_other_code_calls_are_rewritten(program):
    assert [code for _, _, code in ends(HEAD + program)] == ["TJ101"]


def test_other_names_of_former_modules_are_followed():
    program = f"{V1}slim = tf.contrib.slim\ny = slim.conv2d(x, 8)\nz = slim.utils.last(x)\n"
    symbols = [symbol for symbol, _, _ in ends(program)]
    assert symbols == ["tf.contrib.slim.conv2d", "tf.contrib.slim.utils.last"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("squre", "TensorFlow has no such name: did you mean `tf.square`?"),
        ("foo.bar", "TensorFlow has no such name"),
        ("fingerprint", "the rewriter has no replacement yet"),
    ],
)
def test_a_name_that_tensorflow_lacks_is_called_that(name, message):
    (finding,) = rewrite(f"{HEAD}y = tf.{name}(x)\n".encode()).findings
    assert finding.message == message


COMPANIONS = {
    "import tensorflow_probability as tfp\n": ("review", "TJ210"),
    "from tensorflow_probability import distributions as tfd\n": ("review", "TJ210"),
    "import tensorflow_probability as tfp\n\ny = tfp.layers.DenseFlipout(3)\n": ("manual", "TJ335"),
    "import tensorflow_probability.python.distributions\n": ("manual", "TJ335"),
    "import tensorflow_addons as tfa\n": ("manual", "TJ335"),
    "import tensorflow_hub as hub\n": ("manual", "TJ335"),
    "import sonnet as snt\n": ("manual", "TJ335"),
    "import tf_agents\n": ("manual", "TJ335"),
    "from tensorflow_recommenders import tasks\n": ("manual", "TJ335"),
    "import horovod.tensorflow as hvd\n": ("manual", "TJ335"),
    "from horovod import tensorflow as hvd\n": ("manual", "TJ335"),
    "import tensorflow_of_somebody\n": ("manual", "TJ335"),
    "import tensorflow_io as tfio\n": ("kept", "TJ505"),
    "import tf_keras\n": ("manual", "TJ335"),
    "import keras_nlp\n": ("manual", "TJ335"),
    "from keras_cv import layers\n": ("manual", "TJ335"),
    "from transformers import TFBertModel\n": ("manual", "TJ335"),
    "from transformers import AutoTokenizer, TFAutoModel as Model\n": ("manual", "TJ335"),
    "from transformers.models.bert.modeling_tf_bert import TFBertModel\n": ("manual", "TJ335"),
    "from transformers import create_optimizer\n": ("manual", "TJ335"),
    "import transformers\n\nm = transformers.TFBertModel(c)\n": ("manual", "TJ335"),
    "from transformers.models import bert\n\nm = bert.TFBertModel(c)\n": ("manual", "TJ335"),
    "import tensorflow_datasets as tfds\n": ("kept", "TJ505"),
    "import tensorflow_text as text\n": ("kept", "TJ505"),
}


@pytest.mark.parametrize("program", COMPANIONS)
def test_a_companion_has_a_finding_of_its_own(program):
    ((_, state, code),) = ends(program)
    assert (state, code) == COMPANIONS[program]
    text(program)


WITHOUT_TENSORFLOW = (
    "import transformers\n\nm = transformers.AutoTokenizer.from_pretrained(p)\n",
    "from transformers import AutoTokenizer, BertConfig, FlaxBertModel\n",
    "import transformers\n\nm = other.TFBertModel(c)\n",
    "from transformers_of_somebody import TFBertModel\n",
)


@pytest.mark.parametrize("program", WITHOUT_TENSORFLOW)
def test_a_name_of_a_library_that_does_not_need_tensorflow_has_no_finding(program):
    assert ends(program) == []
    assert text(program) == program


def test_every_such_name_is_told():
    program = "from transformers import AdamWeightDecay, AutoTokenizer, TFBertModel\n"
    assert [symbol for symbol, _, _ in ends(program)] == [
        "transformers.AdamWeightDecay",
        "transformers.TFBertModel",
    ]
    program = "import transformers as t\n\na = t.TFBertModel(c)\nb = t.TFBertModel(d)\nc = t.TFAutoModel(d)\n"
    assert [symbol for symbol, _, _ in ends(program)] == [
        "transformers.TFBertModel",
        "transformers.TFAutoModel",
    ]


def test_the_page_of_questions_names_every_library():
    page = (tree.ROOT / "docs/faq.md").read_text()
    libraries = (*companions._LEFT, *companions._KEPT, *companions._IN_PART)
    assert [library for library in libraries if f"`{library}`" not in page] == []


def test_probability_moves_to_its_jax_substrate():
    moved = text(
        "import tensorflow_probability\nfrom tensorflow_probability import bijectors, stats\n"
    )
    assert moved == (
        "import tensorflow_probability.substrates.jax as tensorflow_probability\n"
        "from tensorflow_probability.substrates.jax import bijectors, stats\n"
    )
    kept = "import tensorflow_probability as tfp  # tf2jax: ignore\n"
    assert text(kept) == kept
    assert ends(kept) == [("tensorflow_probability", "kept", "TJ502")]


def test_an_import_that_nothing_uses_goes():
    assert text("from tensorflow import bitwise\n\nx = 1\n") == "\nx = 1\n"
    assert text("import tensorflow as tf\nimport tensorflow.keras as k\n\ny = tf.abs(x)\n") == (
        "import jax.numpy as jnp\n\ny = jnp.abs(x)\n"
    )
    for kept in ("from tensorflow import bitwise  # noqa: F401\n", "import tensorflow\n"):
        assert text(kept) == kept


def test_what_is_kept_gets_no_marker():
    program = f"{HEAD}w = tf.summary.create_file_writer('a')\nd = tf.io.decode_png(b)\n"
    assert text(program) == program
    assert [f.state for f in rewrite(program.encode()).findings] == [State.KEPT, State.KEPT]


def test_a_shape_that_is_set_on_what_others_hold_is_checked_and_told():
    program = f"{HEAD}def f(a, b):\n    a.set_shape(b.shape)\n    b.w.set_shape([2])\n    return tf.abs(a)\n"
    assert ends(program)[0] == ("Tensor.set_shape", "review", "TJ202")
    assert "    a = shims.ensure_shape(a, b.shape)\n    shims.ensure_shape(b.w, [2])\n" in text(
        program
    )
    outer = f"{HEAD}a = tf.ones([2])\n\n\ndef f():\n    a.set_shape([2])\n    return a\n"
    assert "    shims.ensure_shape(a, [2])\n" in text(outer)


def test_numeric_dtypes():
    assert "jnp.issubdtype(jnp.dtype(d), jnp.number)" in text(
        f"{HEAD}y = tf.as_dtype(d).is_numeric\n"
    )


SCALAR = "    tf.summary.scalar('y', x, step=1)\n"


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("@tf.function\ndef f(x):\n", "TJ339"),
        ("@tf.function(jit_compile=True)\ndef f(x):\n", "TJ339"),
        ("class L(tf.keras.layers.Layer):\n  def call(self, x):\n  ", "TJ339"),
        ("def f(x):\n", "TJ520"),
        ("class L:\n  def call(self, x):\n  ", "TJ520"),
    ],
)
def test_a_summary_in_a_compiled_function_is_left_to_a_person(program, code):
    after = "\n\n@tf.function\ndef g(x):\n    {}\n    return tf.tile(x, [2])\n"
    assert ("tf.summary.scalar", code) in [(s, c) for s, _, c in ends(HEAD + program + SCALAR)]
    if program == "def f(x):\n":  # a compiled function calls it, or makes one of it
        for use in ("f(x)", "h = tf.function(f)"):
            found = ends(HEAD + program + SCALAR + after.format(use))
            assert ("tf.summary.scalar", "manual", "TJ339") in found


def test_all_summaries_move_or_none():
    move = Options(target="shims")
    program = f"{HEAD}w = tf.summary.create_file_writer(p)\n@tf.function\ndef f(x):\n{SCALAR}"
    assert {code for _, _, code in ends(program, move)} == {"TJ407", "TJ402"}
    assert "import shims as tf" in text(program, move)
    found = ends(f"{program}tf.summary.graph(g)\n", move)
    assert ("tf.summary.scalar", "manual", "TJ339") in found
    assert ("tf.summary.create_file_writer", "kept", "TJ520") in found


def test_a_raw_operator_without_a_rule_is_led_to_the_public_one():
    names = ("NonMaxSuppressionV5", "RandomShuffle", "ResourceGather")
    program = HEAD + "".join(f"tf.raw_ops.{name}(x=y)\n" for name in names)
    found = [f.message for f in rewrite(program.encode(), Options()).findings]
    assert found == [
        "the rewriter has no replacement yet; the public operator `tf.image.non_max_suppression` has one",
        "the rewriter has no replacement yet; the public operator `tf.random.shuffle` has one",
        "the rewriter has no replacement yet",
    ]
