"""Programs of TensorFlow 1 under `--target shims`: whole, or like any other file."""

from __future__ import annotations

import pytest

from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.options import Options

SHIMS = Options(target="shims")
PROGRAM = """x = tf.placeholder(tf.float32, [None, 3])
with tf.variable_scope("a"):  # a comment
    w = tf.get_variable("w", [3, 2], initializer=tf.zeros_initializer())
y = tf.nn.softmax(tf.matmul(x,  w)); n = y.get_shape().as_list()
step = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_mean(y))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
"""


def written(text: str, options: Options = SHIMS) -> str:
    outcome = rewrite(text.encode(), options)
    again = rewrite(outcome.data, options)
    assert again.data == outcome.data
    return outcome.data.decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import tensorflow.compat.v1 as tf", "import shims.compat.v1 as tf"),
        ("from tensorflow.compat import v1 as tf", "from shims.compat import v1 as tf"),
        ("import tensorflow as tf", "import shims.compat.v1 as tf\ntf.disable_v2_behavior()"),
        (
            "import numpy\nimport tensorflow as tf, os",
            "import numpy\nimport shims.compat.v1 as tf, os\ntf.disable_v2_behavior()",
        ),
    ],
)
def test_only_the_import_changes(before, after):
    assert written(f"{before}\n\n{PROGRAM}") == f"{after}\n\n{PROGRAM}"


def test_an_import_without_another_name():
    program = PROGRAM.replace("tf.", "tensorflow.")
    expected = "import shims.compat.v1 as tensorflow\ntensorflow.disable_v2_behavior()\n\n"
    assert written(f"import tensorflow\n\n{program}") == expected + program


def test_each_reference_is_counted_as_a_shim():
    outcome = rewrite(f"import tensorflow as tf\n\n{PROGRAM}".encode(), SHIMS)
    assert {(f.state, f.code) for f in outcome.findings} == {(State.SHIM, "TJ405")}
    assert len(outcome.findings) == PROGRAM.count("tf.")


@pytest.mark.parametrize(
    "line",
    [
        "reader = tf.ConditionalAccumulator(tf.float32)\n",  # not there
        "tf.something_else()\n",  # not TensorFlow's
        "from tensorflow.python.ops import array_ops\narray_ops.concat([x], 0)\n",
        "x = tf.square(x)  # tf2jax: ignore\n",
    ],
)
def test_a_file_that_needs_more_is_treated_like_any_other(line):
    text = f"import tensorflow.compat.v1 as tf\n\n{PROGRAM}{line}"
    assert "import tensorflow.compat.v1 as tf" in written(text)


def test_jax_as_the_target_marks_what_graphs_need():
    text = written(f"import tensorflow.compat.v1 as tf\n\n{PROGRAM}", Options())
    assert "# TJ309: tf.placeholder" in text
