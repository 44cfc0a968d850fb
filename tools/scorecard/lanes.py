"""Define the columns of the scorecard, and the tests that fill them."""

from __future__ import annotations

import pathlib
import re

# The tests made from the rows, by file, and the written cases, by test.
CASES_IN = "tests/lanes/"
_CASES = f"{CASES_IN}test_lanes.py::test_"
OF_LANE = {
    "eager": ("tests/table/test_values.py", f"{_CASES}eager"),
    "function": (
        *("tests/table/test_function.py", "tests/table/test_jit.py"),
        f"{_CASES}function",
    ),
    "gradient": (
        *("tests/table/test_gradients.py", "tests/table/test_tape.py"),
        f"{_CASES}gradient",
    ),
    "vmap": ("tests/table/test_vmap.py", f"{_CASES}vmap"),
    "poison": ("tests/table/test_poison.py", f"{_CASES}poison"),
    "jit_compile": ("tests/table/test_xla.py", f"{_CASES}jit_compile"),
}
LANES = tuple(OF_LANE)
# Folders without tests of what is no operator over arrays, or has no cases in its row.
_OF_OTHER_THINGS = ("diff", "lanes", "meta", "random_programs", "rewrite", "table")
# What a written test is about, by the words in it; any test runs something eagerly or in a function.
_WORDS = (
    ("gradient", r"grad|tape|jvp|vjp|derivative"),
    ("vmap", r"vmap"),
    ("poison", r"poison|padding|Padded"),
    ("function", r"function|inside|dynamic\(|jit\b|signature|symbolic"),
)


def written(tests: pathlib.Path) -> tuple[str, ...]:
    """Return the folders of hand-written tests, which name their subject."""
    folders = sorted({path.parent for path in tests.glob("*/test_*.py")})
    return tuple(f"{tests.name}/{f.name}" for f in folders if f.name not in _OF_OTHER_THINGS)


def of_test(node: str) -> str:
    """Return the lane of a test made from a row or a case, by its node id; `""` for any other."""
    test = node.partition("[")[0]
    places = {test, test.partition("::")[0]}
    return next((lane for lane, tests in OF_LANE.items() if places & set(tests)), "")


def of_words(text: str) -> tuple[str, ...]:
    """Return the lanes of a written test, from the words in its name and source."""
    found = tuple(lane for lane, words in _WORDS if re.search(words, text))
    return found or ("eager",)
