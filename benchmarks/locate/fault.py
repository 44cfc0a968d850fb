"""Define a porting fault: a small edit of a correct port."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A port with one fault, or with two, the second downstream of the first.

    Attributes:
      program: the name of the program.
      kind: the kind of the first fault.
      edits: old text and new text, the first fault first.
    """

    program: str
    kind: str
    edits: tuple[tuple[str, str], ...]


def faults(program: str, *rows: tuple[str, str, str]) -> tuple[Fault, ...]:
    return tuple(Fault(program, kind, ((old, new),)) for kind, old, new in rows)


def two(program: str, kind: str, *edits: tuple[str, str]) -> Fault:
    return Fault(program, kind, edits)
