"""`tf.compat` has its texts and sizes without the interface of TensorFlow 1, and `tf.lookup` its columns."""

import numpy as np
import pytest
import tensorflow as tf

import shims

VALUES = {
    "as_bytes": ("é", b"a"),
    "as_str": ("é", b"a"),
    "as_str_any": (3, b"a", "é"),
    "as_text": (b"a", "é"),
    "path_to_str": ("a/b",),
    "dimension_value": (None, 3),
}
FORWARD = {"forward_compatible", "forward_compatibility_horizon"}  # of TensorFlow's own releases


@pytest.mark.parametrize("name", VALUES)
def test_texts_and_sizes(name):
    for value in VALUES[name]:
        assert getattr(shims.compat, name)(value) == getattr(tf.compat, name)(value)


def test_every_name_is_there():
    names = {name for name in dir(tf.compat) if not name.startswith("_")} - FORWARD
    assert {name for name in names if not hasattr(shims.compat, name)} == set()
    assert names <= set(dir(shims.compat))
    assert shims.compat.dimension_at_index(shims.TensorShape([2, None]), 0).value == 2
    assert isinstance("a", shims.compat.bytes_or_text_types)
    with pytest.raises(AttributeError, match="no attribute 'as_txt'"):
        shims.compat.as_txt  # noqa: B018


def test_the_columns_of_a_text_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("the\nof\n")
    found = []
    for library in (tf, shims):
        index = library.lookup.TextFileIndex
        lines = library.lookup.TextFileInitializer(
            str(path), library.string, index.WHOLE_LINE, library.int64, index.LINE_NUMBER
        )
        table = library.lookup.StaticVocabularyTable(lines, 1)
        found.append(np.asarray(table.lookup(library.constant(["of", "the", "a"]))).tolist())
    assert found[0] == found[1] == [1, 0, 2]
