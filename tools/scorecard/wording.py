"""Define the marks of the scorecard, and put the reasons of the table into sentences."""

from __future__ import annotations

import re

MARKS = {
    "pass": "✓",
    "differs": "≠",
    "none": "∅",
    "n/a": "-",
    "untested": "?",
    "fail": "✗",
    "absent": " ",
}
# Reasons of the table, which are short there, and what the notes of the page say.
_WHOLE = {
    "XLA unsupported: XLA has": "XLA has",
    "XLA unsupported: no kernel for": "XLA has no kernel for",
    "XLA unsupported: no kernel": "XLA has no kernel for this operator",
    "XLA unsupported: ": "XLA does not support this case: ",
    "XLA differs: ": "XLA returns a different result: ",
    "XLA crashes: ": "XLA crashes with this error: ",
    "even where none flows in": "even if the incoming gradient is zero",
    "NaN stands anywhere in TensorFlow, last in ours": "NaN may be anywhere in TensorFlow's result, and is last in that of `shims`",
    "ours is NaN": "`shims` returns NaN",
    "in ours": "in the result of `shims`",
    "TensorFlow's own rule": "TensorFlow's own gradient rule",
    "outside: ": "this name is outside the scope of `shims`: ",
}
_CASE = re.compile(r"(^|; )([a-z]+(?:-[a-z]+)*): ")


def as_sentence(why: str) -> str:
    """Return a reason of the table in words that do not need the row around them."""
    for short, whole in _WHOLE.items():
        why = why.replace(short, whole)
    return _CASE.sub(r"\1in the case `\2`: ", why)
