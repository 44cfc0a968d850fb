"""The tests of random programs can fail, and say where: on planted faults and on rounding."""

import re

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.outcomes import same_error
from tf2jax_port.table import find

from . import operators, tally, tensorflow_answer, verdict
from .program import Call, Input, Program, Ref
from .tally import Outcome, Tally
from .tensorflow_answer import Answer
from .test_random_programs import run
from .verdict import Verdict

X = Input("x", np.asarray([0.1, 0.2, 7.3], np.float32), (True,))


def program(*calls) -> Program:
    """A program of unary operators, each of the result before it."""
    names = ["x", "a", "b", "c"]
    made = [
        Call((names[i + 1],), find(name), ((parameter, Ref(names[i])),))
        for i, (name, parameter) in enumerate(calls)
    ]
    return Program((X,), tuple(made))


@pytest.mark.long  # shrinking takes hundreds of attempts
def test_a_planted_fault_shrinks_to_a_few_lines(monkeypatch):
    def planted(each, lane, want):
        wrong = any(call.row.name == "argsort" for call in each.calls)
        return (Outcome.WRONG if wrong else Outcome.SAME), ["planted"]

    monkeypatch.setattr(tally, "examine", planted)
    with pytest.raises(AssertionError, match="planted") as raised:
        run(200, seed=1)
    notes = "\n".join(raised.value.__notes__)
    assert "seed 1" in notes
    body = re.findall(r"^    \w.* = (tf\.[\w.]+)\(", notes, re.MULTILINE)
    assert "tf.argsort" in body
    assert len(body) <= 3  # no program has fewer than two


def test_a_program_reads_as_code():
    assert repr(program(("exp", "x"), ("math.cumprod", "x"))) == (
        "\n"
        "nan, inf = float('nan'), float('inf')\n"
        "def program(x):\n"
        "    a = tf.exp(x=x)\n"
        "    b = tf.math.cumprod(x=a)\n"
        "    return b\n"
        "program(\n"
        "    tf.constant([0.100000001, 0.200000003, 7.30000019], tf.float32),  # x: TensorSpec([None])\n"
        ")"
    )


def moved(want: Answer, name: str, number) -> Answer:
    return Answer({**want.values, name: np.asarray(number)}, want.gradients, None)


def test_another_number_is_no_rounding():
    each = program(("exp", "x"), ("floor", "x"))
    want = tensorflow_answer.answer(each)
    floors = want.values["b"]
    assert verdict.judge(each, want, want) == (Verdict.SAME, [])
    wrong, lines = verdict.judge(each, moved(want, "b", floors + 1), want)
    assert wrong is Verdict.WRONG
    assert lines == ["b: value at (0,): np.float64(2.0), should be np.float64(1.0) (3 of 3 differ)"]


def test_a_knife_edge_is_seen():
    # The arcsine of the sine of 0.1, by 0.1, is 1 or just below: which floor it has is rounding.
    calls = (
        Call(("a",), find("sin"), (("x", Ref("x")),)),
        Call(("b",), find("asin"), (("x", Ref("a")),)),
        Call(("c",), find("divide"), (("x", Ref("b")), ("y", Ref("x")))),
        Call(("d",), find("floor"), (("x", Ref("c")),)),
    )
    each = Program((X,), calls)
    want = tensorflow_answer.answer(each)
    other = np.where(want.values["d"] == 1, 0, 1)[:1].astype(np.float32)
    answer = moved(want, "d", np.concatenate([other, want.values["d"][1:]]))
    assert verdict.judge(each, answer, want)[0] is Verdict.KNIFE_EDGE


def test_a_nan_that_tensorflow_drops_on_the_way_back_is_no_fault_of_ours():
    zeros = Input("x", np.zeros(3, np.float32), (True,))
    calls = (
        Call(("a",), find("math.cumulative_logsumexp"), (("x", Ref("x")),)),
        Call(("b",), find("pow"), (("x", Ref("a")), ("y", Ref("a")))),
    )
    each = Program((zeros,), calls)
    want = tensorflow_answer.answer(each)
    assert np.isfinite(want.gradients["x"]).all()
    slopes = want.gradients["x"].copy()
    slopes[0] = np.nan
    answer = want._replace(gradients={"x": slopes})
    assert verdict.judge(each, answer, want)[0] is Verdict.KNIFE_EDGE
    slopes[1] += 1
    assert verdict.judge(each, answer, want)[0] is Verdict.WRONG


def test_errors_are_compared_by_class():
    want = tf.errors.InvalidArgumentError(None, None, "theirs")
    assert same_error(shims.InvalidArgumentError("ours"), want)
    assert not same_error(shims.errors.NotFoundError("ours"), want)
    assert not same_error(None, want)
    assert not same_error(shims.InvalidArgumentError("ours"), None)


def test_too_much_left_out_is_seen():
    tally = Tally()
    tally.programs = 100
    tally.outcomes["eager", Outcome.KNIFE_EDGE] = 4
    assert tally.excess() == []
    tally.outcomes["eager", Outcome.KNIFE_EDGE] = 5
    assert tally.excess() == ["eager: 5 of 100 programs: knife edge"]
    tally.reasons["eager", Outcome.KNIFE_EDGE].update(["a", "b", "b"])
    assert tally.excess() == ["eager: 5 of 100 programs, 2 of them for 'b': knife edge"]


def test_what_is_left_out_has_a_reason_that_holds():
    names = [row.name for row in operators.cases.operators()]
    unused = [s for s in operators.LEFT_OUT if not any(n.startswith(s) for n in names)]
    assert unused == []
    assert len(operators.everything()) > 200
    assert len(operators.sized_by_data()) > 40


def test_documented_differences_are_known():
    each = operators.operator(find("sort"))
    assert each.is_documented_difference([np.asarray([1.0, np.nan])])
    assert not each.is_documented_difference([np.asarray([1.0, 2.0])])


def test_what_tensorflow_overflows_or_does_not_is_left_out():
    each = operators.operator(find("matmul"))
    assert each.is_documented_difference([np.float32([[-3.4e38, 1]]), np.eye(2)])
    assert not each.is_documented_difference([np.float32([[np.inf, 1]]), np.eye(2)])


def test_an_error_that_a_graph_of_tensorflow_does_not_raise():
    # The real transform of nothing, filled up: refused where the sizes are known, empty where not.
    short = Input("x", np.zeros((0, 2), np.float32), (True, True))
    arguments = (("input_tensor", Ref("x")), ("fft_length", (4,)))
    each = Program((short,), (Call(("a",), find("signal.rfft"), arguments),))
    want = tensorflow_answer.answer(each)
    assert isinstance(want.error, tf.errors.InvalidArgumentError)
    assert tally.examine(each, "compiled", want) == (Outcome.SAME, [])
