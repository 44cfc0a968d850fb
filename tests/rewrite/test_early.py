"""TensorFlow 0.x: what the arguments decide becomes version 1, what they do not decide is left."""

from __future__ import annotations

import pytest

from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.knowledge.graph_names import has_name
from tf2jax_port.rewrite.knowledge.known import rows
from tf2jax_port.rewrite.names.public_names import is_public
from tf2jax_port.rewrite.options import Options
from tf2jax_port.table.version_0 import IN_BOTH, LATER, NAMES, REORDERED

GRAPH = Options(target="graph")
HEAD = "import tensorflow as tf\n\nx = tf.placeholder(tf.float32)\n"
EARLY = f"{HEAD}tf.mul(x, x)\n"


def written(text: str) -> str:
    """Return the last line of a TensorFlow 0.x program in words of version 1."""
    outcome = rewrite(f"{EARLY}{text}\n".encode(), GRAPH)
    assert rewrite(outcome.data, GRAPH).data == outcome.data
    return outcome.data.decode().splitlines()[-1]


CALLS = {
    "tf.sub(tf.neg(a), tf.inv(b))": "tf.subtract(tf.negative(a), tf.reciprocal(b))",
    "tf.concat(1, [a, tf.pack([b])])": "tf.concat(axis=1, values=[a, tf.stack([b])])",
    "tf.concat(-1, values)": "tf.concat(axis=-1, values=values)",
    "tf.concat(a, [x])": "tf.concat(axis=a, values=[x])",
    "tf.concat(concat_dim=a, values=b)": "tf.concat(axis=a, values=b)",
    "tf.concat([x], a)": "tf.concat([x], a)",
    "tf.concat(a, axis=b)": "tf.concat(a, axis=b)",
    "tf.concat_v2(a, b)": "tf.concat(values=a, axis=b)",
    "tf.split(0, 3, a)": "tf.split(axis=0, num_or_size_splits=3, value=a)",
    "tf.split(a, 3)": "tf.split(a, 3)",
    "tf.split(a, 3, 1)": "tf.split(a, 3, 1)",
    "tf.split(split_dim=a, num_split=b, value=c)": (
        "tf.split(axis=a, num_or_size_splits=b, value=c)"
    ),
    "tf.batch_matmul(a, b, adj_y=True)": "tf.matmul(a, b, adjoint_b=True)",
    "tf.batch_matmul(a, b, True)": "tf.matmul(a, b, adjoint_a=True)",
    "tf.select(a, t=b, e=c)": "tf.where(a, x=b, y=c)",
    "tf.nn.softmax_cross_entropy_with_logits(a, b)": (
        "tf.nn.softmax_cross_entropy_with_logits(logits=a, labels=b)"
    ),
    "tf.nn.sigmoid_cross_entropy_with_logits(logits=a, targets=b)": (
        "tf.nn.sigmoid_cross_entropy_with_logits(logits=a, labels=b)"
    ),
    "tf.nn.sigmoid_cross_entropy_with_logits(labels=a, logits=b)": (
        "tf.nn.sigmoid_cross_entropy_with_logits(labels=a, logits=b)"
    ),
    "tf.reverse(x, [False, True])": "tf.reverse(x, [1])",
    "tf.reverse(x, dims=[True])": "tf.reverse(x, axis=[0])",
    "tf.reverse(x, [1])": "tf.reverse(x, [1])",
    "tf.image.resize_images(x, 8, n, 1)": "tf.image.resize_images(x, [8, n], 1)",
    "tf.scalar_summary('a', x)": "tf.summary.scalar('a', x)",
    "tf.scalar_summary(tags='a', values=x)": "tf.summary.scalar(name='a', tensor=x)",
    "tf.image_summary('a', x, max_images=2)": "tf.summary.image('a', x, max_outputs=2)",
    "tf.train.SummaryWriter('d', tf.merge_all_summaries())": (
        "tf.summary.FileWriter('d', tf.summary.merge_all())"
    ),
    "tf.initialize_all_variables()": "tf.global_variables_initializer()",
    "tf.op_scope([x], n, 'd')": "tf.name_scope(values=[x], name=n, default_name='d')",
    "tf.nn.seq2seq.sequence_loss(a, b, c)": "tf.contrib.legacy_seq2seq.sequence_loss(a, b, c)",
    "f(tf.mul, tf.mul )": "f(tf.multiply, tf.multiply )",
}


@pytest.mark.parametrize("call", CALLS)
def test_what_the_arguments_decide(call):
    assert written(call) == CALLS[call]


UNDECIDED = (
    *("tf.concat(a, b)", "tf.split(a, b, c)", "tf.reverse(x, a)", "tf.concat(*a)"),
    *("tf.image.resize_images(x, a, b)", "tf.nn.weighted_cross_entropy_with_logits(a, b, 2.0)"),
    *("tf.svd(x, True)", "tf.scalar_summary('a', x, name='b')", "tf.scalar_summary(['a'], x)"),
    *("tf.reverse(x, dims=a)", "f(tf.select)", "tf . train . SummaryWriter('d')"),
)


@pytest.mark.parametrize("call", UNDECIDED)
@pytest.mark.parametrize("target", ["graph", "jax", "shims"])
def test_what_they_do_not_decide(call, target):
    options = Options(target=target)
    outcome = rewrite(f"{EARLY}{call}\n".encode(), options)
    left = outcome.findings[-1]
    assert (left.state, left.code) == (State.MANUAL, "TJ337")
    assert outcome.data.decode().splitlines()[-1] == call
    again = rewrite(outcome.data, options)  # nothing else says by now that this is 0.x
    assert again.data == outcome.data
    assert again.findings[-1].code == "TJ337"


@pytest.mark.parametrize("call", ["tf.concat(a, b)", "tf.split(a, b, c)", "tf.reverse(x, a)"])
def test_without_a_sign_of_0_x_they_are_read_as_later(call):
    outcome = rewrite(f"{HEAD}{call}\n".encode(), GRAPH)
    assert {f.code for f in outcome.findings} == {"TJ405"}


def test_tensorflow_2_takes_labels_by_position():
    text = b"import tensorflow as tf\n\ny = tf.nn.sigmoid_cross_entropy_with_logits(a, b)\n"
    assert b"cross_entropy_with_logits(a, b)" in rewrite(text).data


def test_names_that_are_assigned_decide():
    text = (
        "axis = 1\nparts = []\nparts.append(x)\ny = tf.concat(axis, other)\nz = tf.concat(k, parts)"
    )
    outcome = rewrite(f"{EARLY}{text}\n".encode(), GRAPH).data.decode()
    assert "tf.concat(axis=axis, values=other)" in outcome
    assert "tf.concat(axis=k, values=parts)" in outcome


def test_findings_are_about_the_original_text():
    text = (
        "import tensorflow as tf\n\nä = tf.mul(tf.concat(1, [a]), b); c = tf.sub(a,\n  tf.neg(b))\n"
    )
    found = rewrite(text.encode()).findings
    places = [(f.line, f.column, f.symbol, f.before.partition("(")[0]) for f in found]
    assert places == [
        (3, 5, "tf.multiply", "tf.mul"),
        (3, 12, "tf.concat", "tf.concat"),
        (3, 39, "tf.subtract", "tf.sub"),
        (4, 3, "tf.negative", "tf.neg"),
    ]
    assert found[1].before == "tf.concat(1, [a])"
    assert found[1].after == "jnp.concatenate([a], axis=1)"
    assert found[1].message.endswith("; the arguments have the order of TensorFlow 0.x")
    assert (
        found[0].message
        == "JAX has the same operator; the call is written with the name of TensorFlow 0.x, `tf.mul`"
    )
    graph = rewrite(f"{HEAD}y = tf.mul(x, x)\n".encode(), GRAPH).findings[-1]
    assert (graph.code, graph.before, graph.after) == ("TJ408", "tf.mul", "tf.multiply")


def test_comments_and_choices_leave_them_alone():
    text = f"{HEAD}y = tf.mul(x, x)  # tf2jax: ignore\nz = tf.neg(x)\n".encode()
    outcome = rewrite(text)
    assert b"tf.mul(x, x)  # tf2jax: ignore" in outcome.data
    assert b"jnp.negative(x)" in outcome.data
    assert b"tf.neg(x)" in rewrite(text, Options(ignore=("TJ408",))).data


def test_the_new_names_exist_and_the_old_ones_do_not():
    for old, early in NAMES.items():
        assert is_public(early.new), early.new
        assert old in IN_BOTH or (old not in rows() and not has_name(old)), old
        assert len(early.params) == len(early.renamed)
        assert set(early.order) <= set(early.renamed)
    assert REORDERED.keys() == LATER.keys()


def test_a_name_that_is_imported_by_itself_is_left():
    (finding,) = rewrite(b"from tensorflow import pack\n\ny = pack([x])\n").findings
    assert finding.message == "TensorFlow 1 has renamed this function: `tf.stack`"
