"""Translate regular expressions from RE2 syntax, which TensorFlow uses, to Python's.

Both search from the left and prefer earlier alternatives. What only one of them has is an error here:
backreferences, look-around and atomic groups are Python's; scripts, single bytes and swapped greediness
are RE2's.
"""

from __future__ import annotations

import functools
import re
import sys
import unicodedata

from shims._src.arguments import checks
from shims._src.errors import errors

_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\f\r "}
_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_CONTROLS = {c: rf"\{c}" for c in "fnrtv"} | {"a": r"\x07"}
_REPEATED = re.compile(r"\{(\d+)(,(\d*))?\}")
_MOST_REPETITIONS = 1000
_WORD = "[0-9A-Za-z_]"
_BOUNDARY = f"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))"
_INSIDE = f"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))"


@functools.lru_cache(maxsize=256)
def compiled(function: str, pattern: bytes) -> re.Pattern[str]:
    """Compile an RE2 pattern.

    Raises:
      InvalidArgumentError: RE2 rejects it.
      UnimplementedError: Python has nothing that means the same.
    """
    translator = _Translator(function, pattern.decode())
    text = translator.translated()
    try:
        return re.compile(text)
    except re.error as error:
        raise translator.invalid(str(error)) from None


class _Translator:
    """A pass over a pattern, with the flags of the groups that enclose the position."""

    def __init__(self, function: str, pattern: str):
        self.function, self.pattern = function, pattern
        self.at = 0
        self.multiline = [False]
        self.opened = [0]  # how many groups of flags end with each group of the pattern
        self.out: list[str] = []

    def invalid(self, why: str) -> errors.InvalidArgumentError:
        return checks.invalid(
            self.function, f"the pattern is invalid: {why}.", received=repr(self.pattern)
        )

    def refused(self, what: str) -> errors.UnimplementedError:
        return errors.UnimplementedError(
            errors.message(
                self.function,
                f"Python's regular expressions have no {what}.",
                received=repr(self.pattern),
                do="write the pattern without this construct",
            )
        )

    def translated(self) -> str:
        """Return the pattern in Python's syntax."""
        while self.at < len(self.pattern):
            c = self.pattern[self.at]
            if c == "\\":
                self.out.append(self._escape(inside=False))
            elif c == "[":
                self.out.append(self._bracket())
            elif c == "(":
                self._open()
            elif c == ")":
                self._close()
            elif c in "*+?{":
                self._repeat(c)
            else:
                self.at += 1
                end = "$" if self.multiline[-1] else r"\Z"
                self.out.append(end if c == "$" else c)
        if len(self.opened) > 1:
            raise self.invalid("missing )")
        return "".join(self.out) + ")" * self.opened[0]

    # ---- groups ----------------------------------------------------------------------------------

    def _open(self):
        rest = self.pattern[self.at :]
        named = re.match(r"\(\?P?<(\w+)>", rest)
        flags = re.match(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])", rest)
        if named:
            self._enter(f"(?P<{named[1]}>", named.end())
        elif flags:
            self._set_flags(flags)
        elif rest.startswith("(?"):
            raise self.invalid(f"invalid perl operator: {rest[:3]}")
        else:
            self._enter("(", 1)

    def _enter(self, text: str, length: int) -> None:
        self.out.append(text)
        self.at += length
        self.opened.append(0)
        self.multiline.append(self.multiline[-1])

    def _set_flags(self, flags: re.Match[str]) -> None:
        on, off = set(flags[1]), set(flags[2] or "")
        if (on | off) - set("imsU"):
            raise self.invalid(f"invalid perl operator: {flags[0]}")
        if "U" in on | off:
            raise self.refused("swapped greediness (?U)")
        multiline = ("m" in on or self.multiline[-1]) and "m" not in off
        text = "".join(sorted(on)) + ("-" + "".join(sorted(off)) if off else "")
        if flags[3] == ":":
            self._enter(f"(?{text}:", flags.end())
        else:  # they hold until the end of the group, for Python in a group of their own
            self.out.append(f"(?{text}:")
            self.at += flags.end()
            self.opened[-1] += 1
            if "|" in self._rest_of_group():
                raise self.refused("flags before alternatives in the middle of a group")
        self.multiline[-1] = multiline

    def _rest_of_group(self) -> str:
        """Return the text of the group after the position, if the flags do not begin the pattern."""
        begins = "".join(self.out).lstrip("(?imsP:-") == ""
        return "" if begins else self.pattern[self.at :]

    def _close(self):
        if len(self.opened) == 1:
            raise self.invalid("unexpected )")
        self.out.append(")" * (self.opened.pop() + 1))
        self.multiline.pop()
        self.at += 1

    # ---- repetition ------------------------------------------------------------------------------

    def _repeat(self, c: str) -> None:
        counts = _REPEATED.match(self.pattern, self.at) if c == "{" else None
        if c == "{" and counts is None:
            self.out.append(r"\{")
            self.at += 1
            return
        if counts and max(int(n) for n in (counts[1], counts[3] or 0)) > _MOST_REPETITIONS:
            raise self.invalid(f"bad repetition argument: {counts[0]}")
        text = counts[0] if counts else c
        self.at += len(text)
        if self.pattern[self.at : self.at + 1] == "?":
            text += "?"
            self.at += 1
        following = self.pattern[self.at : self.at + 1]
        if following in ("*", "+", "?") and following:
            raise self.invalid(f"bad repetition operator: {text}{following}")
        if _REPEATED.match(self.pattern, self.at):
            raise self.invalid(f"bad repetition operator: {text}")
        self.out.append(text)

    # ---- escapes and classes ---------------------------------------------------------------------

    def _escape(self, inside: bool) -> str:
        """Translate the escape at the position; `inside` brackets, only the contents of a class."""
        self.at += 2
        c = self.pattern[self.at - 1 : self.at]
        if not c:
            raise self.invalid("trailing \\")
        if c in _CONTROLS:
            return _CONTROLS[c]
        if c in _CLASSES:
            return _CLASSES[c] if inside else f"[{_CLASSES[c]}]"
        if c.lower() in _CLASSES:
            return self._negated(_CLASSES[c.lower()], inside)
        if c in "pP":
            return self._property(negated=c == "P", inside=inside)
        if c == "x":
            return self._hexadecimal()
        if c in "01234567":
            return self._octal(c)
        if not inside and c in "bBAzQC":
            return self._assertion(c)
        if c.isalnum() or ord(c) > 127:
            raise self.invalid(f"invalid escape sequence: \\{c}")
        return "\\" + c

    def _assertion(self, c: str) -> str:
        if c == "C":
            raise self.refused(r"single bytes (\C)")
        if c == "Q":
            end = self.pattern.find(r"\E", self.at)
            end = len(self.pattern) if end < 0 else end
            text = re.escape(self.pattern[self.at : end])
            self.at = end + 2
            return f"(?:{text})" if len(text) < 1 else text
        return {"b": _BOUNDARY, "B": _INSIDE, "A": r"\A", "z": r"\Z"}[c]

    def _negated(self, contents: str, inside: bool) -> str:
        if not inside:
            return f"[^{contents}]"
        return _ranges(tuple(not re.match(f"[{contents}]", chr(i)) for i in range(128))) + _BEYOND

    def _hexadecimal(self) -> str:
        found = re.compile(r"\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2})").match(self.pattern, self.at)
        if not found or int(found[1] or found[2], 16) > sys.maxunicode:
            raise self.invalid("invalid escape sequence: \\x")
        self.at = found.end()
        return f"\\U{int(found[1] or found[2], 16):08x}"

    def _octal(self, c: str) -> str:
        found = re.compile(r"[0-7]{1,2}").match(self.pattern, self.at)
        if c != "0" and not found:
            raise self.invalid(f"invalid escape sequence: \\{c}")
        digits = c + (found[0] if found else "")
        self.at += len(digits) - 1
        return f"\\x{int(digits, 8) & 0xFF:02x}" if int(digits, 8) < 256 else chr(int(digits, 8))

    def _property(self, negated: bool, inside: bool) -> str:
        found = re.compile(r"\{(\^?)(\w+)\}|(\w)").match(self.pattern, self.at)
        if not found:
            raise self.invalid("invalid character class range")
        self.at = found.end()
        name = found[2] or found[3]
        if name not in _categories() and name != "Any":
            raise self.refused(rf"class of the name \p{{{name}}}")
        contents = _category(name, negated != bool(found[1]))
        return contents if inside else f"[{contents}]"

    def _bracket(self) -> str:
        self.at += 1
        parts = ["["]
        if self.pattern[self.at : self.at + 1] == "^":
            parts.append("^")
            self.at += 1
        first = True
        while self.at < len(self.pattern):
            c = self.pattern[self.at]
            posix = re.compile(r"\[:(\^?)(\w+):\]").match(self.pattern, self.at)
            if c == "]" and not first:
                self.at += 1
                return "".join(parts) + "]"
            if posix:
                if posix[2] not in _POSIX:
                    raise self.invalid(f"invalid character class range: {posix[0]}")
                contents = _POSIX[posix[2]]
                parts.append(self._negated(contents, inside=True) if posix[1] else contents)
                self.at = posix.end()
            elif c == "\\":
                parts.append(self._escape(inside=True))
            else:
                parts.append(c if c == "-" else re.escape(c))
                self.at += 1
            first = False
        raise self.invalid("missing ]")


# All characters after ASCII's.
_BEYOND = "\\U00000080-\\U0010ffff"


@functools.cache
def _categories() -> frozenset[str]:
    found = {unicodedata.category(chr(i)) for i in range(sys.maxunicode + 1)}
    return frozenset(found | {name[0] for name in found})


@functools.cache
def _category(name: str, negated: bool) -> str:
    if name == "Any":
        return r"\U00000000-\U0010ffff"
    return _ranges(
        tuple(
            unicodedata.category(chr(i)).startswith(name) != negated
            for i in range(sys.maxunicode + 1)
        )
    )


def _ranges(belongs: tuple[bool, ...]) -> str:
    """Return the contents of a class of the characters that belong to it."""
    found, start = [], None
    for i, member in enumerate([*belongs, False]):
        if member and start is None:
            start = i
        elif not member and start is not None:
            found.append(f"\\U{start:08x}-\\U{i - 1:08x}")
            start = None
    return "".join(found)
