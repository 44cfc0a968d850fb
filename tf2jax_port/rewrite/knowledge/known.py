"""Look up a TensorFlow name: its table row, and the signature that binds arguments of its calls."""

from __future__ import annotations

import functools
from typing import NamedTuple

from tf2jax_port import table
from tf2jax_port.rewrite.knowledge import keras_rows, version_1
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.reading.resolve import Reference, canonical, is_module, tensorflow_path
from tf2jax_port.table import Native, Row, Shim
from tf2jax_port.table.version_1 import CLASSES, SAME_IN_VERSION_1


class Known(NamedTuple):
    """The table row for a reference, and the signature of its calls.

    Attributes:
      row: the table row.
      reference: the reference, cut to the part that the row describes.
      rest: the attributes after that part.
      version_1_params: the parameters of version 1 if they differ, otherwise empty.
    """

    row: Row
    reference: Reference
    rest: tuple[str, ...]
    version_1_params: str = ""

    @property
    def renames(self) -> tuple[tuple[str, str], ...]:
        """Pairs of an old keyword and the parameter that it means."""
        return (*self.row.renames, *version_1.renames(self.row.name))


@functools.cache
def rows() -> dict[str, Row]:
    """Return a dict from names to all table rows.

    Raises:
      ValueError: two rows have the same name.
    """
    return table.by_name((*table.ROWS, *table.CONSTRUCTS))


def look_up(reference: Reference) -> Known | None:
    """Return the table row of the longest known prefix of a reference, `None` if there is none."""
    found = _longest_known(reference.dotted, reference.version)
    if found is None:
        return None
    length, row, rest, params = found
    return Known(row, reference.shortened(length), rest, params)


@functools.lru_cache(maxsize=8192)
def _longest_known(
    dotted: tuple[str, ...], version: int
) -> tuple[int, Row, tuple[str, ...], str] | None:
    """Find the longest prefix of a dotted name that has a table row.

    Returns:
      The length of the prefix, the row, the remaining attributes, and the parameters of version 1.
    """
    for length in range(len(dotted), 0, -1):
        path = tensorflow_path(dotted[length - 1])[0]
        if is_module(path):
            return None
        known = _row_of(path, version)
        if known is not None:
            rest = dotted[-1][len(dotted[length - 1]) :].strip(".")
            return length, known[0], tuple(filter(None, rest.split("."))), known[1]
    return None


def _row_of(path: str, version: int) -> tuple[Row, str] | None:
    """Return the table row of a name, and its parameters in version 1; `None` if there is no row."""
    name = canonical(path, version)
    row = rows().get(name)
    if row is not None:
        return row, ""
    if name.startswith("v1."):
        row_name, params = _spelled_in_version_1().get(path, ("", ""))
        row = rows().get(row_name)
    if row is None:
        row, params = keras_rows.find_row(path, version), ""
    return None if row is None else (row, params)


@functools.cache
def _spelled_in_version_1() -> dict[str, tuple[str, str]]:
    """Return a dict from TensorFlow 1 names to names of table rows and TensorFlow 1's parameters.

    The dict has the objects that TensorFlow 2 also has, mostly under another name.
    """
    same = (*SAME_IN_VERSION_1, *(name for name, _ in CLASSES))
    return {**{name: (name, version_1.params(name)) for name in same}, **version_1.moved()}


def has_another_meaning(reference: Reference) -> bool:
    """Return whether the name of a table row means something else in TensorFlow 1."""
    name = canonical(reference.path, reference.version)
    return name.startswith("v1.") and reference.path in rows()


_IN_THE_TABLE = frozenset(row.name for row in table.ROWS)


def facade(row: Row) -> str | None:
    """Return the function of `shims` with TensorFlow's own signature, `None` if there is none."""
    if isinstance(row.target, Shim):
        return row.target.function
    made = row.name in _IN_THE_TABLE and (isinstance(row.target, Native) or row.own)
    return f"shims.{row.name}" if made and not row.name.startswith("v1.") else None


def corner(row: Row, options: Options) -> str:
    """Return the corner case to report: the row's `differs`, or its `note` if the options ask for it."""
    return row.differs or (row.note if options.takes_exact else "")


def tensorflows(row: Row) -> str | None:
    """Return the function of `shims` that takes the row's arguments as TensorFlow does, `None` if there is none.

    For a function of `tf.keras.backend`, it is the one that computes with operators of `shims` instead of `keras.ops`.
    """
    return facade(row) or keras_rows.backend_function(row.name) or None


def has_exact_form(row: Row) -> bool:
    """Return whether `shims` has an exact replacement where the row's JAX expression differs."""
    return bool(row.own) if facade(row) else tensorflows(row) is not None
