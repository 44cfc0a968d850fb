"""Recorded calls: their gradients, the line at which a port parts from them, and which calls are kept."""

import dataclasses
import sys

import numpy as np
import pytest

from tf2jax_port.diff.code_bases import prove
from tf2jax_port.diff.code_bases.call_file import Call, Calls
from tf2jax_port.diff.code_bases.encoding import Encoder, encode
from tf2jax_port.diff.code_bases.locating import located
from tf2jax_port.diff.code_bases.outcomes import Outcome
from tf2jax_port.diff.code_bases.replay import ALL_LANES, LANES, Replay, lanes_of
from tf2jax_port.diff.code_bases.sampling import Sampling
from tf2jax_port.diff.code_bases.slopes import cotangent
from tf2jax_port.diff.code_bases.steps import Step, encoded

PORT = """
import jax

def square(x):
    return x * x

def stopped(x):
    return x * jax.lax.stop_gradient(x)

def by_value(x):
    return x * float(x[0])

def sized(n):
    return jax.numpy.ones(int(n))

def in_lines(x):
    h = x + 1
    for _ in range(2):
        h = h * 3
    return h - 1
"""
X = np.array([1.0, 2.0], np.float32)


@pytest.fixture
def port(tmp_path, monkeypatch):
    (tmp_path / "deep_port.py").write_text(PORT)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("deep_port", None)


def recorded(name, x, result, slope=None, steps=()):
    arrays = [x]
    tensor = {"kind": "tensor", "array": 0, "dtype": x.dtype.name}
    packed = encode([[], {}], arrays)
    packed["items"][0]["items"] = [tensor]
    call = Call("deep_port", name, {"call": packed}, encode(result, arrays))
    if slope is not None:
        values = encode([slope], arrays)
        gradients = {"of": [0], "to": [["tensor", 0, "x"]], "values": values}
        call = dataclasses.replace(call, gradients=gradients)
    call = dataclasses.replace(call, steps=encoded(steps, Encoder(arrays)))
    return call, Calls((call,), tuple(arrays), ("deep_port",))


def test_gradients_of_a_call_are_those_of_its_original(port):
    slope = 2 * X * cotangent(0, (2,))
    outcomes = {}
    for name in ("square", "stopped"):
        call, calls = recorded(name, X, X * X, slope)
        replay = Replay(calls)
        outcomes[name] = [replay.run(call, lane) for lane in lanes_of(call)]
    assert [found.outcome for found in outcomes["square"]] == [Outcome.EQUAL] * len(ALL_LANES)
    *values, gradient = outcomes["stopped"]
    assert {found.outcome for found in values} == {Outcome.EQUAL}
    assert gradient.outcome is Outcome.DIFFERENT
    assert gradient.detail.startswith("the gradient with respect to x: 3.5")


def test_a_call_without_gradients_has_no_lane_for_them(port):
    call, _ = recorded("square", X, X * X)
    assert lanes_of(call) == LANES


def test_what_needs_the_value_of_an_array_fails_under_jit(port):
    call, calls = recorded("by_value", X, X)
    found = Replay(calls).run(call, "jit")
    assert found.outcome is Outcome.ERROR
    assert found.detail.startswith("ConcretizationTypeError")
    assert Replay(calls).run(call, "eager").outcome is Outcome.EQUAL
    # A size is a number in a port.
    call, calls = recorded("sized", np.array(3, np.int32), np.ones(3, np.float32))
    found = Replay(calls).run(call, "jit")
    assert (found.outcome, found.detail) == (
        Outcome.EQUAL,
        "with integers passed as Python numbers",
    )


def steps_of(factor):
    h = X + 1
    yield Step(20, "h", (2,), h)
    for _ in range(2):
        yield Step(21, "_", (), np.asarray([_]))
        h = h * factor
        yield Step(22, "h", (2,), h)


@pytest.mark.parametrize(
    ("factor", "line", "said"),
    [
        (3, 20, "the values of all names that were assigned earlier agree"),
        (2, 19, "`h` is the first value that differs, line 22 of the original"),
    ],
)
def test_a_difference_is_told_at_its_line(port, factor, line, said):
    call, calls = recorded("in_lines", X, X, steps=steps_of(factor))
    replay = Replay(calls)
    run = lambda: replay.result(call, "eager")
    assert located(call, replay.arrays, str(port), run) == (f"deep_port.py:{line}", said)


def test_nothing_is_told_of_a_port_with_other_names(port):
    call, calls = recorded("in_lines", X, X, steps=[Step(20, "other", (2,), X)])
    replay = Replay(calls)
    found = located(call, replay.arrays, str(port), lambda: replay.result(call, "eager"))
    assert found == ("", "")


def test_other_kinds_and_other_branches_are_kept():
    function, sampling = ("m", "f"), Sampling(2)

    def ends(kinds, branches):
        assert sampling.wants(function, kinds)
        return sampling.keeps(function, kinds, str(kinds), branches)

    assert ends(1, {(0, 1)})
    assert not ends(1, {(0, 1)})
    assert ends(1, {(0, 2)})
    assert ends(2, {(0, 1)})
    assert not ends(3, {(0, 1)})  # a third kind
    assert ends(3, {(0, 3)})
    assert sampling.is_done(function)


def test_calls_that_bring_nothing_new_are_looked_at_no_more():
    function, sampling = ("m", "f"), Sampling(5)
    assert sampling.wants(function, 1)
    sampling.keeps(function, 1, "1", set())
    looked = 0
    while sampling.wants(function, 1):
        sampling.keeps(function, 1, "1", set())
        looked += 1
    assert looked == 200
    assert sampling.wants(function, 2)


def test_the_lanes_of_a_call_stay_together():
    places = [(index, lane) for index in range(5) for lane in LANES]
    shares = prove._shares(places, 2)
    assert sorted(place for share in shares for place in share) == sorted(places)
    assert [sorted({index for index, _ in share}) for share in shares] == [[0, 2, 4], [1, 3]]
    assert prove._shares([], 2) == []


def test_arrays_are_stored_once(tmp_path):
    from tf2jax_port.diff.code_bases.call_file import read_calls

    call, calls = recorded("square", X, X.copy())
    calls.write(tmp_path / "calls.npz")
    again = read_calls(tmp_path / "calls.npz")
    assert again.calls == (call,)
    assert len(again.arrays) == 2
    assert again.arrays[0] is again.arrays[1]
