"""The measure itself, on arrays alone: no framework runs here."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tf2jax_port.diff.closeness.closeness import Gauge, gauge, limit, rms, settled
from tf2jax_port.diff.closeness.comparison import Comparison, Rules, compare

F32 = np.dtype("float32")
ULP = 2.0**-23
NARROW = Rules(x64=False)


def made(truth: list[float], *, error: float = 0.0) -> tuple[np.ndarray, Gauge]:
    """A float32 reference and its gauge; the baseline is off by `error` of itself."""
    wide = np.array(truth)
    reference = (wide * (1 + error)).astype(np.float32)
    return reference, gauge(F32, reference, wide, [reference])


def judged(a: np.ndarray, b: np.ndarray, measure: Gauge | None) -> Comparison:
    return compare(a, b, measure, NARROW)


def test_an_exact_original_asks_for_a_few_ulp():
    reference, measure = made([1.0] * 100)
    assert judged(reference, reference * np.float32(1 + 4 * ULP), measure).agrees
    assert not judged(reference, reference * np.float32(1 + 20 * ULP), measure).agrees


def test_an_original_with_an_error_of_its_own_grants_as_much_to_the_port():
    reference, measure = made([1.0] * 100, error=1e-4)
    assert judged(reference, np.float32([1 - 2e-4] * 100), measure).agrees
    assert not judged(reference, np.float32([1 - 2e-3] * 100), measure).agrees


def test_one_wrong_element_among_a_million_is_found():
    reference, measure = made([1.0] * 1_000_000)
    port = reference.copy()
    port[123_456] += 1e-4
    found = judged(reference, port, measure)
    assert (found.stage, found.problem) == ("values", "values differ")
    assert found.worst is not None
    assert (found.worst.index, found.worst.mismatched) == ((123_456,), 1)


def test_small_errors_everywhere_are_found():
    reference, measure = made([1.0] * 1000)
    assert not judged(reference, reference + np.float32(2e-6), measure).agrees


def test_luck_counts_for_more_in_a_scalar():
    assert limit(1) == 16
    assert limit(10**6) == pytest.approx(4, rel=1e-5)


def test_a_port_that_is_better_than_the_original_is_no_fault():
    reference, measure = made([1.0, 2.0], error=1e-5)
    assert judged(reference, np.float32([1.0, 2.0]), measure).agrees


def test_the_worst_element_in_all_its_figures():
    reference, measure = made([1.0, 2.0, 4.0])
    worst = judged(reference, np.float32([1.0, 2.5, 4.25]), measure).worst
    assert worst is not None
    assert (worst.index, worst.old, worst.new) == ((1,), 2.0, 2.5)
    assert (worst.absolute, worst.relative) == (0.5, 0.25)
    assert (worst.mismatched, worst.total) == (2, 3)


def test_the_worst_integer_is_the_one_that_is_furthest():
    worst = judged(np.array([1, 2, 3]), np.array([1, 3, 9]), None).worst
    assert worst is not None
    assert (worst.index, worst.old, worst.new, worst.mismatched) == ((2,), 3, 9, 2)


@pytest.mark.parametrize(
    ("a", "b", "stage", "problem"),
    [
        (np.zeros((2, 3)), np.zeros((3, 2)), "interface", "shape [2, 3] against [3, 2]"),
        (np.zeros(2, F32), np.zeros(2, np.int32), "interface", "dtype float32 against int32"),
        (None, np.ones(2), "interface", "None against numbers"),
        (np.ones(2), None, "interface", "numbers against None"),
        (
            np.float32([1, np.nan]),
            np.float32([np.nan, 1]),
            "placement",
            "NaN or infinity is at different positions",
        ),
        (
            np.float32([np.inf]),
            np.float32([-np.inf]),
            "placement",
            "NaN or infinity is at different positions",
        ),
        (np.array([True]), np.array([False]), "values", "values differ"),
    ],
)
def test_stages_and_their_words(a, b, stage, problem):
    measure = None if a is None or a.dtype.kind not in "f" else gauge(a.dtype, a, None, [a])
    found = judged(a, b, measure)
    assert (found.stage, found.problem) == (stage, problem)


def test_none_against_zeros_is_said_and_agrees():
    found = judged(None, np.zeros(3), None)
    assert (found.agrees, found.note) == (True, "None against zeros")


def test_64_bits_are_32_where_jax_has_no_others():
    a, b = np.array([1, 2]), np.array([1, 2], np.int32)
    assert compare(a, b, None, Rules(x64=False)).note == (
        "int64 against int32: JAX has no 64-bit types unless x64 is on"
    )
    assert compare(a, b, None, Rules(x64=True)).stage == "interface"
    assert compare(b, a, None, Rules(x64=True, either_way=True)).agrees


def test_nan_in_the_same_places_agrees_and_the_rest_is_still_compared():
    reference = np.float32([np.nan, 1.0, np.inf])
    measure = gauge(F32, reference, None, [reference])
    assert judged(reference, reference.copy(), measure).agrees
    assert judged(reference, np.float32([np.nan, 1.5, np.inf]), measure).stage == "values"


def test_bfloat16_is_judged_in_its_own_ulp():
    reference = np.ones(50, ml_dtypes.bfloat16)
    measure = gauge(reference.dtype, reference, np.ones(50), [reference])
    next_number = (np.ones(50) * (1 + 2.0**-7)).astype(ml_dtypes.bfloat16)
    assert judged(reference, next_number, measure).agrees
    assert not judged(reference, (next_number * 2), measure).agrees


def test_an_element_that_flips_is_no_measure_for_the_others():
    truth = np.array([1.0] * 50)
    error = settled(np.where(np.arange(50) == 7, 0.0, truth + 1e-8), truth)
    assert error[7] == 0
    assert error[8] == pytest.approx(1e-8)


def test_another_lane_that_parts_company_is_no_measure_either():
    truth = np.array([1.0] * 50)
    near = gauge(F32, np.float32(truth), truth, [np.float32(truth), np.float32(truth + 1e-5)])
    far = gauge(F32, np.float32(truth), truth, [np.float32(truth), np.float32(truth + 1e-2)])
    assert near.own_rms == pytest.approx(1e-5, rel=0.02)
    assert far.own_rms == pytest.approx(2 * ULP)


def test_a_cancelled_gradient_has_the_rounding_of_what_cancelled():
    zero = np.zeros(4, np.float32)
    noise = np.float32([1e-8, -1e-8, 0, 0])
    alone = gauge(F32, zero, np.zeros(4), [zero])
    scaled = gauge(F32, zero, np.zeros(4), [zero], scale=np.full(4, 0.3))
    assert not judged(zero, noise, alone).agrees
    assert judged(zero, noise, scaled).agrees


def test_rounding_shrinks_in_double_precision_and_a_fault_does_not():
    _, measure = made([1.0, 2.0])
    single = np.float32([1.001, 2.0])
    assert measure.is_rounding(single, np.array([1.0 + 1e-12, 2.0]))
    assert not measure.is_rounding(single, np.array([1.001, 2.0]))


def test_what_single_precision_cannot_tell_apart_may_be_left_in_double_precision():
    _, measure = made([1.0, 2.0])
    single = np.float32([1.001, 2.0])
    assert measure.is_rounding(single, np.array([1.0 + 1e-7, 2.0]))
    assert not measure.is_rounding(single, np.array([1.0 + 1e-6, 2.0]))
    assert not measure.is_rounding(np.float32([1.000001, 2.0]), np.array([1.0 + 1e-7, 2.0]))


def test_rms_neither_overflows_nor_divides_by_nothing():
    assert rms(np.array([1e300, 1e300])) == pytest.approx(1e300)
    assert rms(np.array([])) == 0
