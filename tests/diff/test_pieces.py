"""Large arrays are reckoned with piece by piece, with the same results; what cannot be settled is not tried."""

from __future__ import annotations

import numpy as np
import pytest

from tf2jax_port.diff.closeness import closeness, explain
from tf2jax_port.diff.closeness.closeness import distance, gauge, norms, rms, settled
from tf2jax_port.diff.closeness.comparison import Rules, compare, furthest
from tf2jax_port.diff.closeness.explain import Alternative, Probe
from tf2jax_port.diff.closeness.perturb import motion
from tf2jax_port.diff.values.pieces import PIECE, holds_anywhere, in_pieces, pieces
from tf2jax_port.diff.values.precision import exact_wide

SHAPES = [(), (0, 3), (7,), (PIECE,), (3, PIECE + 1)]


def drawn(shape, seed=0, dtype=np.float32):
    return np.asarray(np.random.default_rng(seed).normal(size=shape)).astype(dtype)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_pieces_are_the_whole(shape):
    a, b = drawn(shape), drawn(shape, 1)
    found = [np.concatenate(part) for part in zip(*pieces(a, b))]
    assert not a.size or np.array_equal(found, [a.reshape(-1), b.reshape(-1)])
    np.testing.assert_array_equal(in_pieces(np.hypot, a, b), np.hypot(a, b))
    assert holds_anywhere(np.equal, a, a) == bool(a.size)
    assert not holds_anywhere(np.not_equal, a, a)


def test_one_element_is_found_wherever_it_is():
    a = drawn((3, PIECE))
    for place in ((0, 0), (1, PIECE - 1), (2, PIECE - 1)):
        other = a.copy()
        other[place] += 1
        assert holds_anywhere(np.not_equal, a, other)
        assert norms(a, other)[1] == pytest.approx(1)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("scale", [1.0, 1e300])
def test_norms(shape, scale):
    a, b = scale * drawn(shape, dtype=np.float64), scale * drawn(shape, 1, np.float64)
    error = distance(a, b)
    most = float(np.max(error, initial=0.0))
    mean = most * np.sqrt(np.mean(np.square(error / most))) if most else 0.0
    np.testing.assert_allclose(norms(a, b), (mean, most), rtol=1e-14)
    np.testing.assert_allclose(rms(error), mean, rtol=1e-14)


@pytest.mark.parametrize("flipped", [False, True])
def test_errors_without_a_median_are_those_with_one(flipped):
    truth = drawn((2, PIECE), dtype=np.float64)
    array = (truth * (1 + 1e-7 * drawn(truth.shape, 1))).astype(np.float32)
    array[1, 3] = 100.0 if flipped else array[1, 3]
    error = settled(exact_wide(array), truth)
    found = closeness._settled_norms(array, truth)
    np.testing.assert_allclose(found, (rms(error), float(np.max(error))), rtol=1e-12)
    assert found[1] < 1e-4


@pytest.mark.parametrize("place", [(0, 0), (1, 5)])
def test_what_is_not_finite_stands_in_for_the_truth(place):
    reference, truth = drawn((2, PIECE)), drawn((2, PIECE)).astype(np.float64)
    for odd in (np.nan, np.inf):
        other = truth.copy()
        other[place] = odd
        assert gauge(np.dtype("float32"), reference, other, []).truth[place] == reference[place]
        given = reference.copy()
        given[place] = odd
        found = gauge(np.dtype("float32"), given, truth, []).truth[place]
        assert np.isnan(found) if np.isnan(odd) else found == odd


def test_motion_of_a_large_array_is_that_of_its_parts():
    still = drawn((2, PIECE))
    small, large = still * np.float32(1 + 1e-7), still * np.float32(1 + 8e-7)
    large[1, 7] += 1
    found = motion(still, small, large, 1e-9)
    for row in (0, 1):
        part = motion(still[row], small[row], large[row], 1e-9)
        np.testing.assert_array_equal(found.noise[row], part.noise)
        np.testing.assert_array_equal(found.jumps[row], part.jumps)
    assert found.jumps[1, 7]


@pytest.mark.parametrize("wrong", [1, 3, 40])
def test_the_elements_that_are_furthest_off(wrong):
    a = drawn((3, PIECE), dtype=np.float64)
    places = np.random.default_rng(wrong).choice(a.size, wrong, replace=False)
    b = a.copy()
    b.reshape(-1)[places] += np.arange(1, wrong + 1)
    found = furthest(a, b, gauge(np.dtype("float64"), a, None, [a]))
    expected = [np.unravel_index(i, a.shape) for i in places[::-1][:5]]
    assert [one.index for one in found] == expected
    assert found[0].mismatched == wrong


def test_the_first_of_those_that_are_equally_far_off_is_shown():
    a = np.zeros((3, PIECE))
    found = furthest(a, a + 1, gauge(np.dtype("float64"), a, None, [a]))
    assert (found[0].index, found[0].mismatched) == ((0, 0), a.size)


def asked(reference, port, lanes=(), moved=()):
    """The outcome, with and without the test that ends the search early."""
    truth = exact_wide(reference)
    measure = gauge(reference.dtype, reference, truth, [reference])
    rules = Rules(False)
    first = compare(reference, port, measure, rules)
    probe = Probe(reference, list(moved), True)
    words = (reference, port, first, measure, rules, lanes, lambda: None, lambda: probe)
    return explain.explain(*words).outcome


def rows():
    """References, ports, and the other answers of the original."""
    a = drawn((400,)) + 3
    other = a.copy()
    other[5] += 1
    yield "fault", a, a * np.float32(1.01), (), ()
    yield "fault in one element", a, other, (), ()
    yield "another lane", a, other, (Alternative("a lane", other),), ()
    yield "in float64", a, other, (Alternative("a lane", other.astype(np.float64)),), ()
    yield "another answer elsewhere", a, other, (Alternative("a lane", np.roll(other, 1)),), ()
    yield "a jump", a, other, (), [(other, other)]
    loud = a * (1 + np.float32(1e-4) * drawn((400,), 2))
    yield "moves as far", a, loud, (), [(loud, a + 8 * (loud - a))]
    yield "moves less far", a, loud, (), [(a + (loud - a) / 99, a + (loud - a) / 12)]


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: row[0])
def test_what_is_out_of_reach_is_so_without_looking_first(row, monkeypatch):
    early = asked(*row[1:])
    monkeypatch.setattr(explain, "_out_of_reach", lambda *_: False)
    assert asked(*row[1:]) == early
    expected = {"another lane": "knife-edge", "in float64": "knife-edge", "a jump": "knife-edge"}
    expected["moves as far"] = "equal"
    assert early == expected.get(row[0], "different")


def test_the_early_end_is_taken(monkeypatch):
    monkeypatch.setattr(explain, "_widen", None)
    _, a, port, _, _ = next(rows())
    assert asked(a, port, (), [(a, a)]) == "different"
