"""Provide readers of files, records and pictures, which Python calls during a run.

Each function has an attribute `host_outline`, a function of the arguments that returns the structure of
specs of its results: a file need not exist when the graph is built.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shims._src.data import elements, features, file_system, parsing, tensor_bytes
from shims._src.data.specs import TensorSpec
from shims._src.errors import errors
from shims._src.image import encoding, files
from shims._src.sparse.tensor import unchecked
from shims._src.v1.graph.host_calls import with_outline

_TEXT = TensorSpec([], object)
_PICTURE = (None, None)


def _shape_of(value) -> Any:
    """Return the static shape of a tensor or of a Python value, as a list; `None` if it is unknown."""
    shape = value.shape if hasattr(value, "shape") else np.shape(value)
    if getattr(shape, "rank", 0) is None:
        return None
    return shape.as_list() if hasattr(shape, "as_list") else list(shape)


def _extended(value, *more) -> Any:
    shape = _shape_of(value)
    return None if shape is None else [*shape, *more]


@with_outline(lambda filename: _TEXT)
def read_file(filename):
    """Return the contents of a file as a scalar string.

    https://www.tensorflow.org/api_docs/python/tf/io/read_file
    """
    return file_system.read_file(filename)


@with_outline(lambda filename, contents: ())
def write_file(filename, contents):
    """Write a scalar string to a file; missing folders are made.

    https://www.tensorflow.org/api_docs/python/tf/io/write_file
    """
    file_system.write_file(filename, contents)
    return ()


@with_outline(lambda pattern: TensorSpec([None], object))
def matching_files(pattern):
    """Return the names of the files that match a pattern or several patterns, in order.

    https://www.tensorflow.org/api_docs/python/tf/io/matching_files
    """
    return file_system.matching_files(pattern)


def _raw(input_bytes=None, out_type=None, little_endian=True, bytes=None):
    given = bytes if input_bytes is None else input_bytes
    return TensorSpec(_extended(given, None), out_type)


@with_outline(_raw)
def decode_raw(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None):
    """Read the bytes of strings as numbers.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/decode_raw
    """
    given = bytes if input_bytes is None else input_bytes
    return tensor_bytes.decode_raw(given, out_type, little_endian)


def _columns(records, record_defaults, *args, **options):
    dtypes = [np.asarray(elements.component_of(d)).dtype for d in record_defaults]
    return [TensorSpec(_shape_of(records), d) for d in dtypes]


@with_outline(_columns)
def decode_csv(
    records,
    record_defaults,
    field_delim=",",
    use_quote_delim=True,
    name=None,
    na_value="",
    select_cols=None,
):
    """Read lines of comma-separated values.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/decode_csv
    """
    return tensor_bytes.decode_csv(
        records, record_defaults, field_delim, use_quote_delim, na_value, select_cols
    )


@with_outline(lambda serialized, out_type: TensorSpec(None, out_type))
def parse_tensor(serialized, out_type):
    """Read a tensor from the bytes of a `TensorProto`.

    https://www.tensorflow.org/api_docs/python/tf/io/parse_tensor
    """
    return tensor_bytes.parse_tensor(serialized, out_type)


@with_outline(lambda tensor: _TEXT)
def serialize_tensor(tensor):
    """Write a tensor as the bytes of a `TensorProto`.

    https://www.tensorflow.org/api_docs/python/tf/io/serialize_tensor
    """
    return tensor_bytes.serialize_tensor(tensor)


def _parsed(batch: list, features_by_name, key: str):
    """Return the specs of a parsed feature; `batch` is the shape of the records."""
    feature = features_by_name[key]
    if isinstance(feature, features.FixedLenFeature):
        return TensorSpec([*batch, *feature.shape], feature.dtype)
    if isinstance(feature, features.FixedLenSequenceFeature):
        return TensorSpec([*batch, None, *feature.shape], feature.dtype)
    if isinstance(feature, (features.VarLenFeature, features.SparseFeature)):
        sizes = feature.size if isinstance(feature, features.SparseFeature) else 0
        rank = len(batch) + (len(sizes) if isinstance(sizes, (list, tuple)) else 1)
        return unchecked(
            TensorSpec([None, rank], np.int64),
            TensorSpec([None], feature.dtype),
            TensorSpec([rank], np.int64),
        )
    raise errors.UnimplementedError(
        errors.message(
            "parse_example",
            f"the feature {key!r} is ragged, which is not supported while a graph is built.",
            do=(
                "use a `VarLenFeature`, or parse inside a function that is passed to `tf.data.Dataset.map`"
            ),
        )
    )


def _parsed_one(serialized, features, **options):
    return {key: _parsed([], features, key) for key in sorted(features)}


def _parsed_batch(serialized, features, **options):
    shape = _shape_of(serialized)
    batch = [None] if shape is None else shape
    return {key: _parsed(batch, features, key) for key in sorted(features)}


@with_outline(_parsed_one)
def parse_single_example(serialized, features, name=None, example_names=None):
    """Parse a record of `tf.train.Example`.

    Raises:
      UnimplementedError: a feature is a `RaggedFeature`, and a graph is being built.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/parse_single_example
    """
    return parsing.parse_single_example(serialized, features)


@with_outline(_parsed_batch)
def parse_example(serialized, features, name=None, example_names=None):
    """Parse a batch of records of `tf.train.Example`.

    Raises:
      UnimplementedError: a feature is a `RaggedFeature`, and a graph is being built.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/parse_example
    """
    return parsing.parse_example(serialized, features)


def _pixels(contents, channels=0, *args, dtype=np.uint8, **options):
    return TensorSpec([*_PICTURE, channels or None], dtype)


decode_jpeg = with_outline(_pixels)(files.decode_jpeg)
decode_bmp = with_outline(_pixels)(files.decode_bmp)
decode_png = with_outline(
    lambda contents, channels=0, dtype=np.uint8: _pixels(contents, channels, dtype=dtype)
)(files.decode_png)
decode_gif = with_outline(lambda contents: TensorSpec([None, *_PICTURE, 3], np.uint8))(
    files.decode_gif
)
decode_and_crop_jpeg = with_outline(
    lambda contents, crop_window, channels=0, **options: _pixels(contents, channels)
)(files.decode_and_crop_jpeg)


def _any_pixels(contents, channels=None, dtype=np.uint8, expand_animations=True):
    return TensorSpec(None if expand_animations else [*_PICTURE, channels or None], dtype)


decode_image = with_outline(_any_pixels)(files.decode_image)
extract_jpeg_shape = with_outline(
    lambda contents, output_type=np.int32: TensorSpec([3], output_type)
)(files.extract_jpeg_shape)
is_jpeg = with_outline(lambda contents: TensorSpec([], bool))(files.is_jpeg)
encode_jpeg = with_outline(lambda image, *args, **options: _TEXT)(encoding.encode_jpeg)
encode_png = with_outline(lambda image, *args, **options: _TEXT)(encoding.encode_png)
