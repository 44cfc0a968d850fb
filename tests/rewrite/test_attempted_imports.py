"""Imports that a `try` offers: the one that TensorFlow 2 executes counts, and none stays without a use."""

import pytest

from tf2jax_port.rewrite import rewrite

USE = "\n\ndef f(x):\n    return {}(x)\n"
PAIR = "try:\n    {}\nexcept {}:\n    {}\n"
NEW = "import jax.numpy as jnp\n" + USE.format("jnp.square")


def run(code, **options):
    outcome = rewrite(code.encode(), **options)
    return outcome.data.decode(), [finding.code for finding in outcome.findings]


@pytest.mark.parametrize("error", ["ImportError", "(ImportError, AttributeError)", "Exception"])
@pytest.mark.parametrize(
    ("first", "second", "use"),
    [
        ("import tensorflow.compat.v1 as tf", "import tensorflow as tf", "tf.square"),
        ("import tensorflow as tf", "tf = None", "tf.square"),
        ("import tensorflow as tf", "raise", "tf.square"),
        ("from tensorflow.math import square", "from tensorflow import square", "square"),
        ("import tensorflow as tf  # pylint: disable=all", "tf = None", "tf.square"),
    ],
)
def test_an_import_of_what_is_rewritten_goes_with_its_alternative(error, first, second, use):
    text, codes = run(PAIR.format(first, error, second) + USE.format(use))
    assert text == NEW
    assert codes == ["TJ101"]


def test_a_name_that_is_assigned_is_an_alternative():
    pair = ("from tensorflow.keras.layers import {0}", "{0} = tf.keras.layers.{0}")
    old = PAIR.format(pair[0], "ImportError", pair[1]).format("ReLU")
    text, codes = run("import tensorflow as tf\n" + old + USE.format("ReLU()"))
    new = old.replace("tensorflow.keras", "keras").replace("tf.keras", "keras")
    assert text == "import keras\n" + new + USE.format("ReLU()")
    assert codes == ["TJ230", "TJ130"]


@pytest.mark.parametrize("turned", [False, True])
def test_the_keras_that_was_distributed_alone_is_an_alternative(turned):
    pair = ("from tensorflow.keras import backend as K", "from keras import backend as K")
    first, second = reversed(pair) if turned else pair
    text, codes = run(PAIR.format(first, "ImportError", second) + USE.format("K.square"))
    assert text == "import keras\n" + USE.format("keras.ops.square")
    assert codes == ["TJ230"]


def test_an_attempt_without_a_use_goes_where_the_rest_does():
    attempt = PAIR.format(
        "from tensorflow import cond", "ImportError", "from keras.ops import cond"
    )
    text, _ = run("import tensorflow as tf\n" + attempt + USE.format("tf.square"))
    assert text == NEW


@pytest.mark.parametrize(
    "attempt",
    [
        PAIR.format("import tensorflow as tf", "ImportError", "HAS = False"),
        PAIR.format("import tensorflow as tf", "ImportError", "print('TensorFlow is missing')"),
        PAIR.format("import tensorflow as tf", "ValueError", "tf = None"),
        PAIR.format("import tensorflow as tf  # tf2jax: ignore", "ImportError", "tf = None"),
        PAIR.format("import tensorflow as tf", "ImportError", "tf = None") + "print(tf is None)\n",
        PAIR.format("import tensorflow as tf", "ImportError", "tf = None") + "__all__ = ['tf']\n",
        PAIR.format("import tensorflow as tf; start()", "ImportError", "tf = None"),
    ],
)
def test_an_attempt_that_does_more_stays(attempt):
    text, _ = run(attempt + USE.format("tf.square"))
    assert text.count(attempt) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("from tensorflow.nn import relu as g", "from tensorflow.math import square as g"),
        ("from tensorflow.math import square as g", "from numpy import square as g"),
        ("from tensorflow.contrib.layers import relu as g", "from tensorflow.nn import relu as g"),
    ],
)
def test_what_a_text_does_not_decide_is_told(first, second):
    text, codes = run(PAIR.format(first, "ImportError", second) + USE.format("g"))
    assert first in text
    assert second in text
    assert codes == ["TJ305"]


def test_an_attempt_inside_a_function_goes_too():
    attempt = PAIR.format("import tensorflow as tf", "ImportError", "tf = None")
    text, _ = run(
        "def f():\n"
        + "".join(f"    {line}\n" for line in attempt.splitlines())
        + "    return tf.square(1.0)\n"
    )
    assert text == "import jax.numpy as jnp\ndef f():\n    return jnp.square(1.0)\n"
