"""List the differences between two goldens of the same original program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tf2jax_port.diff.golden_file.golden import Golden, GoldenCase
from tf2jax_port.diff.values.arguments import is_inexact
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.values.observation import Observation
from tf2jax_port.diff.values.precision import exact_wide, ulp
from tf2jax_port.diff.vocabulary.lanes import BY_ID


def changes(before: Golden, after: Golden) -> list[str]:
    """Return one line for each difference between two goldens; arrays are compared bit by bit."""
    lines = [
        _change_line(name, getattr(before, field), getattr(after, field))
        for name, field in (
            ("original", "spec"),
            ("framework", "framework"),
            ("seed", "seed"),
            ("64-bit types", "x64"),
            ("device", "device"),
        )
        if getattr(before, field) != getattr(after, field)
    ]
    lines += _compare_versions("version of ", before.versions, after.versions)
    if before.terms["old"]["sha256"] != after.terms["old"]["sha256"]:
        lines.append("original: the source of the function changed")
    old = {case.case.index: case for case in before.cases}
    new = {case.case.index: case for case in after.cases}
    for index in sorted({*old, *new}):
        if index not in new:
            lines.append(f"case {index}: the case was removed")
        elif index not in old:
            lines.append(f"case {index}: the case is new")
        else:
            lines += [f"case {index}: {text}" for text in _compare_cases(old[index], new[index])]
    return lines


def _change_line(name: str, before: Any, after: Any) -> str:
    return f"{name}: {before} became {after}"


def _compare_versions(what: str, before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    names = sorted({*before, *after})
    changed = [n for n in names if before.get(n) != after.get(n)]
    return [
        _change_line(f"{what}{n}", before.get(n, "none"), after.get(n, "none")) for n in changed
    ]


def _compare_cases(before: GoldenCase, after: GoldenCase) -> Iterator[str]:
    if before.case.digest() != after.case.digest():
        yield "its inputs changed"
    for lane in BY_ID:
        if lane in before.lanes and lane in after.lanes:
            for text in _compare_observations(before.lanes[lane], after.lanes[lane]):
                yield f"{BY_ID[lane].title}, {text}"


def _compare_observations(before: Observation, after: Observation) -> Iterator[str]:
    yield from _compare_outputs("", before.outputs, after.outputs)
    for kind in dict.fromkeys([*before.gradients, *after.gradients]):
        missing = Failure("missing", "no gradient was taken")
        one, other = (run.gradients.get(kind, missing) for run in (before, after))
        for text in _compare_outputs("d/d ", one, other):
            yield f"{text} ({kind})"


def _compare_outputs(prefix: str, before: Any, after: Any) -> Iterator[str]:
    if isinstance(before, Failure) or isinstance(after, Failure):
        reasons = [f.reason if isinstance(f, Failure) else "numbers" for f in (before, after)]
        if reasons[0] != reasons[1]:
            yield _change_line(f"{prefix or 'outputs'}".strip(), *reasons)
        return
    for path in dict.fromkeys([*before, *after]):
        if path not in after or path not in before:
            yield f"{prefix}{path}: it is {'gone' if path in before else 'new'}"
        else:
            text = _describe_change(before[path], after[path])
            if text:
                yield f"{prefix}{path}: {text}"


def _describe_change(before: np.ndarray | None, after: np.ndarray | None) -> str:
    """Describe how two arrays differ; an empty text if they are identical bit by bit."""
    if before is None or after is None:
        return "" if before is after else "None became numbers" if before is None else "became None"
    if (before.shape, before.dtype) != (after.shape, after.dtype):
        words = [f"{a.dtype.name}{list(a.shape)}" for a in (before, after)]
        return f"{words[0]} became {words[1]}"
    if before.tobytes() == after.tobytes():
        return ""
    if not is_inexact(before.dtype):
        return f"{np.count_nonzero(before != after)} of {before.size} elements changed"
    a, b = exact_wide(before), exact_wide(after)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if same.all():
        return "only signs of zero or bits of NaN changed"
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = np.abs(b - a) / np.abs(a)
    worst = np.unravel_index(
        np.argmax(np.where(same, -1, np.nan_to_num(apart, nan=np.inf))), a.shape
    )
    share = f"{np.count_nonzero(~same)} of {a.size} elements changed"
    place = "" if not worst else f" at {[int(i) for i in worst]}"
    ulps = f" ({apart[worst] / ulp(before.dtype):.3g} ulp)" if np.isfinite(apart[worst]) else ""
    return f"{share}, most{place}: {a[worst]:.9g} became {b[worst]:.9g}{ulps}"
