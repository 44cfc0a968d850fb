"""All written cases."""

from __future__ import annotations

from . import ragged_cases
from .case import Case

CASES: tuple[Case, ...] = (*ragged_cases.CASES,)
