"""All written cases."""

from __future__ import annotations

from . import (
    array_cases,
    control_flow_cases,
    differentiation_cases,
    linear_operator_cases,
    ragged_cases,
    random_cases,
    sequence_cases,
    sparse_cases,
    state_cases,
)
from .case import Case

CASES: tuple[Case, ...] = (
    *array_cases.CASES,
    *control_flow_cases.CASES,
    *differentiation_cases.CASES,
    *linear_operator_cases.CASES,
    *ragged_cases.CASES,
    *random_cases.CASES,
    *sequence_cases.CASES,
    *sparse_cases.CASES,
    *state_cases.CASES,
)
