"""Break long statements into lines at the commas of their outermost brackets."""

from __future__ import annotations

WIDTH = 100
_OPEN, _CLOSE = "([{", ")]}"


def wrapped(text: str, depth: int, comment: str = "") -> list[str]:
    """Return the lines of a statement, none longer than `WIDTH` if brackets allow it."""
    indent = "    " * depth
    if len(indent) + len(text) + len(comment) <= WIDTH:
        return [indent + text + comment]
    if len(indent) + len(text) <= WIDTH:
        return [f"{indent}{comment.strip()}", indent + text]
    summed = _terms(text, depth, comment)
    if summed:
        return summed
    split = _outermost(text)
    if split is None:
        return [*([f"{indent}{comment.strip()}"] if comment else []), indent + text]
    start, inside, end = split
    lines = wrapped_parts(inside, depth + 1)
    return [f"{indent}{start}{comment}", *lines, f"{indent}{end}"]


def _terms(text: str, depth: int, comment: str) -> list[str]:
    """Return the lines of an assignment or a `return` of a sum or product, broken before operators."""
    head, separator, value = text.partition(" = ")
    if text.startswith("return "):
        head, separator, value = "return", " ", text[7:]
    if not separator or any(c in head for c in _OPEN):
        return []
    for signs in ((" + ", " - "), (" * ", " / ", " @ ")):
        places = _outer_places(value, signs)
        if places and not _outer_places(value, (" if ", ", ")):
            break
    else:
        return []
    parts = [value[a:b].strip() for a, b in zip([0, *places], [*places, len(value)], strict=True)]
    inside = "    " * (depth + 1)
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + 1 + len(part) <= 88:
            lines[-1] += f" {part}"
        else:
            lines.append(inside + part)
    if any(len(line) > WIDTH for line in lines):
        return []
    indent = "    " * depth
    return [f"{indent}{head}{separator}({comment}", *lines, f"{indent})"]


def _outer_places(text: str, signs: tuple[str, ...]) -> list[int]:
    """Return where operators are outside of all brackets."""
    found, level, quote = [], 0, ""
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in _OPEN:
            level += 1
        elif c in _CLOSE:
            level -= 1
        elif not level and any(text.startswith(s, i) for s in signs):
            found.append(i)
    return found


def wrapped_parts(inside: str, depth: int) -> list[str]:
    """Return the lines of the content of a bracket."""
    indent = "    " * depth
    parts = _parts(inside)
    joined = ", ".join(parts)
    if len(indent) + len(joined) <= WIDTH:
        return [indent + joined]
    lines: list[str] = []
    for part in parts:
        broken = wrapped(part, depth)
        lines += [*broken[:-1], broken[-1] + ("," if len(parts) > 1 else "")]
    return lines


def _outermost(text: str) -> tuple[str, str, str] | None:
    """Split a text at its last outermost bracket: the text before the content, the content, and the rest."""
    begin, level, quote = -1, 0, ""
    best: tuple[int, int] | None = None
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in _OPEN:
            begin, level = (i if level == 0 else begin), level + 1
        elif c in _CLOSE:
            level -= 1
            if level == 0 and i > begin + 1 and (best is None or i - begin >= best[1] - best[0]):
                best = (begin, i)
    return (
        None
        if best is None
        else (text[: best[0] + 1], text[best[0] + 1 : best[1]], text[best[1] :])
    )


def _parts(inside: str) -> list[str]:
    parts, level, begin, quote = [], 0, 0, ""
    for i, c in enumerate(inside):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in _OPEN:
            level += 1
        elif c in _CLOSE:
            level -= 1
        elif c == "," and not level:
            parts.append(inside[begin:i].strip())
            begin = i + 1
    return [p for p in [*parts, inside[begin:].strip()] if p]
