"""Parameters to which other files of a project pass lists become arrays where JAX's functions take no lists."""

import pytest

from tests.rewrite.test_reexports import run
from tf2jax_port.files.passed_lists import lists_passed_in

CALLS = {
    "f([1.0, 2.0], n)": {("f", 0)},
    "f(n, [\n    [1], [2]])": {("f", 1)},
    "o.f(n, x=[True])": {("f", "x")},
    "f(\n    n,\n    x=[[1]],\n)": {("f", "x")},
    "labels = [[1.0]]\nf(g(n, 1), labels, 2)": {("f", 1)},
    "labels = [0]\nF(x=labels)(n)": {("F", "x")},
    "labels = [0]\nf(my_labels, labels_of, labels[0], labels + n)": set(),
    "f(n, ['a', 'b'], {'k': [1]}, [n, n])": set(),
    "x = {'a': [1, 2]}\ny = (n, [1])": set(),
    "f(" + "n, " * 200 + "[1])": set(),  # too far away to look for
}


@pytest.mark.parametrize("text", CALLS)
def test_calls_with_lists_are_found_by_text(text):
    assert set(lists_passed_in(text.encode())) == CALLS[text]


MODULE = """import tensorflow as tf


def outer(labels, logits):
    return inner(labels) * tf.reduce_max(logits)


def inner(labels):
    return tf.expand_dims(labels, 1)


class Loss:
    def __init__(self, weights):
        self.weights = tf.square(weights)

    def compute(self, labels):
        return tf.exp(labels)
"""
TEST = """import tensorflow as tf
from p import losses

labels = [[1.0, 2.0]]
losses.outer(labels, tf.ones([2]))
losses.Loss([1.0]).compute(labels)
"""


def test_what_another_file_passes_is_converted(tmp_path):
    files = {"p/__init__.py": "", "p/losses.py": MODULE}
    after, _ = run(tmp_path / "with", {**files, "tests/losses_test.py": TEST})["p/losses.py"]
    assert "jnp.expand_dims(jnp.asarray(labels), 1)" in after
    assert "jnp.max(logits)" in after
    assert "jnp.square(jnp.asarray(weights))" in after
    assert "jnp.exp(jnp.asarray(labels))" in after
    alone, _ = run(tmp_path / "without", files)["p/losses.py"]
    assert "asarray" not in alone


def test_repeats_in_a_list_are_numbers(tmp_path):
    code = "import tensorflow as tf\n\n\ndef f(x, n):\n    return tf.repeat(x, [n], axis=0)\n"
    after, _ = run(tmp_path, {"p.py": code})["p.py"]
    assert "jnp.repeat(x, np.asarray([n]), axis=0)" in after
