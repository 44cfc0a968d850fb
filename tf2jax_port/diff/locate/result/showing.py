"""Convert a located difference to JSON data and to lines of text."""

from __future__ import annotations

from typing import Any

from tf2jax_port.diff.locate.result.located import (
    GRADIENT,
    INTERFACE,
    RAISED,
    VALUE,
    Located,
    NotLocated,
    Spot,
)
from tf2jax_port.diff.locate.watch.reading import last_line
from tf2jax_port.diff.vocabulary.numbers import finite, number

_SENTENCES = {
    VALUE: "the first operation whose inputs agree and whose result does not",
    GRADIENT: "the first operation, counted backward from the outputs, whose cotangent differs",
    INTERFACE: "the first operation whose result has the same elements and a different shape or type",
    RAISED: "the operation at which the port stops",
}

_CONFIRMED = (
    "confirmed: if the original's value is used at this place, every output that differed agrees, and no earlier "
    "operation can be the cause"
)
_LIKELY = (
    "likely: if the original's value is used at this place, the operations that follow agree, but another output "
    "still differs, or an earlier line could also be the cause"
)


def to_data(found: Located | NotLocated | None) -> dict[str, Any] | None:
    """Convert a located difference to JSON data in the schema of the report; `None` if not located."""
    if not isinstance(found, Located):
        return None
    return {
        "old": _spot(found.old, "op"),
        "new": _spot(found.new, "primitive"),
        "iteration": found.iteration,
        "cause": found.cause,
        "kind": found.kind,
        "case": found.case,
        "confirmed": found.confirmed,
        "element": None
        if found.element is None
        else {
            "index": list(found.element.index),
            "old": [finite(one) for one in found.element.old],
            "new": [finite(one) for one in found.element.new],
        },
        "further": [to_data(one) for one in found.further],
    }


def lines(found: Located | NotLocated) -> list[str]:
    """Return the lines of text that describe a difference in the terminal."""
    if isinstance(found, NotLocated):
        return [f"not located: {found.reason}"]
    told = [f"old  {found.old.shown}" if found.old else "old  no line of your program"]
    told += [f"new  {found.new.shown}" if found.new else "new  no line of your program"]
    return [*told, *guess(found), *evidence(found)]


def guess(found: Located) -> list[str]:
    """Return as text the likely cause, and whether the outputs agree with the original's value at this line."""
    told = [f"perhaps: {found.cause}"] if found.cause else []
    if found.kind == VALUE:
        told.append(_CONFIRMED if found.confirmed else _LIKELY)
    return told


def evidence(found: Located) -> list[str]:
    """Return as lines of text the faulty lines, their values, and the lines of later faults."""
    told = [f"{_SENTENCES[found.kind]}, in case {found.case}"]
    if found.iteration is not None:
        told.append(f"in pass {found.iteration} of the loop, counted from 0")
    if found.element is not None:
        index = ", ".join(map(str, found.element.index))
        old, new = (
            "  ".join(number(one) for one in row) for row in (found.element.old, found.element.new)
        )
        told += [f"around element [{index}]:", f"  old  {old}", f"  new  {new}"]
    for other in found.further:
        if other.new is not None:
            when = "before this operation, values differ" if found.kind == RAISED else "and later"
            told.append(f"{when}: {other.new.shown}")
    return told


def _spot(found: Spot | None, name: str) -> dict[str, Any]:
    if found is None:
        return {"file": "", "line": 0, "end_line": 0, name: ""}
    place = found.place
    lines = {"line": place.line, "end_line": last_line(place)}
    return {"file": place.shown, **lines, name: found.operation}
