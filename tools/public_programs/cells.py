"""Read programs as cells of Python code, for either library.

The only changes: shell lines go, training takes at most `STEPS` steps, and under shims the import names shims and turns on the methods of
tensors.
"""

from __future__ import annotations

import json
import pathlib
import re

_SHELL = re.compile(r"^\s*[!%].*(?:\\\n.*)*$", re.MULTILINE)
_IMPORT = re.compile(r"^(\s*)import tensorflow as tf\b.*$", re.MULTILINE)
_FROM_KERAS = re.compile(r"^(\s*)from tensorflow(\.keras[\w.]*)? import ", re.MULTILINE)
_IMPORT_KERAS = re.compile(r"^(\s*)import tensorflow(\.[\w.]+) as ", re.MULTILINE)
_LENGTH = re.compile(r"^(\w*(?:steps|epochs|iterations|EPOCHS|STEPS))( *= *)(\d+)\b", re.MULTILINE)
STEPS = 20  # the most that a program trains
_OPT_IN = "import shims as tf; tf.enable_tensor_methods()"


def cells_of(path: pathlib.Path, library: str) -> list[str]:
    """Return the cells of a notebook or the text of a program, for `shims` or TensorFlow."""
    text = path.read_text()
    if path.suffix != ".ipynb":
        return [_adapted(text, library)]
    cells = json.loads(text)["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [_adapted(source, library) for source in code]


def _adapted(source: str, library: str) -> str:
    if source.startswith("%%"):
        source = "" if source.startswith("%%bash") else source.split("\n", 1)[-1]
    source = _SHELL.sub("", source)
    source = _LENGTH.sub(lambda m: f"{m[1]}{m[2]}{min(int(m[3]), STEPS)}", source)
    if library != "shims":
        return source
    source = _IMPORT.sub(rf"\1{_OPT_IN}", source)
    source = _FROM_KERAS.sub(_from_shims, source)
    return _IMPORT_KERAS.sub(r"\1import shims\2 as ", source)


def _from_shims(match: re.Match[str]) -> str:
    return f"{match[1]}from shims{match[2] or ''} import "
