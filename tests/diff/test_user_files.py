"""Which files belong to the user's program, wherever a library is installed."""

import os
import sys
import sysconfig

import pytest

import shims
import tf2jax_port
from shims._src.platform import user_frames
from tf2jax_port.diff.values import user_files
from tf2jax_port.diff.values.arguments import parameter_names


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


def test_a_line_that_autograph_converted_is_the_users_own(tmp_path, monkeypatch):
    import tensorflow as tf

    from tf2jax_port.diff.functions.loading import load
    from tf2jax_port.diff.values.attempt import Failure, attempt

    monkeypatch.setattr(sys, "path", list(sys.path))
    file = tmp_path / "branching.py"
    file.write_text(
        "import tensorflow as tf\n"
        "@tf.function\n"
        "def f(x, *more):\n"
        "    if tf.reduce_sum(x) > 0:\n"
        "        x = tf.reshape(x, [7])\n"
        "    return x\n"
    )
    failed = attempt(load(f"{file}:f").function, tf.ones([3]))
    assert isinstance(failed, Failure)
    assert failed.detail.splitlines()[-1] == f"At: {file}:5  x = tf.reshape(x, [7])"


def test_arguments_have_names():
    def old(*rest):
        return rest

    def mixed(x, *rest):
        return x

    def new(x, y):
        return x

    assert parameter_names(old, 2) == ["rest[0]", "rest[1]"]
    assert parameter_names(mixed, 3) == ["x", "rest[0]", "rest[1]"]
    assert parameter_names(old, 3, new) == ["x", "y", "rest[2]"]
    assert parameter_names(max, 2) == ["args[0]", "args[1]"]
