"""Cases that the functions cannot be called with are faults of the cases; the head says how many cases ran."""

from __future__ import annotations

import functools
import io

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf
from rich.console import Console

import shims
from tf2jax_port.diff.functions.loading import DiffError, load
from tf2jax_port.diff.inputs.cases import collect
from tf2jax_port.diff.report.as_html import to_html
from tf2jax_port.diff.report.as_text import render

from .pair import Pair, given, run

ONE = np.ones(3, np.float32)


def loss(y, p, gamma=2.0, *, logits=False):
    return y


def scaled(x, gamma):
    return x


def shown(report):
    out = io.StringIO()
    Console(file=out, width=120).print(render(report))
    return out.getvalue()


# What stands around a function, and whether its parameters are known then.
FORMS = {
    "plain": (lambda f: f, True),
    "tf.function": (tf.function, True),
    "shims.function": (shims.function, True),
    "jax.jit": (jax.jit, True),
    "partial": (lambda f: functools.partial(f), True),
    "callable": (lambda f: type("Callable", (), {"__call__": staticmethod(f)})(), True),
    "decorated": (lambda f: functools.wraps(f)(lambda *args: f(*args, 1.0)), False),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call", [(ONE,), (ONE, 1.0, ONE)], ids=["fewer", "more"])
def test_a_call_that_fits_neither_function(form, call):
    wrap, known = FORMS[form]

    def collected():
        return collect(lambda: [(ONE, 1.0), call], wrap(scaled), wrap(scaled))

    if not known:
        assert len(collected()) == 2
        return
    with pytest.raises(DiffError) as caught:
        collected()
    assert str(caught.value).startswith(
        "cases(): case 1 does not fit the parameters of either function."
    )
    wrong = "no parameter accepts argument 2" if len(call) > 2 else "'gamma'"
    assert wrong in str(caught.value)


def test_all_cases_that_do_not_fit_are_named():
    with pytest.raises(
        DiffError, match="cases 0, 2, 3, 4, 5, 6 and 1 more do not fit the parameters"
    ):
        collect(lambda: [(1,), (1, 2), *[(1,)] * 6], scaled, scaled)


def test_a_call_that_fits_one_of_both_is_compared():
    assert len(collect(lambda: [(ONE, 1.0)], scaled, lambda x: x)) == 1
    assert len(collect(lambda: [(ONE,)], scaled, lambda x: x)) == 1


def test_arguments_that_have_no_position():
    with pytest.raises(DiffError) as caught:
        collect(lambda: [(ONE, ONE, 2.0, True)], loss, loss)
    assert "`logits` is passed by name only" in str(caught.value)
    assert "def call(x, y): return loss(x, y, logits=...)" in str(caught.value)
    with pytest.raises(DiffError, match="case 0 passes `logits`, a keyword-only parameter"):
        collect(lambda: [{"y": ONE, "p": ONE, "logits": True}], loss, loss)


def test_cases_by_name():
    found = collect(
        lambda: [{"p": 2 * ONE, "y": ONE}, {"y": ONE, "p": ONE, "gamma": 3.0}], loss, loss
    )
    assert [case.paths for case in found] == [("y", "p")] * 2
    assert [case.template[2] for case in found] == [2.0, 3.0]
    assert found[0].arrays[1][0] == 2
    with pytest.raises(DiffError, match="case 0 does not fit the parameters of the original"):
        collect(lambda: [{"y": ONE, "q": ONE}], loss, loss)
    with pytest.raises(DiffError, match="the parameters of the original are unknown"):
        collect(lambda: [{"x": ONE}], max, loss)


def test_the_head_says_how_many_cases_ran():
    cases = given(([1.0, 2.0, 3.0, 4.5],), ([1.0, 2.5, 0.5],), ([2.0, 5.0],))
    report = run(Pair("", lambda x: tf.reshape(x, [2, -1]), lambda x: x.reshape(2, -1), cases))
    assert report.verdict == "equal"
    assert (report.counts["cases"], report.counts["ran"]) == (3, 2)
    assert "3 cases, 2 of them ran · 1 output" in shown(report)
    assert "cases, 2 of them ran" in to_html(report)
    whole = run(Pair("", tf.square, jnp.square, given(([1.0],), ([2.0],))))
    assert "2 cases · 1 output" in shown(whole)


def test_a_class_is_no_function(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (
        "from typing import NamedTuple\n"
        "class Loss:\n    def __call__(self, y, p): return y\n"
        "class Layer:\n    def call(self, x): return x\n"
        "class Sub(Layer): pass\n"
        "class Both(NamedTuple):\n    x: int\n"
    )
    (tmp_path / "classes.py").write_text(text)
    for name in ("Loss", "Layer", "Sub"):
        with pytest.raises(
            DiffError, match=rf"`{name}` is a class.*\n.*\n.*return {name}\(\)\(x, y\)"
        ):
            load(f"classes.py:{name}")
    assert load("classes.py:Both").function(1) == (1,)  # whose objects can be compared
