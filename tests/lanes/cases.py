"""All written cases."""

from __future__ import annotations

from . import ragged_cases, sequence_cases, sparse_cases
from .case import Case

CASES: tuple[Case, ...] = (*ragged_cases.CASES, *sparse_cases.CASES, *sequence_cases.CASES)
