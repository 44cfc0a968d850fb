"""Places that the rewriter leaves to a review are named as long as the port has them and no case shows a difference."""

from __future__ import annotations

import pytest

from tf2jax_port.diff import compare
from tf2jax_port.diff.sessions.reviews import open_reviews

OLD = """
import tensorflow as tf

def limited(x):
    return tf.clip_by_value(x, 1e-7, 1 - 1e-7)

def loss(x):
    return -tf.reduce_sum(tf.math.log(limited(x)))

def other(x):
    return tf.maximum(x, 0.0)
"""
NEW = """
import jax.numpy as jnp
import shims

def limited(x):
    return {call}(x, 1e-7, 1 - 1e-7)

def loss(x):
    return -jnp.sum(jnp.log(limited(x)))

def other(x):
    return jnp.maximum(x, 0.0)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "new.py").write_text(NEW.format(call="jnp.clip"))
    (tmp_path / "exact.py").write_text(NEW.format(call="shims.clip_by_value"))
    monkeypatch.chdir(tmp_path)


def lines(new, function):
    return [found.what for found in open_reviews(f"old.py:{function}", f"{new}.py:{function}")]


def test_what_a_function_uses_is_to_be_reviewed(folder):
    assert lines("new", "loss") == ["old.py:5"]
    assert lines("new", "other") == ["old.py:11"]
    assert lines("exact", "loss") == []
    assert lines("exact", "other") == ["old.py:11"]
    assert lines("new", "gone") == ["old.py:5", "old.py:11"]  # an object that is made otherwise
    assert [*open_reviews("package.module:f", "new.py:loss")] == []


def test_a_report_names_them(folder):
    report = compare("old.py:loss", "new.py:loss", "x: float32[n] in 0.1..0.9", x64=False)
    assert (report.verdict, report.counts["reviews"]) == ("equal", 1)
    assert any("check the finding TJ201 of tf.clip_by_value" in note.text for note in report.notes)
