"""Read the sections of docstrings, and write them as Markdown."""

from __future__ import annotations

import re
import textwrap
from typing import NamedTuple

_SECTION = re.compile(
    r"^(Args|Attributes|Returns|Raises|Yields|Examples?|Differs from TensorFlow|Under jit):[ ]?(.*)$"
)
_ENTRY = re.compile(r"^(\*{0,2}\w[\w., *]*): ")
_CODE = re.compile(r"(`[^`]*`)")


class Docstring(NamedTuple):
    """A docstring: the text before the first section, and the sections by title."""

    text: str
    sections: dict[str, str]

    @property
    def summary(self) -> str:
        """The first line."""
        return self.text.partition("\n\n")[0].replace("\n", " ")


def parse(documentation: str) -> Docstring:
    """Split a docstring into its text and its sections."""
    before: list[str] = []
    sections: dict[str, str] = {}
    for paragraph in re.split(r"\n\n(?! )", documentation):
        first, _, rest = paragraph.partition("\n")
        section = _SECTION.match(first)
        if section:
            parts = filter(None, (section[2], textwrap.dedent(rest)))
            sections[section[1].removesuffix("s") if "Example" in first else section[1]] = (
                "\n".join(parts)
            )
        elif not (sections or first.startswith((">>>", "https:"))):
            before.append(paragraph)
    return Docstring("\n\n".join(before), sections)


def entries(section: str) -> list[tuple[str, str]]:
    """Return the pairs of a name and its text of a section such as `Args`; a name is empty for other text."""
    found: list[tuple[str, str]] = []
    for line in section.split("\n"):
        entry = _ENTRY.match(line)
        if entry:
            found.append((entry[1], line[entry.end() :]))
        elif found:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}".strip())
        elif line.strip():
            found.append(("", line.strip()))
    return found


def line(text: str) -> str:
    """Join the lines of a text, and escape what Markdown would read outside of code."""
    joined = " ".join(text.split())
    parts = _CODE.split(joined)
    return "".join(p if p.startswith("`") else _escape(p) for p in parts)


def _escape(text: str) -> str:
    return re.sub(r"([\[\]*])", r"\\\1", text.replace("<", "&lt;").replace("|", "\\|"))


def sentence(text: str) -> str:
    """Return a text as a sentence: with a capital, unless it begins with code, and a full stop."""
    text = text.strip()
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', ':')) else '.'}"
