"""Uses of methods that arrays lack, on tensors that are written with operators, parentheses and lines."""

import ast

import pytest

from tf2jax_port.rewrite import rewrite

USES = (
    "({}.get_shape())",
    "({}.get_shape()).as_list()",
    "({}.shape).as_list()",
    "(({}).shape).ndims",
    "({}.get_shape()[1:]).num_elements()",
    "{}.shape.num_elements()",
    "({}.shape).is_compatible_with([2])",
    "(({}.shape)[0]).value",
    "({}.shape.dims[0]).value",
    "{}.get_shape().dims",
    "{}.numpy()",
    "({}.dtype).is_floating",
    "{}.dtype.as_numpy_dtype",
    "(({}).dtype).max",
)
TENSORS = (
    "(x)",
    "((x))",
    "(x + b)",
    "( (x + b) )",
    "(-x)",
    "(x\n + b)",
    "(  # (\n x + b)",
    "(x[0])",
)


def rewritten(use, tensor):
    """The expression that a use of a tensor becomes."""
    use = use.format(tensor)
    code = f"import tensorflow as tf\nx = tf.constant(1.0)\nb = tf.constant(2.0)\ny = {use}\n"
    return ast.parse(rewrite(code.encode()).data).body[-1].value


class Replace(ast.NodeTransformer):
    def __init__(self, tensor):
        self.tensor = tensor

    def visit_Name(self, node):
        return self.tensor if node.id == "x" else node


@pytest.mark.parametrize("use", USES)
def test_the_tensor_stays_whole(use):
    plain = ast.dump(rewritten(use, "x"))
    assert plain != ast.dump(ast.parse(use.format("x"), mode="eval").body)
    for tensor in TENSORS:
        expected = Replace(ast.parse(tensor, mode="eval").body).visit(rewritten(use, "x"))
        found = ast.dump(rewritten(use, tensor))
        left = ast.dump(ast.parse(use.format(tensor), mode="eval").body)
        # A comment that would be lost keeps a use as it is.
        assert found in ({ast.dump(expected), left} if "#" in tensor else {ast.dump(expected)}), (
            tensor
        )


def test_lines_that_only_outer_parentheses_join_stay():
    assert ast.unparse(rewritten("({}.shape).ndims", "x\n .T")) == "len(x.T.shape)"
    assert ast.unparse(rewritten("({}.get_shape()[0]).value", "x\n .T")) == "x.T.shape[0].value"


def test_sizes_of_shapes_are_numbers():
    code = (
        "import tensorflow.compat.v1 as tf\n\n\ndef f(x):\n    n = x.shape[0]\n"
        "    if isinstance(n, tf.Dimension):\n        n = n.value\n"
        "    return [d.value for d in x.get_shape().dims], n\n"
    )
    found = rewrite(code.encode()).data.decode()
    assert "n = n\n" in found
    assert "[d for d in x.shape]" in found
    assert "isinstance(n, shims.compat.v1.Dimension)" in found


def test_equal_dtypes_are_not_one_object():
    text = "import tensorflow as tf\n\n\ndef f(x, y, dtype):\n    z = tf.square(x)\n"
    text += "    return z.dtype is dtype, z.dtype is not y.dtype, x.dtype is None\n"
    assert (
        "z.dtype == dtype, z.dtype != y.dtype, x.dtype is None"
        in rewrite(text.encode()).data.decode()
    )


def test_lists_that_are_joined_with_shapes_become_tuples():
    text = "import tensorflow as tf\n\n\ndef f(x: tf.Tensor, n):\n    y = tf.square(x)\n"
    text += "    return [n] + x.shape[1:], y.get_shape()[:1] + [2, n], [n] + y.shape.as_list()\n"
    new = "(n,) + x.shape[1:], y.shape[:1] + (2, n), [n] + list(y.shape)"
    assert new in rewrite(text.encode()).data.decode()


def test_lists_that_are_joined_with_names_of_shapes_become_tuples():
    text = "import tensorflow as tf\n\n\ndef f(x, n, m):\n    s = x.shape[1:]\n"
    text += "    return tf.tile(x, [1] + s), [n] + s + [3], [n] + m, [n] + list(s)\n"
    new = "jnp.tile(x, (1,) + s), (n,) + s + (3,), [n] + m, [n] + list(s)"
    assert new in rewrite(text.encode()).data.decode()


def test_what_is_used_as_ragged_is_passed_to_functions_that_take_it():
    text = "import tensorflow as tf\n\n\ndef f(x, y):\n    mask = tf.ones_like(x).to_tensor(0.0)\n"
    text += "    return x.to_tensor(-1.0), mask, tf.ones_like(y)\n"
    new = rewrite(text.encode()).data.decode()
    assert "shims.ones_like(x).to_tensor" in new
    assert "jnp.ones_like(y)" in new
