"""`tf.gfile`, `tf.flags` and `tf.app` do what those of TensorFlow do."""

from __future__ import annotations

import sys

import pytest
import tensorflow.compat.v1 as tensorflow

import shims.compat.v1 as tf


def story(tf, folder) -> list:
    """What a program sees that writes, reads, moves and removes files."""
    path = f"{folder}/a/b.txt"
    seen: list = [tf.gfile.Exists(folder), tf.gfile.MkDir(folder)]
    tf.gfile.MakeDirs(f"{folder}/a")
    with tf.gfile.Open(path, "w") as file:
        file.write("one\ntwo\r\nthree")
    with tf.gfile.GFile(path) as file:
        seen += [file.read(2), file.readline(), file.tell(), file.size(), file.readlines()]
    with tf.io.gfile.GFile(path, "rb") as file:
        seen += [list(file)]
    with tf.gfile.Open(path, "a") as file:
        file.write("!")
    seen += [
        tf.gfile.Open(path).read(),
        tf.gfile.IsDirectory(path),
        tf.gfile.ListDirectory(f"{folder}/a"),
    ]
    tf.gfile.Copy(path, f"{folder}/c.txt")
    tf.gfile.Rename(f"{folder}/c.txt", f"{folder}/d.txt")
    seen += [
        {p.rpartition("/")[2] for p in tf.gfile.Glob(f"{folder}/*")},
        tf.gfile.Stat(path).length,
    ]
    for refused in (
        lambda: tf.gfile.Open(f"{folder}/none").read(),
        lambda: tf.gfile.Remove(f"{folder}/none"),
        lambda: tf.gfile.ListDirectory(f"{folder}/none"),
        lambda: tf.gfile.Copy(path, f"{folder}/d.txt"),
    ):
        with pytest.raises(tf.errors.OpError) as error:
            refused()
        seen.append(type(error.value).__name__)
    tf.gfile.DeleteRecursively(f"{folder}/a")
    return [*seen, tf.gfile.Exists(path)]


def test_files(tmp_path):
    (tmp_path / "ours").mkdir()
    (tmp_path / "theirs").mkdir()
    assert story(tf, tmp_path / "ours") == story(tensorflow, tmp_path / "theirs")


def test_a_path_of_another_system_is_refused():
    with pytest.raises(tf.errors.UnimplementedError, match="scheme 'gs' not implemented"):
        tf.gfile.Open("gs://bucket/file").read()


def test_flags_and_the_main_function(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["program", "--graph_test_steps=5", "rest"])
    tf.flags.DEFINE_integer(flag_name="graph_test_steps", default_value=3, docstring="steps")
    tf.app.flags.DEFINE_string("graph_test_name", "none", "a name")
    seen = []

    def main(arguments):
        seen.append((tf.flags.FLAGS.graph_test_steps, tf.app.flags.FLAGS.graph_test_name))
        seen.append(arguments[1:])

    with pytest.raises(SystemExit):
        tf.app.run(main)
    assert seen == [(5, "none"), ["rest"]]
