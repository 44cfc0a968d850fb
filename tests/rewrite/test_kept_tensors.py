"""What stays TensorFlow and reaches JAX: the finding is there exactly where the new text raises, and its remedy works."""

import itertools

import pytest

from tf2jax_port.cli.changes import still_needed
from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.findings.ledger import Entry, Ledger
from tf2jax_port.rewrite.options import Options

SOURCES = {
    "strings": "tf.strings.length(['a', 'bc'])",
    "raw": "tf.io.decode_raw(b'abcdefgh', tf.int32)",
    "table": "tf.strings.to_number(['1', '2'])",
}
DATASET = "tf.data.Dataset.range(3)"
# How a tensor reaches an operator, and how it does not: {s} is the call that stays, {d} the dataset.
REACHES = {
    "argument": "y = tf.square({s})",
    "name": "x = {s}\ny = tf.square(x)",
    "keyword": "x = {s}\ny = tf.expand_dims(input=x, axis=0)",
    "list": "x = {s}\ny = tf.stack([x, x])",
    "subscript": "x = {s}\ny = tf.square(x[0])",
    "arithmetic": "x = {s} * 2\ny = tf.square(x + x)",
    "sign": "x = -{s}\ny = tf.square(x)",
    "condition": "x = {s} if n else None\ny = tf.square(x)",
    "unpacked": "x, z = {s}, 1\ny = tf.square(x)",
    "two names": "x = z = {s}\ny = tf.square(z)",
    "returned": "def f():\n    return {s}\n\n\ny = tf.square(f())",
    "closure": "x = {s}\n\n\ndef f():\n    return tf.square(x)\n\n\ny = f()",
    "branch": "x = 1.0\nif n:\n    x = {s}\ny = tf.square(x)",
    "again": "x = {s}\nx = tf.expand_dims(x, 0)",
    "walrus": "if (x := {s}) is not None:\n    y = tf.square(x)",
    "comprehension": "x = {s}\ny = [tf.square(x) for _ in range(2)]",
    "loop": "for x in {d}:\n    y = tf.square(x)",
    "rows": "y = [tf.square(x) for x in {d}.batch(2)]",
    "counted": "data = {d}.shuffle(3)\nfor i, x in enumerate(data):\n    y = tf.square(x)",
}
PASSES_BY = {
    "numpy": "x = {s}.numpy()\ny = tf.square(x)",
    "numpy later": "x = {s}\ny = tf.square(x.numpy())",
    "conversion": "x = {s}\ny = tf.square(tf.convert_to_tensor(x))",
    "cast": "x = {s}\nx = tf.cast(x, tf.float32)\ny = tf.square(x)",
    "other value": "x = {s}\nx = 3.0\ny = tf.square(x)",
    "both branches": "x = {s}\nif n:\n    x = 1.0\nelse:\n    x = 2.0\ny = x + 1",
    "shape": "x = {s}\ny = tf.reshape(tf.range(2), x.shape)",
    "size": "x = {s}\ny = tf.square(tf.shape(x))",
    "function of shims": "x = {s}\ny = tf.unique(x)",
    "stays": "x = {s}\ny = tf.strings.as_string(x)",
    "own function": "def f(x):\n    return x\n\n\nx = {s}\ny = f(x)\nz = tf.square(n)",
    "arrays": "for x in {d}.as_numpy_iterator():\n    y = tf.square(x)",
    "pipeline": "data = {d}.map(lambda x: tf.square(x))\ny = tf.square(n)",
}


def programs(templates):
    return list(_programs(templates))


def _programs(templates):
    for (name, template), (kind, source) in itertools.product(templates.items(), SOURCES.items()):
        if "{s}" in template or kind == "raw":
            body = template.format(s=source, d=DATASET)
            yield pytest.param(f"import tensorflow as tf\n\nn = 1.0\n{body}\n", id=f"{name}-{kind}")


def told(text):
    """Return the new text and the findings of the kind."""
    outcome = rewrite(text.encode())
    return outcome.data.decode(), [f for f in outcome.findings if f.code == "TJ338"]


def run(text):
    exec(compile(text, "<program>", "exec"), {"__name__": "program"})


@pytest.mark.parametrize("text", programs(REACHES))
def test_it_is_told_where_the_new_text_raises(text):
    run(text)
    new, findings = told(text)
    assert [f.state for f in findings] == [State.MANUAL]
    assert f"# TJ338: {findings[0].symbol}: " in new
    with pytest.raises((TypeError, AttributeError)):
        run(new)
    assert told(new)[0] == new, "a second run changes nothing"


@pytest.mark.parametrize("text", programs(REACHES))
def test_its_remedies_run(text):
    for call in SOURCES.values():
        text = text.replace(call, f"{call}.numpy()")
    for call in (f"{DATASET}.batch(2)", f"{DATASET}.shuffle(3)", f"{DATASET}:"):
        text = text.replace(
            call, f"{call.removesuffix(':')}.as_numpy_iterator()" + ":" * (call[-1] == ":")
        )
    new, findings = told(text)
    assert not findings
    run(new)


@pytest.mark.parametrize("text", programs(PASSES_BY))
def test_nothing_is_told_where_the_new_text_runs(text):
    run(text)
    new, findings = told(text)
    assert not findings
    run(new)


def test_it_moves_or_is_left_alone_on_request():
    text = f"import tensorflow as tf\n\nx = {SOURCES['strings']}\ny = tf.square(x)\n"
    moved = rewrite(text.encode(), Options(data="shims"))
    assert not [f for f in moved.findings if f.code in ("TJ338", "TJ501")]
    left = text.replace("])\n", "])  # tf2jax: ignore[TJ338]\n", 1)
    assert [f.code for f in rewrite(left.encode()).findings if "length" in f.symbol] == ["TJ501"]


def test_it_is_said_for_what_tensorflow_is_still_needed():
    text = f"import tensorflow as tf\n\nx = {SOURCES['strings']}\ny = tf.square(n)\n"

    def said(text):
        return still_needed(
            Ledger("jax", (Entry("a.py", text.encode(), rewrite(text.encode())),), ())
        )

    assert said(text) == "TensorFlow is still needed in 1 file: `tf.strings.length` stays."
    assert not said("import tensorflow as tf\n\ny = tf.square(n)\n")


def test_shared_values_are_followed_once():
    lines = ["x0 = tf.strings.length(['a'])", *(f"x{i + 1} = x{i} + x{i}" for i in range(40))]
    text = "\n".join(["import tensorflow as tf", *lines, "y = tf.square(x40)", ""])
    assert len(told(text)[1]) == 1
