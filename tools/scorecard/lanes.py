"""The columns of the scorecard, and which tests fill them."""

from __future__ import annotations

import pathlib
import re

# Of the tests made from the rows: by file.
OF_ROWS = {
    "eager": ("tests/table/test_values.py",),
    "function": ("tests/table/test_function.py", "tests/table/test_jit.py"),
    "gradient": ("tests/table/test_gradients.py", "tests/table/test_tape.py"),
    "vmap": ("tests/table/test_vmap.py",),
    "poison": ("tests/table/test_poison.py",),
    "jit_compile": ("tests/table/test_xla.py",),
}
LANES = tuple(OF_ROWS)
# Folders without tests of what is no operator over arrays, or has no cases in its row.
_OF_OTHER_THINGS = ("diff", "meta", "random_programs", "rewrite", "table")
# What a written test is about, by the words in it; any test runs something eagerly or in a function.
_WORDS = (
    ("gradient", r"grad|tape|jvp|vjp|derivative"),
    ("vmap", r"vmap"),
    ("poison", r"poison|padding|Padded"),
    ("function", r"function|inside|dynamic\(|jit\b|signature|symbolic"),
)


def written(tests: pathlib.Path) -> tuple[str, ...]:
    """The folders of tests that name what they are about, beside those made from the rows."""
    folders = sorted({path.parent for path in tests.glob("*/test_*.py")})
    return tuple(f"{tests.name}/{f.name}" for f in folders if f.name not in _OF_OTHER_THINGS)


def of_file(path: str) -> str:
    """The lane of a test made from the rows, `""` for any other test."""
    return next((lane for lane, files in OF_ROWS.items() if path in files), "")


def of_words(text: str) -> tuple[str, ...]:
    """The lanes of a written test, by its name and its source."""
    found = tuple(lane for lane, words in _WORDS if re.search(words, text))
    return found or ("eager",)
