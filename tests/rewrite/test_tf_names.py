"""The list of TensorFlow's names says what it seems to."""

from tf2jax_port.rewrite.knowledge.known import rows
from tf2jax_port.rewrite.names import tf_names
from tf2jax_port.table.version_1 import SAME_IN_VERSION_1


def test_known_examples():
    assert tf_names.V1_ALIASES["log"] == "math.log"
    assert "placeholder" in tf_names.V1_ONLY
    assert tf_names.V1_PARAMS["boolean_mask"] == "tensor, mask, name='boolean_mask', axis=None"
    assert "keras.layers" in tf_names.MODULES
    assert "square" not in tf_names.V1_PARAMS


def test_what_is_said_to_be_the_same_differs_by_object():
    assert [name for name in SAME_IN_VERSION_1 if not tf_names.V1_PARAMS.get(name)] == []


def test_the_same_names_are_rows():
    # A name without a row costs nothing, but it is a claim that no test looks at.
    assert [name for name in SAME_IN_VERSION_1 if name not in rows()] == []
