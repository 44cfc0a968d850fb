"""Provide `make_csv_dataset`: batches of columns of files; the names and dtypes are read from the files."""

from __future__ import annotations

import collections
import csv
import io
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

import numpy as np

from shims._src.data import gfile
from shims._src.data.csv_files import CsvDataset
from shims._src.data.dataset import Dataset
from shims._src.data.files import opened

# From the narrowest to the widest; text fits every field.
_NUMBERS: tuple[Any, ...] = (np.int32, np.int64, np.float32, np.float64)


def make_csv_dataset(
    file_pattern,
    batch_size,
    column_names=None,
    column_defaults=None,
    label_name=None,
    select_columns=None,
    field_delim=",",
    use_quote_delim=True,
    na_value="",
    header=True,
    num_epochs=None,
    shuffle=True,
    shuffle_buffer_size=10000,
    shuffle_seed=None,
    prefetch_buffer_size=None,
    num_parallel_reads=None,
    sloppy=False,
    num_rows_for_inference=100,
    compression_type=None,
    ignore_errors=False,
    encoding="utf-8",
) -> Dataset:
    """Read files of comma-separated values in batches.

    Args:
      file_pattern: a pattern of paths, as in `tf.io.gfile.glob`, or several patterns.
      batch_size: the number of lines in a batch.
      column_names: a name for each column; by default the names in the first line of the files.
      column_defaults: for each selected column, in the order of the file, a value for missing
        fields, or a dtype if the field is required. By default the dtype is the narrowest of int32,
        int64, float32, float64 and string that can represent the values of the first lines, and a
        missing field is 0 or "".
      label_name: the column of the labels, which is returned separately.
      select_columns: the names or numbers of the columns to read; by default all of them.
      field_delim: the character between fields.
      use_quote_delim: whether `"` encloses fields.
      na_value: a string that, like the empty string, marks a missing field.
      header: whether the first line of each file is left out.
      num_epochs: how often all files are read. `None` repeats the files without end; then no batch
        is smaller than the other batches.
      shuffle: whether files and lines are shuffled.
      shuffle_buffer_size: the number of lines from which the next line is drawn.
      shuffle_seed: the seed of the order.
      prefetch_buffer_size: the number of batches that are prepared in advance.
      num_parallel_reads: the number of files that are read alternately, line by line; by default 1.
      sloppy: has no effect, because the order is deterministic.
      num_rows_for_inference: the number of lines that determine the dtypes; `None` for all.
      compression_type: "GZIP", "ZLIB" or `None`.
      ignore_errors: whether lines with errors are left out.
      encoding: the encoding of the lines from which names and dtypes are read.

    Returns:
      A dataset of dicts from the names of columns to arrays of shape `[batch_size]`; with `label_name`, of pairs of
      such a dict and the array of the labels.

    Raises:
      ValueError: no file matches, names or numbers of columns do not fit, or a line has a different number of fields.

    Differs from TensorFlow:
      Names and dtypes are read from files of both compression types. A default such as 1 is a
      number; TensorFlow reads some numbers as dtypes. A quoted field cannot contain a line break.

    https://www.tensorflow.org/api_docs/python/tf/data/experimental/make_csv_dataset
    """
    del sloppy
    paths = _paths(file_pattern)
    table = _Table(paths, field_delim, use_quote_delim, header, compression_type, encoding)
    names = table.names() if column_names is None else list(column_names)
    _check_distinct(names, "Either `column_names` argument or CSV header row contains")
    selected = None if select_columns is None else _positions(select_columns, names)
    if column_defaults is None:
        column_defaults = table.defaults(len(names), selected, na_value, num_rows_for_inference)
    if selected is not None:
        if len(column_defaults) != len(selected):
            raise ValueError(
                "If specified, `column_defaults` and `select_columns` must have the same length: "
                f"`column_defaults` has length {len(column_defaults)}, `select_columns` has length {len(selected)}."
            )
        names = [names[i] for i in selected]
    if label_name is not None and label_name not in names:
        raise ValueError(
            f"`label_name` provided must be one of the columns: {names}. Received: {label_name}."
        )

    def lines_of(path) -> Dataset:
        lines: Dataset = CsvDataset(
            path,
            column_defaults,
            compression_type,
            header=header,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            select_cols=selected,
        )
        return lines.ignore_errors() if ignore_errors else lines

    found = Dataset.from_tensor_slices(paths)
    found = found.shuffle(len(paths), shuffle_seed) if shuffle else found
    found = found.interleave(lines_of, cycle_length=num_parallel_reads or 1, block_length=1)
    found = found.shuffle(shuffle_buffer_size, shuffle_seed) if shuffle else found
    found = found if num_epochs == 1 else found.repeat(num_epochs)
    found = found.batch(batch_size, drop_remainder=num_epochs is None)
    found = found.map(_in_columns(names, label_name))
    return found.prefetch(-1 if prefetch_buffer_size is None else prefetch_buffer_size)


def _in_columns(names: list[str], label: str | None) -> Callable[..., Any]:
    """Return the function that names the columns of a batch."""

    def named(*columns):
        features = collections.OrderedDict(zip(names, columns, strict=True))
        return features if label is None else (features, features.pop(label))

    return named


def _paths(pattern: str | Sequence[str]) -> list[str]:
    if isinstance(pattern, list) and not pattern:
        raise ValueError("Argument `file_pattern` should not be empty.")
    patterns = pattern if isinstance(pattern, list) else [pattern]
    found = sorted(path for each in patterns for path in gfile.glob(each))
    if not found:
        raise ValueError(f"No files match `file_pattern` {pattern}.")
    return found


def _check_distinct(names: Sequence[Any], beginning: str) -> None:
    twice = {name for name, count in collections.Counter(names).items() if count > 1}
    if twice:
        raise ValueError(f"{beginning} duplicate column names: {twice}.")


def _positions(selected: Sequence[str | int], names: list[str]) -> list[int]:
    """Return the numbers of selected columns, in the order of the file."""
    found = []
    for each in selected:
        if isinstance(each, int):
            if not 0 <= each < len(names):
                raise ValueError(
                    f"Column index {each} specified in `select_columns` should be >= 0 and < {len(names)}, which is "
                    "the number of columns."
                )
            found.append(each)
        elif each in names:
            found.append(names.index(each))
        else:
            raise ValueError(
                f"Column {each} specified in `select_columns` must be one of the columns: {names}."
            )
    _check_distinct(found, "The `select_columns` argument contains")
    return sorted(found)


class _Table:
    """Reads names and dtypes of columns from the first lines of files."""

    def __init__(
        self,
        paths: list[str],
        delimiter: str,
        quotes: bool,
        header: bool,
        compression: str | None,
        encoding: str,
    ):
        self.paths, self.header = paths, header
        self._compression, self._encoding = compression or "", encoding
        self._format: dict[str, Any] = {
            "delimiter": delimiter,
            "quoting": csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
        }

    def names(self) -> list[str]:
        """Return the first line, which all files share."""
        if not self.header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        heads = []
        for path in self.paths:
            with self._open(path) as file:
                heads.append(next(csv.reader(file, **self._format), None))
            if heads[-1] is None:
                raise ValueError(
                    f"Failed when reading the header line of {path}. Is it an empty file?"
                )
            if heads[-1] != heads[0]:
                raise ValueError(
                    "All input CSV files should have the same column names in the header row. "
                    f"File {path} has different column names."
                )
        return list(heads[0] or ())

    def defaults(
        self, width: int, selected: list[int] | None, na_value: str, rows: int | None
    ) -> list[np.ndarray]:
        """Return a value for missing fields of each column, of the dtype that holds its first fields."""
        columns = range(width) if selected is None else selected
        widths = dict.fromkeys(columns, -1)  # before any field is seen
        for fields in itertools.islice(self._rows(width), rows):
            for column in columns:
                if fields[column] not in ("", na_value):
                    widths[column] = max(widths[column], _narrowest(fields[column]))
        return [
            np.zeros(1, _NUMBERS[n]) if 0 <= n < len(_NUMBERS) else np.array([b""], object)
            for n in widths.values()
        ]

    def _rows(self, width: int) -> Iterator[list[str]]:
        """Yield the fields of each line."""
        for path in self.paths:
            with self._open(path) as file:
                reader = csv.reader(file, **self._format)
                for number, fields in enumerate(reader, 1):
                    if number == 1 and self.header:
                        continue
                    if len(fields) != width:
                        raise ValueError(
                            f"Problem inferring types: CSV row {number} has {len(fields)} number of fields. "
                            f"Expected: {width}."
                        )
                    yield fields

    def _open(self, path: str) -> TextIO:
        return io.TextIOWrapper(
            opened(path, self._compression), encoding=self._encoding, newline=""
        )


def _narrowest(text: str) -> int:
    """Return the position in `_NUMBERS` of the narrowest dtype that holds a number; behind them is text."""
    for position, dtype in enumerate(_NUMBERS):
        try:
            with np.errstate(over="ignore"):
                if float(dtype(text)) < np.inf:
                    return position
        except (ValueError, OverflowError):
            continue
    return len(_NUMBERS)
