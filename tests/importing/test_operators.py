"""Every operator that an import has a rule for gives TensorFlow's numbers."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness.compare import Dtypes, Tolerance, assert_same
from tests.importing import operator_graph
from tf2jax_port.importing import loading
from tf2jax_port.importing.writer import RULES

PARTS = 24
# These stand in loops; `test_control_flow.py` has them. A gather of a variable is in `test_files.py`.
ELSEWHERE = ("TensorArray", "TensorList", "ResourceGather")


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """The file, the names of its tensors, and TensorFlow's values of them."""
    with tf.Graph().as_default() as graph:
        outputs = operator_graph.build(tf)
        with tf.compat.v1.Session() as session:
            expected = session.run(outputs, operator_graph.feeds())
    path = tmp_path_factory.mktemp("operators") / "operators.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    return path, {tensor.name: value for tensor, value in zip(outputs, expected, strict=True)}


def test_every_rule_is_there(graph):
    path, expected = graph
    found = loading.read(path, outputs=list(expected))
    assert found.program.problems == []
    missing = set(RULES) - set(found.program.operators)
    assert [name for name in missing if not name.startswith(ELSEWHERE)] == []


@pytest.mark.parametrize("part", range(PARTS))
def test_numbers(graph, part):
    path, expected = graph
    names = list(expected)[part::PARTS]
    found = loading.read(path, outputs=names)
    feeds = {key: operator_graph.feeds()[key] for key in found.choice.inputs}
    actual = loading.function_of(found)(found.variables(), feeds)
    for name in names:
        value = np.asarray(actual[name])
        dtypes = Dtypes.SAME if expected[name].dtype.kind in "fc" else Dtypes.ANY
        assert_same(value, expected[name], Tolerance(of_largest=2e-6), dtypes, what=name)
