"""Every TensorFlow name of a file is accounted for, and the count is checked."""

import io
import tokenize

import pytest

from tf2jax_port.rewrite import LedgerError, Outcome, State, count_states, rewrite
from tf2jax_port.rewrite.findings.ledger import Entry, Ledger, Skipped

PROGRAM = b'''"""tf.square in a docstring."""
import tensorflow as tf
from tensorflow import keras


class Model(keras.Model):
    """tf.foo"""

    def call(self, x: tf.Tensor, training: bool = False) -> "tf.Tensor":
        with tf.name_scope("a"), tf.GradientTape() as tape:
            y = tf.where(tf.reduce_any(x > 0), tf.square(x), tf.zeros_like(x))
        assert isinstance(y, (tf.Tensor, tf.Variable)), f"{tf.shape(y)}"
        return tf.cast(y, tf.float32)[..., tf.newaxis]


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def step(tensors, *, fn=tf.nn.relu, name="tf.x"):  # tf.comment
    try:
        return [tf.math.log(t) for t in tensors], {tf.int32: fn}, lambda z: tf.exp(z)
    except tf.errors.InvalidArgumentError:
        tf.debugging.enable_check_numerics()
        raise
'''


def names_in_tokens(code, names):
    """An independent count: tokens that are one of `names`, not behind a dot, imports left out."""
    count, previous, importing = 0, "", False
    for token in tokenize.tokenize(io.BytesIO(code).readline):
        if token.type == tokenize.NEWLINE:
            importing = False
        if token.type == tokenize.NAME:
            importing = importing or token.string in ("import", "from")
            if token.string in names and previous != "." and not importing:
                count += 1
        if token.type == tokenize.STRING and "{tf." in token.string:
            count += token.string.count("{tf.")  # Python 3.11 has f-strings as one token
        previous = token.string
    return count


def test_every_name_is_counted():
    outcome = rewrite(PROGRAM)
    names = [f for f in outcome.findings if not f.method]
    in_strings = 1  # the annotation
    assert len(names) == names_in_tokens(PROGRAM, {"tf", "keras"}) + in_strings
    assert sum(count_states(outcome.findings).values()) == outcome.references


def test_what_is_left_is_what_was_said():
    outcome = rewrite(PROGRAM)
    left = [f for f in outcome.findings if f.state in (State.MANUAL, State.KEPT)]
    assert names_in_tokens(outcome.data, {"tf"}) == len(left)
    assert b"\nimport keras\n" in outcome.data  # what is called `keras` is Keras 3


def test_a_ledger_that_does_not_add_up_is_refused():
    with pytest.raises(LedgerError) as error:
        Outcome(b"", (), 3)
    assert str(error.value) == (
        "the scan counted 3 TensorFlow references, but 0 references have a state. The file was not changed. "
        "This is an error in tf2jax-port; please report it."
    )


def test_the_document():
    before = b"import tensorflow as tf\ny = tf.square(x)\nz = tf.foo\n"
    entry = Entry("a.py", before, rewrite(before))
    document = Ledger("jax", (entry,), (Skipped("b.py", "TJ901", "line 1: no"),)).document()
    assert document == {
        "schema": 1,
        "target": "jax",
        "totals": {
            "files": 1,
            "lines": 3,
            "files_with_tensorflow": 1,
            "references": 2,
            "states": {"rewritten": 1, "review": 0, "shim": 0, "kept": 0, "manual": 1},
            "computing": {"rewritten": 1, "review": 0, "shim": 0, "kept": 0, "manual": 1},
            "files_finished": 0,
            "files_computing": 1,
            "files_computing_done": 0,
            "imports": {"names": 1, "dropped": 0},
        },
        "files": [
            {
                "path": "a.py",
                "lines": 3,
                "effort": 1.0,
                "changed": True,
                "references": 2,
                "target": "jax",
                "states": {"rewritten": 1, "review": 0, "shim": 0, "kept": 0, "manual": 1},
                "imports": {"names": 1, "dropped": 0},
                "findings": [
                    {
                        "line": 2,
                        "column": 5,
                        "symbol": "tf.square",
                        "kind": "name",
                        "computing": True,
                        "state": "rewritten",
                        "code": "TJ101",
                        "message": "JAX has the same operator",
                        "before": "tf.square(x)",
                        "after": "jnp.square(x)",
                    },
                    {
                        "line": 3,
                        "column": 5,
                        "symbol": "tf.foo",
                        "kind": "name",
                        "computing": True,
                        "state": "manual",
                        "code": "TJ301",
                        "message": "TensorFlow has no such name",
                        "before": "tf.foo",
                        "after": "",
                    },
                ],
            }
        ],
        "blockers": [{"symbol": "tf.foo", "references": 1}],
        "skipped": [{"path": "b.py", "code": "TJ901", "reason": "line 1: no"}],
    }
