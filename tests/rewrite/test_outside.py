"""Names around computing: each has a family that says what to do, and counts as what it is."""

import pytest

from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.findings import former_layers
from tf2jax_port.rewrite.findings.outside import FAMILIES, find_family, is_computing
from tf2jax_port.rewrite.knowledge import version_1
from tf2jax_port.rewrite.knowledge.known import rows
from tf2jax_port.rewrite.names.keras_names import PARAMS
from tf2jax_port.rewrite.names.tf_names import MODULES, V1_ONLY
from tf2jax_port.rewrite.rules.codes import find_rule

FAMILY = {
    "summary.scalar": "TJ520",
    "data.Dataset.from_tensor_slices": "TJ521",
    "io.parse_single_example": "TJ522",
    "io.gfile.GFile": "TJ323",
    "gfile.Glob": "TJ323",
    "train.CheckpointManager": "TJ324",
    "train.CheckpointSaverHook": "TJ525",
    "train.init_from_checkpoint": "TJ324",
    "estimator.ModeKeys.TRAIN": "TJ525",
    "contrib.tpu.TPUEstimatorSpec": "TJ525",
    "distribute.MirroredStrategy": "TJ326",
    "mixed_precision.LossScale": "TJ327",
    "contrib.layers.layer_norm": "TJ328",
    "layers.dense": "TJ328",
    "flags.DEFINE_string": "TJ329",
    "app.flags": "TJ329",
    "test.TestCase": "TJ330",
    "config.list_physical_devices": "TJ531",
    "ConfigProto": "TJ531",
    "saved_model.load": "TJ332",
    "lookup.KeyValueTensorInitializer": "TJ333",
    "python.ops.control_flow_util.while_loop": "TJ334",
}
ADVICE = {
    "contrib.slim.conv2d": (
        "write `keras.layers.Conv2D`, or `nnx.Conv` of Flax; the old default activation is ReLU, and the old "
        "default initializer is Xavier's; the old default padding is SAME"
    ),
    "contrib.layers.l2_regularizer": "write `keras.regularizers.L2`; the old regularizer computes half of the sum "
    "of squares, so pass `scale / 2`",
    "contrib.layers.python.layers.initializers.xavier_initializer": "write `keras.initializers.GlorotUniform`",
    "layers.dense": "write `keras.layers.Dense`, or `nnx.Linear` of Flax",
    "nn.dynamic_rnn": "write `keras.layers.RNN`, or `nnx.RNN` of Flax",
    "contrib.rnn.GRUCell": "write `keras.layers.GRUCell`, or `nnx.GRUCell` of Flax",
}


@pytest.mark.parametrize("path", ADVICE)
def test_a_layer_names_what_replaces_it(path):
    (finding,) = rewrite(
        f"import tensorflow.compat.v1 as tf\n\ny = tf.{path}(x)\n".encode()
    ).findings
    assert (finding.state, finding.code) == (State.MANUAL, "TJ328")
    assert finding.message == ADVICE[path]


def test_replacements_exist():
    for new in (*former_layers._LAYERS.values(), *former_layers._CELLS.values()):
        library, _, name = new.keras.partition(".")
        assert library != "keras" or name in PARAMS, new.keras
    assert former_layers.layer_advice("contrib.layers.optimize_loss") == ""


COMPUTING = (
    "reduce_sum",
    "compat.v1.layers.dense",
    "placeholder",
    "Variable",
    "mixed_precision.LossScale",
)
OTHER = (
    *("float32", "Tensor", "nest.flatten", "compat.v1.summary.scalar", "errors.OpError"),
    *("executing_eagerly", "io.gfile.exists", "compat.dimension_value", "TensorSpec"),
)


@pytest.mark.parametrize("name", FAMILY)
def test_families(name):
    family = find_family(name)
    assert family is not None
    assert family.code == FAMILY[name]


def test_a_stored_model_that_is_read_names_the_commands_that_read_it():
    def message(path):
        return find_family(path).message

    for path in ("saved_model.load", "saved_model.loader.load", "import_graph_def"):
        assert "`tf2jax-port import-graph`" in message(path)
        assert "`tf2jax-port weights`" in message(path)
    assert "`jax.export`" in message("saved_model.save")


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("distribute.MirroredStrategy", "`keras.distribution.DataParallel`"),
        ("distribute.cluster_resolver.TFConfigClusterResolver", "`jax.distributed.initialize`"),
        ("train.ClusterSpec", "`jax.distributed.initialize`"),
        ("distribute.experimental.ParameterServerStrategy", "no parameter servers"),
        ("train.replica_device_setter", "no parameter servers"),
        ("distribute.experimental.PreemptionCheckpointHandler", "SIGTERM"),
    ],
)
def test_advice_about_devices_says_what_replaces_the_name(path, word):
    family = find_family(path)
    assert (family.code, word in family.message) == ("TJ326", True)


def test_what_is_in_no_family():
    assert [n for n in ("square", "placeholder", "data_2", "Tensor") if find_family(n)] == []


def test_every_family_has_a_page_with_its_state():
    for family in FAMILIES:
        state = State.KEPT if family.stays else State.MANUAL
        assert find_rule(family.code).state is state


def test_a_row_is_in_no_family_that_hides_it():
    # Rows are looked up first: a family only answers for names without one.
    outcome = rewrite(b"import tensorflow as tf\n\ny = tf.lookup.StaticHashTable(i, 0)\n")
    assert "TJ333" not in [finding.code for finding in outcome.findings]


@pytest.mark.parametrize("name", COMPUTING)
def test_what_computes(name):
    assert is_computing(f"tf.{name}")


@pytest.mark.parametrize("name", OTHER)
def test_what_does_not_compute(name):
    assert not is_computing(f"tf.{name}")


def test_methods_of_tensors_are_no_names():
    assert not is_computing("Tensor.numpy")


def test_names_of_version_1_have_a_row_or_a_family():
    without = [
        name
        for name in V1_ONLY
        if not is_known(name) and find_family(name) is None and name not in MODULES
    ]
    assert without == []


def is_known(name):
    old = {*version_1.moved()}
    return f"v1.{name}" in rows() or name in rows() or name in old
