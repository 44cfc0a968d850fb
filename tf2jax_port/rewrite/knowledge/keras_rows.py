"""Build the table rows of `tf.keras`: names of Keras 3, old back-end functions, removed names.

Since TensorFlow 2.16 `tf.keras` is Keras 3, so a name that both have is the same object. In a file for
TensorFlow 2, `tf.losses`, `tf.metrics`, `tf.optimizers` and `tf.initializers` are modules of Keras.
"""

from __future__ import annotations

import functools

from tf2jax_port.rewrite.knowledge.keras_gone import REASONS, why_gone
from tf2jax_port.rewrite.names.keras_names import BACKEND, LEFT_OVER, MODULES, PARAMS, RENAMED
from tf2jax_port.table import Manual, Row, Shim, keras

_ALIASES = ("losses.", "metrics.", "optimizers.", "initializers.")
# Keywords of Keras 2 that Keras 3 renamed, by the new name.
_RENAMES = {"learning_rate": "lr", "negative_slope": "alpha"}
# Names that compute with TensorFlow whatever the back end is.
NEEDS_TENSORFLOW = (
    *("layers.Discretization", "layers.HashedCrossing", "layers.Hashing"),
    *("layers.IntegerLookup", "layers.StringLookup", "layers.TFSMLayer"),
    *("layers.TextVectorization", "utils.FeatureSpace"),
    *("callbacks.TensorBoard", "export.ExportArchive", "utils.audio_dataset_from_directory"),
    *("utils.image_dataset_from_directory", "utils.text_dataset_from_directory"),
    *("utils.timeseries_dataset_from_array", "utils.split_dataset"),
    "preprocessing.image_dataset_from_directory",
    "preprocessing.text_dataset_from_directory",
    "preprocessing.timeseries_dataset_from_array",
)
STAYS_INSTALLED = "computes with TensorFlow on every back end, so TensorFlow must stay installed"
_LEGACY = "optimizers.legacy."
OWN_SLOTS = (
    "the slots of the Keras 2 optimizer differ, so its checkpoints cannot be loaded; the optimizer of Keras 3 has "
    "no `weights`"
)
REPEATED_ROWS = (
    "if a batch repeats an id, optimizers that square gradients square the sum of the id's gradient rows; on "
    "TensorFlow, these optimizers square each row separately"
)
MOVED = (
    "in Keras 2 the name was in `experimental`; the arguments and the random numbers were different"
)
# Where Keras 3 has what Keras 2 had under `experimental`.
_MOVED = (
    ("layers.experimental.preprocessing.", "layers."),
    ("layers.experimental.", "layers."),
    ("optimizers.experimental.", "optimizers."),
    ("callbacks.experimental.", "callbacks."),
    ("experimental.", "optimizers.schedules."),
    ("mixed_precision.experimental.", "mixed_precision."),
)
_OF_GRAPHS = ("gradients",)


@functools.cache
def _hand_written_rows() -> dict[str, Row]:
    """Return a dict from names to the hand-written table rows of Keras."""
    return {row.name: row for row in keras.ROWS}


@functools.cache
def find_row(path: str, version: int) -> Row | None:
    """Return the table row of a Keras name, `None` if it is not a known Keras name.

    Args:
      path: TensorFlow's name, `keras.layers.Dense`, `losses.MeanSquaredError`.
      version: the version of TensorFlow that the file uses; version 1 has other losses and initializers.
    """
    if version == 2 and path.startswith(_ALIASES):
        path = f"keras.{path}"
    if path in _hand_written_rows():
        return _hand_written_rows()[path]
    if not path.startswith("keras."):
        return None
    name = path.removeprefix("keras.")
    function = backend_function(path)
    if function:
        return Row(path, BACKEND[name.removeprefix("backend.")], Shim(function))
    target = _moved(RENAMED.get(name, name))
    legacy = name.startswith(_LEGACY) and name != f"{_LEGACY}Optimizer"
    target = name.replace(".legacy.", ".") if legacy else target
    if target in PARAMS:
        renames = tuple((old, new) for new, old in _RENAMES.items() if _has_parameter(target, new))
        note = STAYS_INSTALLED if name in NEEDS_TENSORFLOW else ""
        note = OWN_SLOTS if legacy else note
        note = MOVED if not note and target != RENAMED.get(name, name) else note
        note = REPEATED_ROWS if name == "layers.Embedding" else note
        return Row(path, PARAMS[target], Shim(f"keras.{target}"), differs=note, renames=renames)
    reason = why_gone(name)
    if reason and name not in MODULES and (name in LEFT_OVER or _is_listed(name)):
        return Row(path, None, Manual("TJ340", reason))
    return None


def backend_function(path: str) -> str:
    """Return the function of `shims` for a function of `tf.keras.backend` that Keras 3 lacks, `""` if there is none."""
    name = path.removeprefix("keras.backend.")
    return f"shims.{path}" if name != path and name in BACKEND and name not in _OF_GRAPHS else ""


def _moved(name: str) -> str:
    """Return the name of Keras 3 for a name of Keras 2 under `experimental`."""
    for old, new in _MOVED:
        moved = new + name.removeprefix(old)
        if name.startswith(old) and moved in PARAMS:
            return moved
    return name


def _has_parameter(name: str, parameter: str) -> bool:
    """Return whether a Keras function has an optional parameter of this name."""
    return f"{parameter}=" in (PARAMS[name] or "")


def _is_listed(name: str) -> bool:
    """Return whether a name, or a module that contains it, is listed as removed."""
    return any(name == prefix or name.startswith(f"{prefix}.") for prefix, _ in REASONS)


def why_unknown(path: str) -> str:
    """Return the reason why a Keras name has no table row, `""` for names outside of Keras."""
    if path.startswith("python.keras"):
        return "this name belongs to a private copy of Keras 2 inside TensorFlow: import the name from `keras`"
    if not path.startswith("keras."):
        return ""
    if path.removeprefix("keras.") in MODULES:
        return ""
    return why_gone(path.removeprefix("keras.")) or "Keras 3 has no such name"
