"""Diagnostics of whole files that were skipped."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.rules.rule import Rule

NO_PYTHON = Rule(
    code="TJ901",
    name="syntax-error",
    state=None,
    why="The file is not a program of the Python that runs `tf2jax-port`.",
    safety="The file is not touched. Its TensorFlow names are not counted.",
)

NO_TEXT = Rule(
    code="TJ902",
    name="undecodable-file",
    state=None,
    why=(
        "The bytes are not text in the encoding that the file declares, or could not be written "
        "back exactly as they are."
    ),
    safety="The file is not touched.",
)

TOO_DEEP = Rule(
    code="TJ903",
    name="deep-nesting",
    state=None,
    why="Expressions are nested more deeply than Python's own parser, or this tool, can follow.",
    safety="The file is not touched.",
)

CELL = Rule(
    code="TJ315",
    name="cell-that-is-no-python",
    state=State.MANUAL,
    why=(
        "A cell of a notebook is not Python of this version, magics and shell lines apart, and its text "
        "looks as if it used TensorFlow. Cells that begin with `%%bash` and its like are no Python on "
        "purpose and are not meant."
    ),
    safety="The cell is left as it is and its names are not counted. The other cells are rewritten.",
)

PYTHON_2 = Rule(
    code="TJ904",
    name="python-2",
    state=None,
    why=(
        "The file reads like Python 2: a `print` statement, `except A, b`, an octal number; or it is a "
        "notebook whose kernel is one of Python 2."
    ),
    safety="The file is not touched. Bring it to Python 3 first.",
)

FAULT = Rule(
    code="TJ905",
    name="fault-of-the-rewriter",
    state=None,
    why="The planned edits contradict each other, or their result would not be Python.",
    safety="The file is not touched. Please report it, with the file if you can.",
)

OUTSIDE = Rule(
    code="TJ906",
    name="link-out-of-the-tree",
    state=None,
    why="The path is a symbolic link to a file outside of the folder that was named.",
    safety="The file behind the link is not touched. Name it by its own path.",
)

UNREADABLE = Rule(
    code="TJ907",
    name="inaccessible-file",
    state=None,
    why="The file cannot be read or written: missing, a folder, or without permission.",
    safety="The file is not touched.",
)

TOO_LARGE = Rule(
    code="TJ908",
    name="huge-file",
    state=None,
    why="The file is larger than anything that a person writes: data, or made by a program.",
    safety="The file is not read. Rewrite what makes it, or take it apart.",
)

CHANGED_MEANWHILE = Rule(
    code="TJ909",
    name="changed-meanwhile",
    state=None,
    why="Somebody wrote to the file between the moment when it was read and that of writing it.",
    safety="The file is not touched: what stands there now stays. Run again.",
)

RULES = (
    NO_PYTHON,
    NO_TEXT,
    TOO_DEEP,
    PYTHON_2,
    FAULT,
    OUTSIDE,
    UNREADABLE,
    TOO_LARGE,
    CHANGED_MEANWHILE,
)
