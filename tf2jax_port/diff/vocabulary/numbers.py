"""Format numbers for reports."""

from __future__ import annotations

import math
from typing import Any


def number(value: float | int | complex | str | bool) -> str:
    """Format a number with up to nine digits, enough to distinguish neighboring float32 values."""
    if isinstance(value, bool) or not isinstance(value, float):
        if isinstance(value, complex):
            sign = "+" if value.imag >= 0 or math.isnan(value.imag) else "-"
            return f"{number(value.real)}{sign}{number(abs(value.imag))}j"
        return str(value)
    return f"{value:.9g}"


def brief(value: float | int | complex | str | bool) -> str:
    """Format a number with four digits, enough to see that two of them differ."""
    return f"{value:.4g}" if isinstance(value, float) else number(value)


def short(value: float) -> str:
    """Format a number with two or three significant digits."""
    if not math.isfinite(value):
        return "∞" if math.isinf(value) else "?"
    if value == 0:
        return "0"
    if 0.01 <= abs(value) < 1000:
        return f"{value:.3g}" if abs(value) >= 100 else f"{value:.2g}"
    return f"{value:.1e}"


def finite(value: complex | str | bool) -> Any:
    """Convert a number to a JSON value: NaN and infinities to text, complex numbers to pairs."""
    if isinstance(value, complex):
        return [finite(value.real), finite(value.imag)]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
