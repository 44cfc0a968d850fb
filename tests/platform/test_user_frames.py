"""Which frames and files belong to the user, wherever a file of the library lies."""

import contextlib
import functools
import types

import jax
import numpy as np
import pytest

import shims
from shims._src.autograph import operators
from shims._src.errors import errors
from shims._src.platform import user_frames


def _frame_of(module: str, filename: str = "project/train.py"):
    """A frame of code that says to be of a module."""
    code = compile("import sys; frame = sys._getframe()", filename, "exec")
    namespace: dict = {"__name__": module}
    exec(code, namespace)
    return namespace["frame"]


@pytest.mark.parametrize(
    ("module", "filename", "users", "asks"),
    [
        ("train", "project/train.py", True, True),
        ("train", "<stdin>", False, True),
        ("shims_of_mine", "project/shims_of_mine.py", True, True),
        ("shims._src.anywhere.below", "/x.py", False, False),
        ("shims._src.autograph.anything", "/x.py", False, True),
        ("jax._src.numpy", "/x.py", False, False),
        ("malt.core", "/x.py", False, False),
    ],
)
def test_frames(module, filename, users, asks):
    frame = _frame_of(module, filename)
    assert user_frames.is_user_frame(frame) is users
    assert user_frames.asks_for_user(frame) is asks


@pytest.mark.parametrize(
    "path",
    [
        *(jax.__file__, np.__file__, shims.__file__, functools.__file__, contextlib.__file__),
        *(errors.__file__, operators.__file__),
        shims.__file__.replace("__init__.py", "_src/a/room/that/is/not/there.py"),
    ],
)
def test_files_of_libraries(path):
    assert user_frames.is_library_file(path)
    assert not user_frames.is_user_file(path)


@pytest.mark.parametrize("path", [__file__, types.__file__, "project/shims_of_mine.py"])
def test_other_files(path):
    assert user_frames.is_user_file(path)


def test_generated_code_belongs_to_nobody():
    assert not user_frames.is_library_file("<string>")
    assert not user_frames.is_user_file("<string>")


def test_every_library_that_is_installed_has_a_path():
    assert len(user_frames._library_paths()) >= len(user_frames.LIBRARIES) - 1
