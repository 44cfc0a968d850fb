"""Variables brought back from a checkpoint: all of them, or none and the reason."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

import numpy as np

from shims._src import errors
from shims._src.checkpoint import element_types
from shims._src.checkpoint.bundle_reader import BundleReader


@dataclasses.dataclass(frozen=True)
class Wanted:
    """What a variable takes.

    Args:
      dtype: the dtype of the variable.
      shape: its shape; any for `None`.
      place: start and length on each axis where it is a piece of a partitioned variable.
    """

    dtype: np.dtype
    shape: tuple[int, ...] | None = None
    place: tuple[tuple[int, int], ...] | None = None


def restore(
    prefix: str, wanted: Mapping[str, Wanted], *, reshape: bool = False
) -> dict[str, np.ndarray]:
    """The values of variables, by name.

    Args:
      prefix: the path of the checkpoint, without `.index`.
      wanted: what is taken, by the names in the checkpoint.
      reshape: whether another shape of as many elements will do.

    Raises:
      NotFoundError: the checkpoint lacks some of them; all of these are named.
      InvalidArgumentError: some have another dtype or shape there; all of these are named.
      DataLossError: the checkpoint is damaged.
    """
    bundle = BundleReader(prefix)
    missing = sorted(name for name in wanted if name not in bundle)
    if missing:
        raise _missing(prefix, missing, bundle)
    faults = [f for name, w in wanted.items() if (f := _fault(name, w, bundle, reshape))]
    if faults:
        raise errors.InvalidArgumentError(
            errors.message(
                "", f"{prefix} does not fit the variables:\n    " + "\n    ".join(faults)
            )
        )
    return {name: _value(name, w, bundle) for name, w in wanted.items()}


def _fault(name: str, wanted: Wanted, bundle: BundleReader, reshape: bool) -> str | None:
    """What keeps a variable from being restored, if anything does."""
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
            return f"{name}: there is no piece at {wanted.place} of shape {list(shape)}"
        shape = tuple(length for _, length in wanted.place)
    if wanted.shape is None or shape == tuple(wanted.shape):
        return None
    if reshape and math.prod(shape) == math.prod(wanted.shape):
        return None
    return (
        f"{name}: shapes of the variable and of the saved tensor must match: lhs shape= "
        f"{list(wanted.shape)} rhs shape= {list(shape)}"
    )


def _value(name: str, wanted: Wanted, bundle: BundleReader) -> np.ndarray:
    value = bundle.read(name)
    if wanted.place is not None:
        value = value[tuple(slice(start, start + length) for start, length in wanted.place)]
    return value if wanted.shape is None else value.reshape(wanted.shape)


def _missing(prefix: str, missing: list[str], bundle: BundleReader) -> errors.NotFoundError:
    rest = f" (and {len(missing) - 1} more: {', '.join(missing[1:])})" if missing[1:] else ""
    names = bundle.names
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return errors.NotFoundError(
        errors.message(
            "",
            f"Key {missing[0]} not found in checkpoint{rest}.",
            required="every name of a variable among those of the checkpoint",
            received=f"{prefix} with {shown or 'nothing'}",
            do="give `Saver` a dict from the names of the checkpoint to the variables",
        )
    )
