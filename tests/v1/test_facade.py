"""The facade of TensorFlow 1: generated, lazy, in version 1's spelling."""

import subprocess
import sys

import pytest

import shims.compat.v1 as tf
from shims._src.v1.names import names
from tools import generate_v1
from tools.data_files import ROOT

WRITTEN = generate_v1.generate()


@pytest.mark.parametrize("path", WRITTEN, ids=str)
def test_the_files_are_what_the_generator_writes(path):
    text = WRITTEN[path]
    assert text.startswith(generate_v1.FIRST_LINE)
    written = (ROOT / path).read_text()
    assert written == text, "run `python -m tools.generate_v1`"


def test_every_name_is_there():
    missing = []
    # Keras asks for a backend of the whole process.
    for public in sorted({*names.every_name()} - {"keras"}):
        found = tf
        try:
            for part in public.split("."):
                found = getattr(found, part)
        except (AttributeError, ImportError) as error:
            missing.append(f"{public}: {error}")
    assert missing == []


def test_a_name_that_tensorflow_has_is_refused_as_such():
    with pytest.raises(AttributeError) as caught:
        tf.variable_creator_scope  # noqa: B018
    assert str(caught.value) == (
        "shims.compat.v1 has no `tf.variable_creator_scope`, although TensorFlow 1 has this name. See "
        "https://www.tensorflow.org/api_docs/python/tf/compat/v1/variable_creator_scope"
    )


def test_a_name_that_nobody_has_says_what_is_near():
    with pytest.raises(AttributeError) as caught:
        tf.reduce_men  # noqa: B018
    assert str(caught.value) == (
        "TensorFlow 1 has no `tf.reduce_men`. Similar: `tf.reduce_mean`, `tf.reduce_min`, "
        "`tf.reduce_sum`."
    )


def test_nothing_of_it_is_loaded_before_it_is_used():
    code = (
        "import sys, shims.compat.v1; "
        "assert 'shims._src.v1.names.names' not in sys.modules; "
        "assert 'tensorflow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_it_needs_no_import_of_its_own():
    code = (
        "import sys, shims as tf; "
        "assert 'shims.compat' not in sys.modules; "
        "assert tf.compat.v1.losses.mean_squared_error"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
