"""Which files belong to the user's program, wherever a library is installed."""

import os
import sys
import sysconfig

import pytest

import shims
import tf2jax_port
from shims._src.platform import user_frames
from tf2jax_port.diff.values import user_files


@pytest.mark.parametrize(
    "file",
    [
        *(shims.__file__, tf2jax_port.__file__, user_files.__file__, pytest.__file__, os.__file__),
        "<string>",
    ],
)
def test_files_of_libraries(file):
    assert not user_files.is_users(file)


def test_files_of_the_user():
    installed = os.path.join(sysconfig.get_path("purelib"), "a_model", "layers.py")
    assert user_files.is_users(__file__)
    assert not user_files.is_users(installed)
    assert user_files.is_users(installed, own={installed})
    assert not user_files.is_users(shims.__file__, own={shims.__file__})


def test_libraries_of_shims_are_libraries_here():
    packages = user_frames.LIBRARIES - sys.stdlib_module_names
    assert packages <= set(user_files.LIBRARIES) <= user_frames.NOT_CONVERTED
