"""Methods that only TensorFlow's graphs, operations and variables have name a remedy, which works."""

import pytest

import shims.compat.v1 as tf


@pytest.mark.parametrize(
    ("owner", "name", "remedy"),
    [
        ("graph", "as_graph_def", "graph.to_function"),
        ("graph", "num_operations", "len(graph.get_operations())"),
        ("operation", "node_def", "op.type"),
        ("variable", "count_up_to", "tf.assign_add"),
        ("variable", "numpy", "session.run(variable)"),
    ],
)
def test_a_lacking_method_names_a_remedy(owner, name, remedy):
    with tf.Graph().as_default() as graph:
        variable = tf.get_variable("v", initializer=2.0)
        owners = {"graph": graph, "operation": variable.op, "variable": variable}
        assert not hasattr(owners[owner], name)
        with pytest.raises(AttributeError, match="not supported") as raised:
            getattr(owners[owner], name)
        assert remedy in str(raised.value)
        with pytest.raises(AttributeError, match=r"has no attribute 'absent'$"):
            owners[owner].absent  # noqa: B018 - the subject of the test


def test_the_remedies_work():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        variable = tf.get_variable("v", initializer=2.0)
        x = tf.placeholder(tf.float32, [])
        y = x * variable
        session.run(tf.global_variables_initializer())
        assert session.run(variable) == 2
        assert len(graph.get_operations()) > 3
        assert (y.op.type, y.op.inputs[0].name) == ("Mul", "Placeholder:0")
        assert session.run(tf.assign_add(variable, 1)) == 3
        function = graph.to_function(y, [x])
    assert callable(function)
