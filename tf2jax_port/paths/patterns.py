"""Parse and match path patterns in the syntax of `.gitignore`.

A pattern without a slash, except for one at its end, matches at any depth; one with a slash is relative
to the folder that the pattern belongs to. `*` and `?` do not match slashes, `**` does; a slash at the end
means folders only; `!` in front negates the pattern; `#` begins a comment.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable


@dataclasses.dataclass(frozen=True, slots=True)
class Pattern:
    """One parsed `.gitignore` pattern.

    Attributes:
      expression: the regular expression for a path relative to the pattern's folder, with slashes.
      folders_only: whether it applies to folders only.
      negated: whether it re-includes what an earlier pattern matched.
    """

    expression: re.Pattern[str]
    folders_only: bool
    negated: bool


def parse_patterns(lines: Iterable[str]) -> tuple[Pattern, ...]:
    """Parse the lines of a `.gitignore` file; comments, empty and malformed lines are skipped."""
    return tuple(pattern for line in lines if (pattern := _parse(line)) is not None)


def is_matched(patterns: Iterable[Pattern], path: str, *, is_folder: bool) -> bool | None:
    """Return whether a path matches patterns, of which the last matching one decides.

    `False` means that this pattern is negated, `None` that no pattern matches.
    """
    said = None
    for pattern in patterns:
        if pattern.folders_only and not is_folder:
            continue
        if pattern.expression.fullmatch(path):
            said = not pattern.negated
    return said


def _parse(line: str) -> Pattern | None:
    line = line.rstrip("\r\n")
    if line.startswith("#"):
        return None
    line = _without_trailing_spaces(line)
    negated = line.startswith("!")
    line = line[negated:]
    folders_only = line.endswith("/")
    line = line.removesuffix("/")
    if not line or line.endswith("/"):
        return None
    anchored = "/" in line
    try:
        expression = re.compile(_expression(line.removeprefix("/"), anchored), re.DOTALL)
    except (re.error, _MalformedError):
        return None
    return Pattern(expression, folders_only, negated)


class _MalformedError(Exception):
    """The error for a pattern that no path can match."""


def _without_trailing_spaces(line: str) -> str:
    stripped = line.rstrip(" ")
    escaped = len(stripped) - len(stripped.rstrip("\\"))
    return line[: len(stripped) + 1] if escaped % 2 and stripped != line else stripped


def _expression(pattern: str, anchored: bool) -> str:
    parts = pattern.split("/")
    out = [] if anchored else ["(?:.*/)?"]
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if part == "**" and len(parts) > 1:
            out.append(".+" if last else "(?:.*/)?")
        else:
            out.append(_component(part) + ("" if last else "/"))
    return "".join(out)


def _component(part: str) -> str:
    """Convert one component of a pattern (without slashes) to a regular expression."""
    out = []
    index = 0
    while index < len(part):
        letter = part[index]
        index += 1
        if letter == "*":
            out.append("[^/]*")
        elif letter == "?":
            out.append("[^/]")
        elif letter == "[":
            text, index = _character_set(part, index)
            out.append(text)
        elif letter == "\\":
            if index == len(part):
                raise _MalformedError
            out.append(re.escape(part[index]))
            index += 1
        else:
            out.append(re.escape(letter))
    return "".join(out)


def _character_set(part: str, start: int) -> tuple[str, int]:
    """Convert a set, `[a-z]` or `[!a-z]`, to a regular expression; also return the index after it."""
    negated = part[start : start + 1] in ("!", "^")
    start += negated
    end = part.find("]", start + 1)
    if end < 0:
        raise _MalformedError
    inside = part[start:end].replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^")
    return f"(?!/)[{'^' * negated}{inside}]", end + 1
