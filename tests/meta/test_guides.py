"""The guides of docs/ run from their first block to their last; their pictures are fresh."""

import pytest

from tests.meta import pages, tree
from tools.pictures.__main__ import generate


def test_dynamic_shapes(tmp_path):
    pages.run_python(pages.python_blocks("dynamic_shapes.md"), tmp_path)


def test_the_pictures_are_fresh():
    for path, text in generate().items():
        assert (tree.ROOT / path).read_text() == text, "run `python -m tools.pictures`"


def test_a_block_that_is_wrong_is_seen(tmp_path):
    with pytest.raises(AssertionError):
        pages.run_python(["x = 1", "assert x == 2"], tmp_path)
