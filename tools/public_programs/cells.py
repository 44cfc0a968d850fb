"""Read programs as cells of Python code, for either library.

The only changes: shell lines go, training takes at most `STEPS` steps, and under shims the import names shims and turns on the methods of
tensors.
"""

from __future__ import annotations

import ast
import json
import pathlib
import re

_SHELL = re.compile(r"^\s*[!%].*(?:\\\n.*)*$", re.MULTILINE)
_IMPORT = re.compile(r"^(\s*)import[ \t]+tensorflow[ \t]+as[ \t]+tf\b.*$", re.MULTILINE)
_FROM_KERAS = re.compile(
    r"^(\s*)from[ \t]+tensorflow(\.keras[\w.]*)?[ \t]+import[ \t]+", re.MULTILINE
)
_IMPORT_KERAS = re.compile(r"^(\s*)import[ \t]+tensorflow(\.[\w.]+)[ \t]+as[ \t]+", re.MULTILINE)
_LENGTH = re.compile(
    r"(^[ \t]*\w*(?:steps|epochs|iterations|num_batches|EPOCHS|STEPS|ITERATIONS?)"
    r"|\b(?:epochs|max_episodes|num_episodes))"
    r"( *= *)(\d+)\b",
    re.MULTILINE,
)
_FENCED = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
STEPS = 20  # the most that a program trains
EPISODES = 3  # the most games that it plays
_OPT_IN = "import shims as tf; tf.enable_tensor_methods()"


def cells_of(path: pathlib.Path, library: str) -> list[str]:
    """Return the cells of a notebook, a page or a program, for `shims` or TensorFlow."""
    text = path.read_text()
    if path.suffix == ".md":
        return [_adapted(source, library) for source in _FENCED.findall(text)]
    if path.suffix != ".ipynb":
        return [_adapted(source, library) for source in _between_texts(text)]
    cells = json.loads(text)["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [_adapted(source, library) for source in code]


def _between_texts(text: str) -> list[str]:
    """Split a program at its paragraphs of text, as Keras writes its guides; a program without these is one cell."""
    body = ast.parse(text).body
    texts = [s for s in body if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)]
    if len(texts) < 3:
        return [text]
    lines, parts, start = text.splitlines(keepends=True), [], 0
    for statement in texts:
        parts.append("".join(lines[start : statement.lineno - 1]))
        start = statement.end_lineno or 0
    parts.append("".join(lines[start:]))
    return [part for part in parts if part.strip()]


def _adapted(source: str, library: str) -> str:
    if source.startswith("%%"):
        source = "" if source.startswith("%%bash") else source.split("\n", 1)[-1]
    source = _SHELL.sub("", source)
    source = _LENGTH.sub(_shortened, source)
    if library != "shims":
        return source
    source = _IMPORT.sub(rf"\1{_OPT_IN}", source)
    source = _FROM_KERAS.sub(_from_shims, source)
    return _IMPORT_KERAS.sub(r"\1import shims\2 as ", source)


def _shortened(match: re.Match[str]) -> str:
    most = EPISODES if match[1].endswith("episodes") else STEPS
    return f"{match[1]}{match[2]}{min(int(match[3]), most)}"


def _from_shims(match: re.Match[str]) -> str:
    return f"{match[1]}from shims{match[2] or ''} import "
