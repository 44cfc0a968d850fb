"""Moving inputs by an ulp: what moves, what stays, and what is told from the answers."""

from __future__ import annotations

import numpy as np
import pytest

from tf2jax_port.diff.arguments import bind
from tf2jax_port.diff.perturb import (
    ALTERNATING,
    DIRECTIONS,
    TOGETHER,
    all_round,
    motion,
    perturbed,
)

THIRDS = np.array([1 / 3, 2 / 3, 1 / 3, -1 / 7], np.float32)


def moved(array: np.ndarray, direction=(TOGETHER, 1), *, ulps=1, round_too=False) -> np.ndarray:
    case = bind(0, (array,), lambda x: x)
    return perturbed(case, ulps, direction, False, round_too).arrays[0]


@pytest.mark.parametrize("direction", DIRECTIONS, ids=str)
def test_everything_moves_by_about_an_ulp_and_ties_stay_ties(direction):
    after = moved(THIRDS, direction)
    units = np.abs(after - THIRDS) / np.spacing(np.abs(THIRDS))
    assert after.dtype == np.float32
    assert np.all((units >= 1) & (units <= 2))
    assert after[0] == after[2]


def test_neighbours_in_size_part():
    pair = np.array([1 / 3, np.nextafter(np.float32(1 / 3), np.float32(1))], np.float32)
    orders = {bool(np.diff(moved(pair, (ALTERNATING, sign)))[0] > 0) for sign in (1, -1)}
    assert orders == {True, False}


def test_round_numbers_zeros_and_non_numbers_stay():
    array = np.array([0.5, 3.0, -0.0, np.nan, np.inf, 1024.0], np.float32)
    np.testing.assert_array_equal(moved(array), array)
    assert all_round(bind(0, (array,), lambda x: x))
    assert np.count_nonzero(moved(array, round_too=True) != array) == 4  # NaN is one of them


def test_integers_stay_and_complex_numbers_move_in_both_parts():
    assert moved(np.array([7]))[0] == 7
    z = np.array([1 / 3 + 1j / 7], np.complex64)
    after = moved(z)
    assert after.dtype == np.complex64
    assert after.real[0] != z.real[0]
    assert after.imag[0] != z.imag[0]


def test_doubles_move_as_far_as_single_precision_can_tell():
    after = moved(np.array([1 / 3]))
    assert after.dtype == np.float64
    assert abs(after[0] * 3 - 1) > 1e-8


def test_proportion_is_rounding_and_a_step_is_a_jump():
    still = np.array([1.0, 1.0, 1.0, 1.0])
    small = np.array([1.0 + 1e-6, 2.0, 1.0, 1.0])
    large = np.array([1.0 + 8e-6, 2.0, 2.0, 1.0])
    found = motion(still, small, large, own=1e-8)
    assert found.jumps.tolist() == [False, True, True, False]
    assert found.noise[0] == pytest.approx(1e-6)
    assert found.noise[1:].tolist() == [0, 0, 0]
