"""Restore variables from a checkpoint: all of them, or none with an error."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from shims._src.checkpoint import element_types
from shims._src.checkpoint.object_graph import keys_by_name
from shims._src.checkpoint.opening import open_checkpoint
from shims._src.checkpoint.tensor_reader import TensorReader
from shims._src.errors import errors


@dataclasses.dataclass(frozen=True)
class Wanted:
    """A variable to restore.

    Args:
      name: its name in the checkpoint.
      dtype: the dtype of the variable.
      shape: the shape of the variable; any shape when `None`.
      place: start and length per axis, if it is a slice of a partitioned variable.
    """

    name: str
    dtype: np.dtype
    shape: tuple[int, ...] | None = None
    place: tuple[tuple[int, int], ...] | None = None


def restore(prefix: str, wanted: Sequence[Wanted], *, reshape: bool = False) -> list[np.ndarray]:
    """Read the values of variables, in the requested order.

    Args:
      prefix: the path of the checkpoint, without `.index`. In a TensorFlow 2 checkpoint the
        names are those that the variables had when it was written.
      wanted: the variables to restore.
      reshape: whether to accept another shape with as many elements.

    Raises:
      NotFoundError: variables are missing in the checkpoint; the message lists all of them.
      InvalidArgumentError: dtypes or shapes differ; the message lists all mismatches.
      DataLossError: the checkpoint is damaged.
    """
    bundle = open_checkpoint(prefix)
    found = _resolve_names(wanted, bundle)
    faults = [fault for w in found if (fault := _find_mismatch(w, bundle, reshape))]
    if faults:
        raise errors.InvalidArgumentError(
            errors.message("", "\n    ".join([f"{prefix} does not match the variables:", *faults]))
        )
    return [_read_value(w, bundle) for w in found]


def _resolve_names(wanted: Sequence[Wanted], bundle: TensorReader) -> list[Wanted]:
    """Replace the names of the wanted variables by the checkpoint's keys.

    Raises:
      NotFoundError: the checkpoint does not have one of the variables.
    """
    missing = sorted({w.name for w in wanted if w.name not in bundle})
    if not missing:
        return list(wanted)
    keys = keys_by_name(bundle)
    if keys is None:
        raise _missing(missing, bundle.names, bundle.prefix)
    unknown = sorted({w.name for w in wanted if w.name not in keys})
    if unknown:
        raise _missing(unknown, sorted(keys), bundle.prefix)
    return [dataclasses.replace(w, name=keys[w.name]) for w in wanted]


def _find_mismatch(wanted: Wanted, bundle: TensorReader, reshape: bool) -> str | None:
    """Return why a variable cannot be restored; `None` if it can be."""
    name = wanted.name
    entry = bundle.entry(name)
    expected = element_types.name_of(element_types.number_of(np.dtype(wanted.dtype)) or 0)
    found = element_types.name_of(entry.dtype)
    if found != expected:
        return f"{name}: expected dtype {expected} does not equal original dtype {found}"
    shape = entry.shape
    if wanted.place is not None:
        inside = len(wanted.place) == len(shape) and all(
            start + length <= size for (start, length), size in zip(wanted.place, shape)
        )
        if not inside:
            return f"{name}: there is no slice at {wanted.place} of shape {list(shape)}"
        shape = tuple(length for _, length in wanted.place)
    if wanted.shape is None or shape == tuple(wanted.shape):
        return None
    if reshape and math.prod(shape) == math.prod(wanted.shape):
        return None
    return (
        f"{name}: shapes of the variable and of the saved tensor must match: lhs shape= "
        f"{list(wanted.shape)} rhs shape= {list(shape)}"
    )


def _read_value(wanted: Wanted, bundle: TensorReader) -> np.ndarray:
    value = bundle.read(wanted.name, wanted.place)
    return value if wanted.shape is None else value.reshape(wanted.shape)


def _missing(missing: list[str], names: list[str], prefix: str) -> errors.NotFoundError:
    rest = f" (and {len(missing) - 1} more: {', '.join(missing[1:])})" if missing[1:] else ""
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return errors.NotFoundError(
        errors.message(
            "",
            f"Key {missing[0]} not found in checkpoint{rest}.",
            required="a checkpoint that has the name of every variable",
            received=f"{prefix}, which contains {shown or 'nothing'}",
            do="pass `Saver` a dict that maps names in the checkpoint to variables",
        )
    )
