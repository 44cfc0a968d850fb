"""The programs table: each row equals plain JAX on exact arrays, in value and gradient."""

from __future__ import annotations

import warnings

import pytest

import shims
from tests.tracing import programs, row_lanes
from tests.tracing.programs.row import Masked, Refused
from tests.tracing.row_lanes import assert_close

ROWS = (*programs.MASKED, *programs.SELECTING)


def name(row) -> str:
    """`theme-program`, so that a failing id says which file to open."""
    return f"{row.f.__module__.rpartition('.')[2]}-{row.name}"


def refused_on_exact_arrays(row, case: str) -> bool:
    if isinstance(row, Masked):
        return case == "zero" and row.empty is Refused
    return case in row.refused_cases


def check(lane, row, cases) -> None:
    """Compares cases of a row; collects what differs over all of them before it raises."""
    problems = []
    for case in cases:
        if refused_on_exact_arrays(row, case):
            continue
        if lane is not row_lanes.top_level and row_lanes.is_flagged(row, case):
            row_lanes.assert_exact_or_error_value(lane, row, case)
            continue
        got = row_lanes.run(lane, row, case)
        want = row_lanes.exact(row, case)
        for what, a, b in zip(("outputs", "gradients"), got, want, strict=True):
            try:
                assert_close(a, b, row.tolerance, what)
            except AssertionError as error:
                problems.append(f"{row.name}, {case}: {error}")
    assert not problems, "\n".join(problems)


def check_or_refusal(lane, row, cases) -> None:
    """A row that may refuse gives the right answer, or a documented error that shows the way."""
    refusal = None
    try:
        check(lane, row, cases)
    except row_lanes.DOCUMENTED as error:
        if not row.refusal:
            raise
        refusal = str(error)
    if refusal is not None:
        assert "  At:       " in refusal, refusal
        assert "  Do:       " in refusal, refusal


# A part of them at every change, all of them with every case in `make test-long`.
EVERY_FOURTH = [
    pytest.param(row, id=name(row), marks=pytest.mark.long if i % 4 else ())
    for i, row in enumerate(ROWS)
]


def check_in_a_jit(lane, row, cases) -> None:
    if getattr(row, "unbounded", False):
        with pytest.raises(shims.CapacityError):
            check(lane, row, cases)
        return
    check_or_refusal(lane, row, cases)


@pytest.mark.parametrize("row", EVERY_FOURTH)
def test_under_a_foreign_jit(row):
    check_in_a_jit(row_lanes.foreign, row, row_lanes.few_cases_of(row))


# JAX writes the size of a cotangent in another way than that of its array, and does not see that they are equal.
BECOME_CONSTANTS = {"layout-interior_padding"}


def _with_warning(row):
    ignored = "ignore::shims.errors.SpecializationWarning"
    marks = [pytest.mark.filterwarnings(ignored)] if name(row) in BECOME_CONSTANTS else []
    return pytest.param(row, marks=marks)


@pytest.mark.parametrize("row", [_with_warning(row) for row in ROWS], ids=name)
def test_at_the_top_level(row):
    check_or_refusal(row_lanes.top_level, row, row_lanes.few_cases_of(row))


@pytest.mark.long
@pytest.mark.parametrize("row", ROWS, ids=name)
def test_every_case(row):
    check_in_a_jit(row_lanes.foreign, row, row_lanes.cases_of(row))
    check_or_refusal(row_lanes.top_level, row, row_lanes.cases_of(row))


@pytest.mark.long
@pytest.mark.parametrize("row", ROWS, ids=name)
def test_differentiated_inside(row):
    check_in_a_jit(row_lanes.inside, row, row_lanes.cases_of(row))


REFUSED = [row for row in ROWS if refused_on_exact_arrays(row, "zero")]


@pytest.mark.parametrize("row", REFUSED, ids=name)
def test_no_rows_raise_where_plain_jax_raises(row):
    with pytest.raises(Exception) as plain:  # noqa: PT011 - the reference decides which
        row_lanes.exact(row, "zero")
    with pytest.raises((type(plain.value), shims.errors.OpError)):
        row_lanes.run(row_lanes.top_level, row, "zero")


SPECIALIZED = [row for row in programs.SIZED if row.specializes]
POLYMORPHIC = [row for row in programs.SIZED if not row.specializes]


@pytest.mark.parametrize("row", POLYMORPHIC, ids=name)
def test_unknown_sizes_equal_plain_jit(row):
    check_sized(row, row_lanes.few_cases_of(row))


@pytest.mark.long
@pytest.mark.parametrize("row", POLYMORPHIC, ids=name)
def test_every_size_equals_plain_jit(row):
    check_sized(row, row_lanes.cases_of(row))


def check_sized(row, cases) -> None:
    problems = []
    for case in cases:
        try:
            want = row_lanes.exact(row, case)
        except Exception as error:  # noqa: BLE001 - plain jit refuses, and so must we
            with pytest.raises((type(error), shims.errors.OpError)):
                row_lanes.run(row_lanes.top_level, row, case)
            continue
        got = row_lanes.run(row_lanes.top_level, row, case)
        for what, a, b in zip(("outputs", "gradients"), got, want, strict=True):
            try:
                assert_close(a, b, row.tolerance, what)
            except AssertionError as error:
                problems.append(f"{row.name}, n={case}: {error}")
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("row", SPECIALIZED, ids=name)
def test_unknown_sizes_that_become_constants_say_so_once(row):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_sized(row, row_lanes.cases_of(row))
    messages = [str(w.message) for w in caught]
    assert len(messages) == 1, messages
    assert f"{row.f.__module__.rpartition('.')[2]}.py:" in messages[0], messages[0]


def test_the_table_is_large_enough_and_its_names_are_unique():
    names = [name(row) for row in (*ROWS, *programs.SIZED)]
    assert len(names) == len(set(names))
    assert len(names) > 300
