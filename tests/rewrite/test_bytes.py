"""Encodings, line ends and what else a file is made of survives a rewrite."""

import codecs

import pytest

from tf2jax_port.rewrite import UnreadableError, rewrite

BEFORE = "import tensorflow as tf\n\nä = 'ü'; y = tf.square(ä)  # é\n"
AFTER = "import jax.numpy as jnp\n\nä = 'ü'; y = jnp.square(ä)  # é\n"


def with_cookie(encoding, text):
    return f"# -*- coding: {encoding} -*-\n{text}".encode(encoding)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "iso-8859-15", "utf-8"])
def test_declared_encodings(encoding):
    outcome = rewrite(with_cookie(encoding, BEFORE))
    assert outcome.data == with_cookie(encoding, AFTER)


def test_byte_order_mark():
    outcome = rewrite(codecs.BOM_UTF8 + BEFORE.encode())
    assert outcome.data == codecs.BOM_UTF8 + AFTER.encode()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end):
    before = "import tensorflow as tf\n\ny = tf.reduce_sum(\n    x,\n    name='s',\n)\nz = tf.foo\n"
    after = (
        "import tensorflow as tf\nimport jax.numpy as jnp\n\ny = jnp.sum(\n    x,\n)\n"
        "# TJ301: tf.foo: TensorFlow has no such name\nz = tf.foo\n"
    )
    outcome = rewrite(before.replace("\n", end).encode())
    assert outcome.data.decode() == after.replace("\n", end)
    assert rewrite(outcome.data).data == outcome.data


def test_mixed_line_ends_stay_mixed():
    outcome = rewrite(b"import tensorflow as tf\r\ny = tf.square(x)\nz = 1\r\n")
    assert outcome.data == b"import jax.numpy as jnp\r\ny = jnp.square(x)\nz = 1\r\n"


def test_columns_count_characters():
    (finding,) = rewrite(BEFORE.encode()).findings
    assert (finding.line, finding.column) == (3, BEFORE.splitlines()[2].index("tf") + 1)


def test_lines_count_old_markers():
    code = "import tensorflow as tf\n# TJ301: tf.foo: TensorFlow has no such name\ny = tf.foo\n"
    (finding,) = rewrite(code.encode()).findings
    assert finding.line == 3


UNREADABLE = {
    "zero bytes": (
        b"import tensorflow\0\n",
        ("TJ902", "the file contains null bytes, so it is not a text file"),
    ),
    "no UTF-8": (
        b"import tensorflow\nx = '\xff'\n",
        (
            "TJ902",
            "the text cannot be decoded: 'utf-8' codec can't decode byte 0xff in position 23: "
            "invalid start byte",
        ),
    ),
    "an unknown encoding": (
        b"# coding: klingon\nimport tensorflow\n",
        ("TJ902", "the text cannot be decoded: unknown encoding: klingon"),
    ),
    "bytes outside of the declared encoding": (
        b"# coding: ascii\nimport tensorflow\nx = '\xff'\n",
        (
            "TJ902",
            "the text cannot be decoded: 'ascii' codec can't decode byte 0xff in position 39: "
            "ordinal not in range(128)",
        ),
    ),
    "a syntax error": (
        b"import tensorflow as tf\ny = tf.square(\n",
        ("TJ901", "line 2: '(' was never closed"),
    ),
    "Python 2": (
        b"import tensorflow as tf\nprint 'loss', tf.foo\n",
        ("TJ904", "line 2: Missing parentheses in call to 'print'. Did you mean print(...)?"),
    ),
    "deep nesting": (
        b"import tensorflow as tf\ny = " + b"-" * 3000 + b"tf.square(x)\n",
        ("TJ903", "expressions are nested too deeply"),
    ),
}


@pytest.mark.parametrize(("raw", "expected"), UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable(raw, expected):
    with pytest.raises(UnreadableError) as error:
        rewrite(raw)
    assert (error.value.code, str(error.value)) == expected


def test_a_file_without_tensorflow_is_not_even_parsed():
    raw = b"print 'old'\n\xff"
    assert rewrite(raw).data is raw
