"""Provide the dataset of files of comma-separated values."""

from __future__ import annotations

from typing import Any

import numpy as np

from shims._src.data import elements, records
from shims._src.data.dataset import Dataset
from shims._src.data.files import Files, paths_of
from shims._src.data.mapping import Map
from shims._src.data.node import Node
from shims._src.data.order import Part
from shims._src.data.tensor_bytes import decode_csv
from shims._src.types.dtypes import DType
from shims._src.types.tensor_spec import TensorSpec, as_numpy_dtype


class _Columns(Map):
    """The columns of the lines of files."""

    def __init__(self, source: Node, defaults: list, options: dict[str, Any]):
        super().__init__(source, lambda line: tuple(decode_csv(line, defaults, **options)))
        self._spec = (tuple(TensorSpec([], np.asarray(d).dtype) for d in defaults),)

    def known_spec(self) -> Any:
        """Return the specs of the columns."""
        return self.spec

    def cardinality(self) -> int:
        """Return that of the lines."""
        return self.input.cardinality()


class CsvDataset(Dataset):
    """The lines of files of comma-separated values, each a tuple of its columns.

    Args:
      filenames: a path or several paths.
      record_defaults: for each column a value for missing fields, or a dtype if the field is
        required.
      compression_type: "GZIP", "ZLIB" or `None`.
      buffer_size: has no effect.
      header: whether the first line of each file is left out.
      field_delim: the character between fields.
      use_quote_delim: whether `"` encloses fields.
      na_value: a string that, like the empty string, marks a missing field.
      select_cols: the numbers of the columns to read.
      exclude_cols: not supported.

    Differs from TensorFlow:
      A quoted field cannot contain a line break.

    https://www.tensorflow.org/api_docs/python/tf/data/experimental/CsvDataset
    """

    __module__ = "shims.data.experimental"

    def __init__(
        self,
        filenames,
        record_defaults,
        compression_type=None,
        buffer_size=None,
        header=False,
        field_delim=",",
        use_quote_delim=True,
        na_value="",
        select_cols=None,
        exclude_cols=None,
    ):
        del buffer_size
        if exclude_cols is not None:
            raise ValueError("`exclude_cols` is not supported: pass `select_cols`.")
        each = [Files([p], compression_type or "", records.lines) for p in paths_of(filenames)]
        lines = Dataset(_after(each[0], header))
        for other in each[1:]:
            lines = lines.concatenate(Dataset(_after(other, header)))
        defaults = [
            np.zeros(0, as_numpy_dtype(d))
            if isinstance(d, (DType, type, np.dtype))
            else np.asarray(elements.component_of(d))
            for d in record_defaults
        ]
        options = {
            "field_delim": field_delim,
            "use_quote_delim": use_quote_delim,
            "na_value": na_value,
            "select_cols": select_cols,
        }
        super().__init__(_Columns(lines.node, defaults, options))


def _after(lines: Node, header) -> Node:
    return Part(lines, 1, None) if header else lines
