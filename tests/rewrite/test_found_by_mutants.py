"""What no other test noticed when the planner of edits was changed at random."""

import types

import pytest

from tf2jax_port.rewrite import plan, rewrite
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.reading.source import UnreadableError
from tf2jax_port.rewrite.writing.edits import Edit, EditedText, OverlapError


def text_of(code, **options):
    return rewrite(code.encode(), Options(**options)).data.decode()


def test_the_new_text_of_a_node_whose_edit_has_several_pieces():
    edited = EditedText(b"f(x)", [Edit(0, 1, ("g", "h"))])
    assert edited.render_node(0, 4) == b"gh(x)"


def test_a_marker_in_a_text_stays():
    kept = 's = """\n# TJ301: tf.foo: kept\n"""\n'
    code = f"import tensorflow as tf\n\n{kept}a = tf.square(x)\n# TJ301: tf.foo: gone\n"
    assert text_of(code) == f"import jax.numpy as jnp\n\n{kept}a = jnp.square(x)\n"


def test_an_import_stays_if_a_line_is_ignored():
    code = "import tensorflow as tf\n\na = tf.square(x)\nb = tf.exp(x){}\n"
    assert text_of(code.format(""), target="shims") == code.format("").replace(
        "tensorflow", "shims"
    )
    assert text_of(code.format("  # tf2jax: ignore"), target="shims") == (
        "import tensorflow as tf\nimport shims\n\na = shims.square(x)\nb = tf.exp(x)  # tf2jax: ignore\n"
    )


def test_which_findings_are_of_methods():
    found = rewrite(b"import tensorflow as tf\n\na = tf.square(x).numpy()\n").findings
    assert [(f.symbol, f.method) for f in found] == [("tf.square", False), ("Tensor.numpy", True)]


def test_the_name_of_a_module_if_the_usual_ones_are_taken():
    taken = "jnp = jnp_ = jax_jnp = jax_jnp_ = 0\n"
    code = f"import tensorflow as tf\n\n{taken}a = tf.square(x)\n"
    assert text_of(code) == f"import jax.numpy as jnp_2\n\n{taken}a = jnp_2.square(x)\n"
    taken += "jnp_2 = 0\n"
    code = f"import tensorflow as tf\n\n{taken}a = tf.square(x)\n"
    assert text_of(code) == f"import jax.numpy as jnp_3\n\n{taken}a = jnp_3.square(x)\n"


def test_a_module_under_another_name_keeps_the_import():
    code = "import tensorflow as tf\n\nnn = tf.nn\na = tf.square(x)\n"
    assert text_of(code, target="shims") == (
        "import tensorflow as tf\nimport shims\n\nnn = tf.nn\na = shims.square(x)\n"
    )


def test_a_call_in_the_order_of_tensorflow_0_says_that_the_file_is_of_version_1():
    code = "import tensorflow as tf\n\na = tf.concat(0, [x, y])\nb = tf.where(c, x, y)\n"
    assert "b = shims.v1.where(c, x, y)" in text_of(code)


def test_edits_that_overlap_are_planned_again_without_strings():
    """Python 3.11 reports wrong positions of nodes in f-strings."""

    def outcome(*, strings_frozen):
        if not strings_frozen:
            raise OverlapError("two edits")
        return "the outcome"

    assert plan._run_with_retry(types.SimpleNamespace(outcome=outcome)) == "the outcome"


def test_edits_that_overlap_outside_of_strings_are_refused():
    def outcome(*, strings_frozen):
        raise OverlapError("two edits")

    with pytest.raises(UnreadableError, match="two edits"):
        plan._run_with_retry(types.SimpleNamespace(outcome=outcome))
