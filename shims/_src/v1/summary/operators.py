"""Define summary operations such as `tf.summary.scalar`, which return a serialized `Summary`."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Callable, Iterator

import numpy as np

from shims._src.errors import errors
from shims._src.types.dtypes import string as string_dtype
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.summary import messages
from shims._src.v1.summary.histogram import histogram_of
from shims._src.v1.summary.png import as_bytes, png
from shims._src.v1.variables.variables import GraphKeys

_NOT_IN_TAGS = re.compile(r"[^-/\w\.]")
_DT_STRING = 7


def scalar(name, tensor, collections=None, family=None) -> Tensor:
    """Create a summary of a scalar.

    Args:
      name: its tag, prefixed with the open name scopes.
      tensor: a scalar of real numbers.
      collections: the collections to add the summary to; `GraphKeys.SUMMARIES` when `None`.
      family: a prefix of the tag, by which TensorBoard groups summaries.

    Returns:
      A scalar string tensor, a serialized `Summary`.

    Raises:
      InvalidArgumentError: at run time, if `tensor` is not a scalar.

    Differs from TensorFlow:
      It requires the installation extra `summary` at run time.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/summary/scalar
    """

    def fill(summary, tag, value):
        if value.ndim:
            raise errors.InvalidArgumentError(
                f"tags and values are not the same shape: [] != {list(value.shape)} (tag '{tag}')"
            )
        summary.value.add(tag=tag, simple_value=float(value))

    return summary_of("ScalarSummary", name, tensor, collections, family, fill)


def histogram(name, values, collections=None, family=None) -> Tensor:
    """Create a summary of the histogram of a tensor.

    Args:
      name: its tag, prefixed with the open name scopes.
      values: real numbers.
      collections: the collections to add the summary to; `GraphKeys.SUMMARIES` when `None`.
      family: a prefix of the tag.

    Returns:
      A scalar string tensor, a serialized `Summary`.

    Raises:
      InvalidArgumentError: at run time, if a number is not finite.

    Differs from TensorFlow:
      It requires the installation extra `summary` at run time.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/summary/histogram
    """

    def fill(summary, tag, value):
        for kind, found in (("Nan", np.isnan(value)), ("Infinity", np.isinf(value))):
            if found.any():
                raise errors.InvalidArgumentError(f"{kind} in summary histogram for: {tag}")
        histo = messages.HistogramProto(**histogram_of(value))
        summary.value.add(tag=tag, histo=histo)

    return summary_of("HistogramSummary", name, values, collections, family, fill)


def image(name, tensor, max_outputs=3, collections=None, family=None) -> Tensor:
    """Create a summary of images.

    Args:
      name: the first part of its tags, which are `name/image`, or `name/image/0`, `name/image/1`, ...
      tensor: `[n, height, width, channels]` with 1, 3 or 4 channels, of dtype uint8, or of real
        numbers that are scaled to the range from 0 to 255.
      max_outputs: the largest number of images to write.
      collections: the collections to add the summary to; `GraphKeys.SUMMARIES` when `None`.
      family: a prefix of the tags.

    Returns:
      A scalar string tensor, a serialized `Summary`.

    Raises:
      InvalidArgumentError: at run time, if the shape does not match.

    Differs from TensorFlow:
      The pixels equal TensorFlow's; the bytes of the PNG files differ.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/summary/image
    """

    def fill(summary, tag, value):
        if value.ndim != 4 or value.shape[-1] not in (1, 3, 4):
            raise errors.InvalidArgumentError(
                "Tensor must be 4-D with last dim 1, 3, or 4, not " + str(list(value.shape))
            )
        for i, picture in enumerate(value[:max_outputs]):
            last = "/image" if max_outputs == 1 else f"/image/{i}"
            height, width, channels = picture.shape
            encoded = messages.Summary.Image(
                height=height,
                width=width,
                colorspace=channels,
                encoded_image_string=png(as_bytes(picture)),
            )
            summary.value.add(tag=tag + last, image=encoded)

    return summary_of("ImageSummary", name, tensor, collections, family, fill)


def text(name, tensor, collections=None) -> Tensor:
    """Create a summary of strings, which TensorBoard displays as Markdown.

    Args:
      name: its tag, prefixed with the open name scopes.
      tensor: strings.
      collections: the collections to add the summary to; `GraphKeys.SUMMARIES` when `None`.

    Returns:
      A scalar string tensor, a serialized `Summary`.

    Raises:
      ValueError: the dtype of `tensor` is not string.

    Differs from TensorFlow:
      It requires the installation extra `summary` at run time.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/summary/text
    """
    tensor = convert_to_tensor(tensor)
    if tensor.dtype.name != "string":
        raise ValueError(f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}")

    def fill(summary, tag, value):
        proto = messages.TensorProto(dtype=_DT_STRING, string_val=list(value.ravel()))
        for size in value.shape:
            proto.tensor_shape.dim.add(size=size)
        metadata = messages.SummaryMetadata()
        metadata.plugin_data.plugin_name = "text"
        summary.value.add(tag=tag, metadata=metadata, tensor=proto)

    return summary_of("TensorSummaryV2", name, tensor, collections, None, fill)


def merge(inputs, collections=None, name=None) -> Tensor:
    """Merge several summaries into one.

    Args:
      inputs: string tensors, serialized `Summary`s.
      collections: the collections to add the result to; none when `None`.
      name: the name of the operation.

    Returns:
      A scalar string tensor, a serialized `Summary`.

    Raises:
      InvalidArgumentError: at run time, if two values have the same tag.

    Differs from TensorFlow:
      It requires the package `tensorboardX` at run time.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/summary/merge
    """

    def compute(session, op, values):
        del session, op
        merged = messages.Summary()
        seen: set[str] = set()
        for value in values:
            for part in messages.Summary.FromString(value.item()).value:
                if part.tag in seen:
                    raise errors.InvalidArgumentError(
                        f"Duplicate tag {part.tag} found in summary inputs"
                    )
                seen.add(part.tag)
                merged.value.append(part)
        return [_serialize(merged)]

    graph = get_default_graph()
    inputs = [convert_to_tensor(x) for x in inputs]
    with graph.name_scope(name or "Merge"):
        full = graph.unique_name(name or "MergeSummary")
        merged = _make_operation("MergeSummary", full, inputs, compute)
    _collect(merged, collections, [])
    return merged


def merge_all(key=GraphKeys.SUMMARIES, scope=None, name=None) -> Tensor | None:
    """Merge all summaries of a collection; return `None` if there are no summaries.

    Args:
      key: the collection.
      scope: a regular expression that filters the summaries by name.
      name: the name of the operation.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/summary/merge_all
    """
    found = get_default_graph().get_collection(key, scope=scope)
    return merge(found, name=name) if found else None


def summary_of(type_: str, name, tensor, collections, family, fill: Callable) -> Tensor:
    """Add a summary operation to the graph; return its output, a serialized `Summary`.

    fill: a function `fill(summary, tag, value)` that fills in the `Summary` message at run time.
    """
    with _open_scope(name, family) as (tag, full):

        def compute(session, op, values):
            del session, op
            summary = messages.Summary()
            fill(summary, tag, np.asarray(values[0]))
            return [_serialize(summary)]

        made = _make_operation(type_, full, [convert_to_tensor(tensor)], compute)
    _collect(made, collections, [GraphKeys.SUMMARIES])
    return made


def _make_operation(type_: str, name: str, inputs, compute) -> Tensor:
    graph = get_default_graph()
    op = Operation(
        graph, type_, name, compute, inputs, [((), string_dtype)], graph.present_control_inputs()
    )
    op.on_host = True
    op.links = (frozenset(),)
    return op.outputs[0]


def _serialize(summary) -> np.ndarray:
    """Serialize a summary into an object array: a bytes array would drop trailing zero bytes."""
    found = np.empty((), object)
    found[()] = summary.SerializeToString()
    return found


@contextlib.contextmanager
def _open_scope(name, family) -> Iterator[tuple[str, str]]:
    """Open the name scope of a summary; yield its tag and the name of its operation."""
    name, family = _clean_name(name), _clean_name(family)
    base = name if family is None else f"{family}/{name}"
    with get_default_graph().name_scope(base) as scope:
        full = scope.rstrip("/")
        yield (full if family is None else f"{family}/{full}"), full


def _clean_name(name):
    """Replace each character that summary tags must not contain by an underscore."""
    if name is None:
        return None
    new = _NOT_IN_TAGS.sub("_", name).lstrip("/")
    if new != name:
        logging.getLogger("tensorflow").info(
            "Summary name %s is illegal; using %s instead.", name, new
        )
    return new


def _collect(tensor, collections, default) -> None:
    graph = get_default_graph()
    for key in default if collections is None else collections:
        graph.add_to_collection(key, tensor)
