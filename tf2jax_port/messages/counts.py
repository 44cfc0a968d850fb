"""Write counts with their nouns."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a count with its noun: `1 call`, `2,000 calls`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
