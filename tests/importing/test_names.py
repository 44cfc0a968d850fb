"""Names in files of others do not become code."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from tf2jax_port.importing.loading import import_graph

CODE = '"""\nraise SystemExit("code of the file ran")\n"""'


def test_a_name_of_a_result_is_text(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: {CODE: x + 1.0}, [tf.TensorSpec([2], name="x")])
    tf.saved_model.save(module, tmp_path, signatures=module.f)
    model, variables = import_graph(tmp_path)
    result = model(variables, {"x": np.zeros(2, np.float32)})
    np.testing.assert_array_equal(result[CODE], [1, 1])


@pytest.mark.parametrize("name", [CODE, "x\ny", 'x"', "x y"])
def test_an_invalid_name_of_a_node_is_refused(tmp_path, name):
    path = tmp_path / "graph.pb"
    path.write_bytes(tf.compat.v1.GraphDef(node=[{"name": name, "op": "NoOp"}]).SerializeToString())
    with pytest.raises(ValueError, match="invalid name"):
        import_graph(path)
