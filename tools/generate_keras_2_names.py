"""Write `keras_2_names.json`: the public names of `tf.keras` of Keras 2 that Keras 3 lacks.

    python -m tools.generate_keras_2_names

They are read from the files of the package `tf_keras`, Keras 2 on its own, which must be installed and is not imported.
"""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import pathlib
from collections.abc import Iterator

from tf2jax_port.rewrite.names.keras_names import MODULES, PARAMS, RENAMED
from tools.data_files import ROOT, render

PATH = "tests/rewrite/keras_2_names.json"
# Folders of `tf_keras` that hold no public names of TensorFlow 2.
_OTHERS = {"src", "api", "protobuf", "__internal__"}


def names() -> Iterator[str]:
    """Yield the public names of Keras 2 and its modules, without `keras.`."""
    spec = importlib.util.find_spec("tf_keras")
    assert spec is not None
    assert spec.origin is not None
    root = pathlib.Path(spec.origin).parent
    for file in sorted(root.rglob("__init__.py")):
        parts = file.parent.relative_to(root).parts
        if not _OTHERS.intersection(parts):
            yield from (".".join((*parts, name)) for name in _imported(file))


def _imported(file: pathlib.Path) -> Iterator[str]:
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tf_keras"):
            yield from (a.asname or a.name for a in node.names if not a.name.startswith("_"))


def generate() -> str:
    """Return the text of the data file."""
    lacking = sorted(set(names()).difference(PARAMS, MODULES, RENAMED))
    version = importlib.metadata.version("tf_keras").rpartition(".")[0]
    return render("tools.generate_keras_2_names", version=version, lacking=lacking)


if __name__ == "__main__":
    (ROOT / PATH).write_text(generate())
