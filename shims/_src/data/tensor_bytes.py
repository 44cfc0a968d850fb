"""Convert tensors to bytes and back: `TensorProto`, raw numbers, and lines of comma-separated values."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np

from shims._src.checkpoint import wire
from shims._src.data import elements
from shims._src.errors import errors
from shims._src.types.host_tensor import HostTensor, host
from shims._src.types.tensor_spec import NAMES_BY_ENUM, as_numpy_dtype

_CONTENT, _STRING = 4, 8


def _name(dtype: np.dtype) -> str:
    return "string" if dtype.hasobject else dtype.name


def serialize_tensor(tensor, name=None) -> HostTensor:
    """Return a tensor as the bytes of a `TensorProto`.

    Args:
      tensor: array or strings.
      name: ignored.

    Returns:
      A scalar string.

    https://www.tensorflow.org/api_docs/python/tf/io/serialize_tensor
    """
    del name
    array = np.asarray(elements.component_of(tensor))
    number = next(n for n, text in NAMES_BY_ENUM.items() if text == _name(array.dtype))
    sizes = b"".join(wire.bytes_field(2, wire.number_field(1, n)) for n in array.shape)
    head = wire.number_field(1, number) + wire.bytes_field(2, sizes)
    if array.dtype.hasobject:
        texts = [wire.bytes_field(_STRING, t) for t in array.reshape(-1).tolist()]
        return host(b"".join([head, *texts]))
    content = wire.bytes_field(_CONTENT, array.tobytes()) if array.size else b""
    return host(head + content)


# The fields of values in a `TensorProto` that has no raw content.
_VALUES = {5: "<f4", 6: "<f8", 7: None, 10: None, 11: None, 13: None, 16: None, 17: None}


def parse_tensor(serialized, out_type, name=None) -> HostTensor:
    """Return the tensor in the bytes of a `TensorProto`.

    Args:
      serialized: a scalar string.
      out_type: the dtype of the tensor.
      name: ignored.

    Returns:
      An array or strings on the host.

    Raises:
      InvalidArgumentError: the bytes are not a `TensorProto`, or its dtype differs.

    https://www.tensorflow.org/api_docs/python/tf/io/parse_tensor
    """
    del name
    data = host(serialized).numpy()
    try:
        found = _tensor(data)
    except (ValueError, KeyError):
        raise errors.InvalidArgumentError("Could not parse `serialized` as TensorProto") from None
    wanted = as_numpy_dtype(out_type)
    if found.dtype != wanted:
        raise errors.InvalidArgumentError(
            f"Type mismatch between parsed tensor ({_name(found.dtype)}) and dtype ({_name(wanted)})"
        )
    return host(found)


def _tensor(data: bytes) -> np.ndarray:
    parts: dict[int, list[Any]] = {}
    for number, kind, value in wire.raw_fields(data):
        parts.setdefault(number, []).append((kind, value))
    dtype = as_numpy_dtype(NAMES_BY_ENUM[parts[1][0][1]])
    shape = [] if 2 not in parts else _shape(parts[2][0][1])
    if dtype.hasobject:
        out = np.empty(len(parts.get(_STRING, [])), object)
        out[:] = [value for _, value in parts.get(_STRING, [])]
        return out.reshape(shape)
    if _CONTENT in parts:
        return np.frombuffer(parts[_CONTENT][0][1], dtype).reshape(shape)
    values = [_values(v, _VALUES[n]) for n, each in parts.items() if n in _VALUES for v in each]
    flat = np.concatenate([np.zeros(0), *values]) if values else np.zeros(0)
    if dtype.itemsize == 2 and dtype.kind not in "iu":
        flat = flat.astype(np.uint16).view(dtype)
    size = int(np.prod(shape, dtype=np.int64))
    last = flat[-1:] if len(flat) else np.zeros(1)
    return np.concatenate([flat, np.repeat(last, size - len(flat))]).astype(dtype).reshape(shape)


def _shape(data: bytes) -> list[int]:
    dims = [value for number, value in wire.fields(data) if number == 2]
    return [wire.number_of(dict(wire.fields(wire.bytes_of(d))).get(1, 0)) for d in dims]


def _values(field: tuple[int, Any], layout: str | None) -> np.ndarray:
    kind, value = field
    if kind == wire.VARINT:
        return np.array([value], np.uint64).astype(np.int64)
    return wire.varints(value) if layout is None else np.frombuffer(value, layout)


def decode_raw(
    input_bytes, out_type, little_endian=True, fixed_length=None, name=None
) -> HostTensor:
    """Read the bytes of strings as numbers.

    Args:
      input_bytes: strings of equal length.
      out_type: the dtype of the numbers.
      little_endian: the order of the bytes of a number.
      fixed_length: the length to which strings are cut, or padded with zeros.
      name: ignored.

    Returns:
      Numbers on the host, with one more axis.

    Raises:
      InvalidArgumentError: the lengths differ, or are not multiples of the size of a number.

    https://www.tensorflow.org/api_docs/python/tf/io/decode_raw
    """
    del name
    texts = np.asarray(elements.component_of(input_bytes))
    dtype = as_numpy_dtype(out_type)
    flat = texts.reshape(-1).tolist()
    if fixed_length is not None:
        size = int(fixed_length)
        flat = [t[:size].ljust(size, b"\0") for t in flat]
    length = len(flat[0]) if flat else 0
    for number, text in enumerate(flat):
        if len(text) != length:
            raise errors.InvalidArgumentError(
                "DecodeRaw requires input strings to all be the same size, but element "
                f"{number} has size {len(text)} != {length}"
            )
    if length % dtype.itemsize:
        raise errors.InvalidArgumentError(
            f"Input to DecodeRaw has length {length} that is not a multiple of {dtype.itemsize}, the "
            f"size of {dtype.name}"
        )
    ordered = dtype if dtype.kind in "bV" else dtype.newbyteorder("<" if little_endian else ">")
    numbers = np.frombuffer(b"".join(flat), ordered).astype(dtype)
    return host(numbers.reshape(*texts.shape, length // dtype.itemsize))


def decode_csv(
    records,
    record_defaults,
    field_delim=",",
    use_quote_delim=True,
    na_value="",
    select_cols=None,
    name=None,
) -> list[HostTensor]:
    """Read lines of comma-separated values.

    Args:
      records: strings, one line each.
      record_defaults: for each column a value, whose dtype is that of the column, or an empty tensor
        if the value is required.
      field_delim: the character between fields.
      use_quote_delim: whether `"` encloses fields.
      na_value: a string that, like the empty string, marks a missing value.
      select_cols: the numbers of the columns to read.
      name: ignored.

    Returns:
      A tensor for each column, of the shape of `records`.

    Raises:
      InvalidArgumentError: a line has a different number of fields, or a field is missing or is not a number.

    https://www.tensorflow.org/api_docs/python/tf/io/decode_csv
    """
    del name
    lines = np.asarray(elements.component_of(records))
    defaults = [np.asarray(elements.component_of(d)) for d in record_defaults]
    columns: list[list[Any]] = [[] for _ in defaults]
    quoting: Any = csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE
    for number, line in enumerate(lines.reshape(-1).tolist()):
        text = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
        rows = list(csv.reader([text], delimiter=field_delim, quoting=quoting)) or [[]]
        row = rows[0] or [""]
        chosen = row if select_cols is None else [row[i] for i in select_cols if i < len(row)]
        if len(chosen) != len(defaults):
            raise errors.InvalidArgumentError(
                f"Expect {len(defaults)} fields but have {len(chosen)} in record {number}"
            )
        for column, (field, default) in enumerate(zip(chosen, defaults, strict=True)):
            columns[column].append(_field(field, default, na_value, (column, number)))
    return [_column(c, d.dtype, lines.shape) for c, d in zip(columns, defaults, strict=True)]


def _column(values: list, dtype: np.dtype, shape: tuple) -> HostTensor:
    out = np.empty(len(values), dtype)
    out[:] = values
    return host(out.reshape(shape))


def _field(text: str, default: np.ndarray, na_value: str, place: tuple[int, int]) -> Any:
    column, record = place
    if text in ("", na_value):
        if not default.size:
            raise errors.InvalidArgumentError(
                f"Field {column} is required but missing in record {record}!"
            )
        return default.reshape(-1)[0]
    if default.dtype.hasobject:
        return text.encode("utf-8", "surrogateescape")
    try:
        found = int(text) if default.dtype.kind in "iu" else float(text)
        return (
            np.asarray(found).astype(default.dtype)
            if default.dtype.kind == "f"
            else default.dtype.type(found)
        )
    except (ValueError, OverflowError):
        raise errors.InvalidArgumentError(
            f"Field {column} in record {record} is not a valid {default.dtype.name}: {text}"
        ) from None
