"""Moving inputs by an ulp: what moves, what stays, and what is told from the answers."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tf2jax_port.diff.closeness.perturb import (
    ALTERNATING,
    DIRECTIONS,
    TOGETHER,
    Perturbed,
    motion,
)
from tf2jax_port.diff.values.arguments import bind
from tf2jax_port.diff.values.pieces import PIECE

THIRDS = np.array([1 / 3, 2 / 3, 1 / 3, -1 / 7], np.float32)


def near(array: np.ndarray) -> Perturbed:
    return Perturbed(bind(0, (array,), lambda x: x), False)


def moved(array: np.ndarray, direction=(TOGETHER, 1), *, ulps=1) -> np.ndarray:
    return near(array).by(ulps, direction).arrays[0]


@pytest.mark.parametrize("direction", DIRECTIONS, ids=str)
def test_everything_moves_by_about_an_ulp_and_ties_stay_ties(direction):
    after = moved(THIRDS, direction)
    units = np.abs(after - THIRDS) / np.spacing(np.abs(THIRDS))
    assert after.dtype == np.float32
    assert np.all((units >= 1) & (units <= 2))
    assert after[0] == after[2]


def test_neighbors_in_size_part():
    pair = np.array([1 / 3, np.nextafter(np.float32(1 / 3), np.float32(1))], np.float32)
    orders = {bool(np.diff(moved(pair, (ALTERNATING, sign)))[0] > 0) for sign in (1, -1)}
    assert orders == {True, False}


def test_round_numbers_zeros_and_non_numbers_stay():
    array = np.array([0.5, 3.0, -0.0, np.nan, np.inf, 1024.0], np.float32)
    other = np.append(array, np.float32(1 / 3))
    np.testing.assert_array_equal(moved(other)[:-1], array)
    assert not near(other).all_round


def test_round_numbers_move_where_there_is_nothing_else():
    array = np.array([0.5, 3.0, -0.0, np.nan, np.inf, 1024.0], np.float32)
    assert near(array).all_round
    assert np.count_nonzero(moved(array) != array) == 4  # NaN is one of them


@pytest.mark.parametrize("dtype", [np.float32, np.float64, ml_dtypes.bfloat16])
def test_large_arrays_move_as_small_ones_do(dtype):
    rng = np.random.default_rng(0)
    array = rng.normal(size=(3, PIECE)).astype(dtype)
    array[1, :5] = array[0, :5]
    places = np.unique(np.abs(array).astype(np.float64), return_inverse=True)[1]
    odd = places.reshape(array.shape) % 2 == 1
    after, other = moved(array, (ALTERNATING, 1)), moved(array, (TOGETHER, 1))
    down = moved(array, (TOGETHER, -1))
    np.testing.assert_array_equal(after, np.where(odd, other, down))
    for row in (0, 2):
        np.testing.assert_array_equal(other[row], moved(array[row]))


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
