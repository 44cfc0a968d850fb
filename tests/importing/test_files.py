"""The files that an import reads: in text, of a SavedModel, broken ones, and graphs it must refuse.

What is compared exactly is copied, or multiplied by 1: it holds on every processor.
"""

import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from shims._src.checkpoint.wire import Malformed, varint
from tests.importing.conftest import normal
from tf2jax_port.importing import binary_format, import_graph, loading, schema
from tf2jax_port.importing.choosing import NoSuchTensorError
from tf2jax_port.importing.loading import UnsupportedGraphError
from tf2jax_port.importing.schema import MESSAGES, BrokenFileError

v1 = tf.compat.v1


def dense(x):
    w = v1.get_variable("w", initializer=normal(4, 5), use_resource=False)
    b = tf.constant([0.5, -0.0, np.inf, 1e-40, 0.1])
    return tf.matmul(x, w, transpose_b=False) + b


def test_text_and_bytes(freeze):
    x = normal(3, 4)
    text, expected = freeze(dense, x, "model.pbtxt")
    binary, _ = freeze(dense, x)
    for path in (text, binary):
        function, variables = import_graph(path)
        assert {name: array.shape for name, array in variables.items()} == {"w": (4, 5)}
        np.testing.assert_allclose(function(variables, {"x:0": x})["y:0"], expected, 1e-6)
    assert loading.read(text).text == loading.read(binary).text


class Counted(tf.Module):
    def __init__(self):
        super().__init__()
        self.table = tf.Variable(normal(7, 3), name="table")
        self.calls = tf.Variable(0, name="calls", trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32, "ids")], autograph=False)
    def rows(self, ids):
        self.calls.assign_add(1)
        return {"rows": tf.gather(self.table, ids)}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32, "ids")], autograph=False)
    def counted(self, ids):
        return {"total": self.calls.assign_add(1) + ids}


def test_a_saved_model(tmp_path):
    module = Counted()
    tf.saved_model.save(module, tmp_path, {"serving_default": module.rows, "other": module.counted})
    function, variables = import_graph(tmp_path)
    assert sorted(variables) == ["table"]
    ids = np.array([6, 0, 6], np.int32)
    actual = function(variables, {"ids": ids})["rows"]
    np.testing.assert_array_equal(actual, normal(7, 3)[ids])
    assert loading.read(tmp_path).program.left_out == {"AssignAddVariableOp": 1}
    with pytest.raises(UnsupportedGraphError) as caught:
        import_graph(tmp_path, signature="other")
    (problem,) = caught.value.problems
    assert problem.op == "AssignAddVariableOp"
    assert problem.reason == "a variable is read after it is assigned; assignments are not imported"


def test_variables_that_parts_of_a_model_share(tmp_path):
    """Keras wraps its variables: the graph that restores them does not name those that are used."""
    keras = tf.keras
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="tanh")])
    module = tf.Module()
    module.model = model
    signature = [tf.TensorSpec([None, 4], tf.float32, "x")]
    module.call = tf.function(lambda x: {"y": model(x)}, input_signature=signature, autograph=False)
    tf.saved_model.save(module, tmp_path, module.call)
    function, variables = import_graph(tmp_path)
    x = normal(2, 4)
    np.testing.assert_allclose(function(variables, {"x": x})["y"], model(x), 1e-6)


LOADED = """
import contextlib, sys
from tf2jax_port.cli import main
for path in sys.argv[1:]:
    with contextlib.suppress(SystemExit):
        main(["import-graph", path, "--out", path + ".d"])
print(sorted({"jax", "jaxlib", "tensorflow"} & set(sys.modules)))
"""


def test_the_command_loads_neither_jax_nor_tensorflow(freeze, tmp_path):
    model, module = tmp_path / "saved", Counted()
    tf.saved_model.save(module, model, {"serving_default": module.rows})
    paths = [freeze(dense, normal(3, 4), name)[0] for name in ("model.pb", "model.pbtxt")]
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *map(str, (*paths, model))], capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stderr
    for path in (*paths, model):
        assert list(tmp_path.glob(f"{path.name}.d/*.py")), path


def test_every_operator_that_is_in_the_way_is_named(freeze):
    def build(x):
        noise = tf.raw_ops.RandomShuffle(value=x[0], name="noise")
        return tf.raw_ops.MatrixDiagV3(
            diagonal=x * noise, k=0, num_rows=-1, num_cols=-1, padding_value=0.0, name="diagonal"
        )

    path, _ = freeze(build, normal(2, 4))
    with pytest.raises(UnsupportedGraphError) as caught:
        import_graph(path)
    assert (
        str(caught.value)
        == """\
this graph cannot be imported:
  RandomShuffle at noise: there is no rule for this random operator
  MatrixDiagV3 at diagonal: there is no rule for this operator"""
    )


def test_random_numbers(freeze):
    """They are other ones than TensorFlow's, so a seed is fed; dropout that drops nothing is equal."""

    def build(x):
        keep = v1.placeholder_with_default(1.0, [], name="keep")
        return v1.nn.dropout(x, keep_prob=keep)

    x = np.abs(normal(200, 100))
    path, expected = freeze(build, x)
    function, _ = import_graph(path)
    seed = np.array([1, 2], np.int32)
    np.testing.assert_array_equal(function({}, {"x:0": x, "seed": seed})["y:0"], expected)
    function, _ = import_graph(path, inputs=["x", "keep"])
    feeds = {"x:0": x, "keep:0": 0.25}
    one, again, other = (
        np.asarray(function({}, feeds | {"seed": s})["y:0"]) for s in (seed, seed, seed + 1)
    )
    np.testing.assert_array_equal(one, again)
    assert abs(np.mean(one > 0) - 0.25) < 0.01
    assert np.mean(one != other) > 0.3
    np.testing.assert_allclose(one[one > 0], 4 * x[one > 0], 1e-6)


def test_names(freeze):
    path, expected = freeze(dense, normal(3, 4))
    function, variables = import_graph(path, inputs=["x"], outputs=["MatMul", "y:0"])
    actual = function(variables, {"x:0": normal(3, 4)})
    np.testing.assert_allclose(actual["y:0"], expected, 1e-6)
    assert sorted(actual) == ["MatMul:0", "y:0"]
    cut, _ = import_graph(path, inputs=["MatMul:0"])
    np.testing.assert_array_equal(
        cut({}, {"MatMul:0": np.zeros((1, 5))})["y:0"][0, 4], np.float32(0.1)
    )
    with pytest.raises(NoSuchTensorError, match=r"the graph has no 'matmul:0'; it has MatMul$"):
        import_graph(path, outputs=["matmul"])
    with pytest.raises(NoSuchTensorError, match="only a SavedModel has signatures"):
        import_graph(path, signature="serving_default")


def test_broken_files(freeze, tmp_path):
    path, _ = freeze(dense, normal(3, 4))
    whole = path.read_bytes()
    for size in (1, 40, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(BrokenFileError, match=r"model\.pb"):
            import_graph(path)
    text = tmp_path / "a.pbtxt"
    text.write_text('node {\n  name: "a"\n  op: }\n')
    with pytest.raises(BrokenFileError, match=r"line 3: expected a value, found '}'$"):
        import_graph(text)
    with pytest.raises(BrokenFileError, match="contains neither"):
        import_graph(tmp_path)
    with pytest.raises(FileNotFoundError):
        import_graph(tmp_path / "none.pb")


WIRE_TYPES = {"int": 0, "enum": 0, "bool": 0, "double": 1, "float": 5}  # of other kinds: 2
CONTENTS = {0: b"\x01", 1: bytes(8), 2: b"\x00", 5: bytes(4)}


@pytest.mark.parametrize("wire_type", CONTENTS)
def test_a_field_is_of_its_own_wire_type_or_packed(wire_type):
    for message, fields in MESSAGES.items():
        for number, field in fields.items():
            data = varint(number << 3 | wire_type) + CONTENTS[wire_type]
            right = WIRE_TYPES.get(field.kind, 2)
            if wire_type == right or (wire_type == 2 and field.repeated):
                assert binary_format.decode(data, message).keys() == schema.empty(message).keys()
            else:
                with pytest.raises(
                    Malformed, match=f"field {field.name} is not of type {field.kind}"
                ):
                    binary_format.decode(data, message)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("stored", "value"),
    [
        (b"\x00", 0),
        (b"\x7f", 127),
        (b"\xac\x02", 300),
        (b"\xff" * 9 + b"\x01", -1),
        (b"\xff" * 9 + b"\x7f", -1),  # protocol buffers drop the bits above the 64th
        (b"\x80" * 9 + b"\x01", -(2**63)),
    ],
)
def test_numbers(stored, value, packed):
    data = b"\x1a" + varint(len(stored)) + stored if packed else b"\x18" + stored
    theirs = v1.AttrValue.ListValue.FromString(data).i
    assert binary_format.decode(data, "ListValue")["i"] == list(theirs) == [value]
