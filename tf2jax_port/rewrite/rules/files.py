"""Define the diagnostics of whole files that are skipped."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.rules.rule import Rule

NO_PYTHON = Rule(
    code="TJ901",
    name="syntax-error",
    state=None,
    why="The file is not valid Python for the version that runs `tf2jax-port`.",
    safety="The file is not changed. Its TensorFlow names are not counted.",
)

NO_TEXT = Rule(
    code="TJ902",
    name="undecodable-file",
    state=None,
    why=(
        "The bytes of the file are not valid text in its declared encoding, or could not be written back unchanged."
    ),
    safety="The file is not changed.",
)

TOO_DEEP = Rule(
    code="TJ903",
    name="deep-nesting",
    state=None,
    why="Expressions in the file are nested too deeply for Python's parser or for the rewriter.",
    safety="The file is not changed.",
)

CELL = Rule(
    code="TJ315",
    name="cell-that-is-no-python",
    state=State.MANUAL,
    why=(
        "This diagnostic reports a notebook cell that seems to use TensorFlow, but is not valid Python for the "
        "version that runs `tf2jax-port`, even without magics and shell lines. Cells in other languages, such as "
        "those that begin with `%%bash`, are not reported."
    ),
    safety=(
        "The cell is not changed, and its names are not counted. The other cells are rewritten."
    ),
)

PYTHON_2 = Rule(
    code="TJ904",
    name="python-2",
    state=None,
    why=(
        "The file looks like Python 2: it has a `print` statement, `except A, b` or an octal "
        "number such as `0755`, or it is a notebook with a Python 2 kernel."
    ),
    safety="The file is not changed. Convert the file to Python 3 first.",
)

FAULT = Rule(
    code="TJ905",
    name="fault-of-the-rewriter",
    state=None,
    why=(
        "The rewriter's edits of this file conflict with each other, or the edited file would not be valid Python."
    ),
    safety="The file is not changed. Please report this error, with the file if possible.",
)

OUTSIDE = Rule(
    code="TJ906",
    name="link-out-of-the-tree",
    state=None,
    why="The path is a symbolic link to a file outside the named folder.",
    safety=(
        "The target of the link is not changed. To rewrite the target, pass the path of the target itself."
    ),
)

UNREADABLE = Rule(
    code="TJ907",
    name="inaccessible-file",
    state=None,
    why=(
        "The file cannot be read or written: it is missing, is a folder, or permission is denied."
    ),
    safety="The file is not changed.",
)

TOO_LARGE = Rule(
    code="TJ908",
    name="huge-file",
    state=None,
    why=("The file is so large that it must be data or generated code."),
    safety=(
        "The file is not rewritten. Run the rewriter on the program that generates the file, or split the file."
    ),
)

CHANGED_MEANWHILE = Rule(
    code="TJ909",
    name="changed-meanwhile",
    state=None,
    why="Another program changed the file after the rewriter read the file and before the rewriter wrote the result.",
    safety="The file is not overwritten. Run the rewriter again.",
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
