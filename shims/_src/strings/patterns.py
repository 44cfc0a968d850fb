"""Match and replace regular expressions in RE2 syntax."""

from __future__ import annotations

import re

import jax.numpy as jnp

from shims._src.errors import errors
from shims._src.strings import re2
from shims._src.strings.late import late
from shims._src.strings.operands import each, over_ragged, scalar, strings


def _decoded(function: str, text: bytes) -> str:
    """Decode a string, of whose characters patterns consist.

    Raises:
      UnimplementedError: it is not UTF-8.
    """
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise errors.UnimplementedError(
            errors.message(
                function,
                "a string is not valid UTF-8.",
                received=repr(text),
                do='convert the string first: `shims.strings.unicode_transcode(x, "UTF-8", "UTF-8")`',
            )
        ) from None


@late
@over_ragged
def regex_full_match(input, pattern, name=None):
    r"""Return which strings match a regular expression as a whole.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      pattern: a regular expression in RE2 syntax.
      name: ignored.

    Returns:
      bool array of the same shape.

    Raises:
      InvalidArgumentError: the pattern is invalid.
      TypeError: `input`  does not contain strings.
      UnimplementedError: the pattern uses a feature that Python's regular expressions lack, such as
        scripts (`\p{Greek}`), or a string is not UTF-8.

    Differs from TensorFlow:
      Such patterns and strings, which TensorFlow accepts, are rejected.

    Under jit:
      The result for known strings is a constant; other results are computed on the host.

    Example:
      >>> import shims
      >>> shims.strings.regex_full_match(["abc", "ab"], "a.c").tolist()
      [True, False]

    https://www.tensorflow.org/api_docs/python/tf/strings/regex_full_match
    """
    function = "strings.regex_full_match"
    expression = re2.compiled(function, scalar(function, "pattern", pattern))
    matches = lambda x: expression.fullmatch(_decoded(function, x)) is not None
    return jnp.asarray(each(matches, strings(function, input), bool))


@late
@over_ragged
def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
    r"""Replace the parts of strings that match a regular expression.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      pattern: a regular expression in RE2 syntax.
      rewrite: the replacement; `\1` to `\9` are groups, and `\0` is the whole match.
      replace_global: whether to replace all matches instead of only the first match.
      name: ignored.

    Returns:
      A tensor of strings of the same shape, on the host.

    Raises:
      InvalidArgumentError: the pattern is invalid.
      TypeError: `input`  does not contain strings.
      UnimplementedError: the pattern uses a feature that Python's regular expressions lack, such as
        scripts (`\p{Greek}`), or a string is not UTF-8.

    Differs from TensorFlow:
      Such patterns and strings, which TensorFlow accepts, are rejected.

    Under jit:
      Known strings are constants of the program; other strings are computed on the host.

    Example:
      >>> import shims
      >>> shims.strings.regex_replace("abc", "(b)", r"<\1>").numpy()
      b'a<b>c'

    https://www.tensorflow.org/api_docs/python/tf/strings/regex_replace
    """
    function = "strings.regex_replace"
    expression = re2.compiled(function, scalar(function, "pattern", pattern))
    parts = _Rewrite(_decoded(function, scalar(function, "rewrite", rewrite)))

    def replaced(text: bytes) -> bytes:
        decoded = _decoded(function, text)
        if parts.groups > expression.groups:
            return text
        if replace_global:
            return _replace_all(expression, parts, decoded).encode()
        found = expression.search(decoded)
        if found is None or not parts.is_valid:
            return text
        return (decoded[: found.start()] + parts.of(found) + decoded[found.end() :]).encode()

    return each(replaced, strings(function, input))


class _Rewrite:
    """A replacement: text and numbers of groups, up to the first invalid escape."""

    def __init__(self, rewrite: str):
        pieces = re.findall(r"\\[0-9\\]|[^\\]|\\.?", rewrite, re.DOTALL)
        valid = [p[0] != "\\" or (p[1:] in [*"0123456789\\"] and len(p) > 1) for p in pieces]
        self.is_valid = all(valid)
        end = len(pieces) if self.is_valid else valid.index(False)
        self._pieces = [_piece(p) for p in pieces[:end]]
        numbers = [int(p[1]) for p in pieces if p[0] == "\\" and p[1:].isdigit()]
        self.groups = max(numbers, default=0)

    def of(self, found: re.Match[str]) -> str:
        """Return the replacement of a match."""
        return "".join(p if isinstance(p, str) else found[p] or "" for p in self._pieces)


def _piece(text: str) -> str | int:
    if text[0] != "\\":
        return text
    return text[1] if text[1] == "\\" else int(text[1])


def _replace_all(expression: re.Pattern[str], parts: _Rewrite, text: str) -> str:
    """Replace all matches; none is empty at the end of the one before, unlike in Python."""
    out, at, last = [], 0, -1
    while at <= len(text):
        found = expression.search(text, at)
        if found is None:
            break
        out.append(text[at : found.start()])
        if found.start() == last and found.end() == last:
            out.append(text[last : last + 1])
            at = last + 1
            continue
        out.append(parts.of(found))
        at = last = found.end()
    return "".join(out) + text[at:]
