"""Write summaries: scalars, texts, histograms, pictures, sounds, and tensors of other plugins."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from shims._src.image.color import convert_image_dtype
from shims._src.image.encoding import encode_png
from shims._src.platform import jax_private as jp
from shims._src.recording.contexts import executing_eagerly, get_current_name_scope, name_scope
from shims._src.summary import events
from shims._src.summary.wav import encode_wav
from shims._src.summary.writers import CONDITION, STEP, WRITER
from shims._src.types.host_tensor import HostTensor, host
from shims._src.variables.variable import Variable

_NOT_IN_SCOPES = re.compile(r"[^-_/.A-Za-z0-9]")
_WAV = b"\x10\x0b"  # `AudioPluginData` whose encoding is WAV


@contextlib.contextmanager
def summary_scope(name, default_name="summary", values=None) -> Iterator[tuple[str, str]]:
    """Open the name scope of a custom summary.

    Args:
      name: the name of the summary.
      default_name: the name if `name` is empty.
      values: ignored.

    Returns:
      A context manager that yields the tag and the name scope.

    https://www.tensorflow.org/api_docs/python/tf/summary/experimental/summary_scope
    """
    del values
    name = name or default_name
    outer = get_current_name_scope()
    with name_scope(_NOT_IN_SCOPES.sub("", name) or default_name) as scope:
        yield (f"{outer}/{name}" if outer else name), scope


def should_record_summaries() -> Any:
    """Return whether there is a default writer and the condition of `record_if` holds.

    Returns:
      A boolean scalar.

    https://www.tensorflow.org/api_docs/python/tf/summary/should_record_summaries
    """
    return host(np.bool_(False)) if WRITER.value is None else _condition()


def _condition() -> Any:
    found = CONDITION.value() if callable(CONDITION.value) else CONDITION.value
    if isinstance(found, Variable):
        found = found.read_value()
    return host(np.bool_(found is None or found)) if _is_known(found) else found


def _is_known(value) -> bool:
    return not isinstance(value, jax.core.Tracer)


def _value(x) -> Any:
    """Return a value that a callback can take."""
    if isinstance(x, Variable):
        return x.read_value()
    return x if isinstance(x, (jax.Array, HostTensor)) else host(x)


def write(tag, tensor, step=None, metadata=None, name=None) -> HostTensor:
    """Write a tensor for a plugin of TensorBoard.

    Args:
      tag: the name that TensorBoard shows, made by `summary_scope`.
      tensor: the tensor, or a function that returns the tensor and is called only if the summary is
        written.
      step: the number of steps so far; the default step when `None`.
      metadata: a `SummaryMetadata`, or its bytes.
      name: ignored.

    Returns:
      Whether there is a default writer and the condition of `record_if` holds.

    Raises:
      ValueError: no step is set.

    https://www.tensorflow.org/api_docs/python/tf/summary/write
    """
    del name
    data = metadata.SerializeToString() if hasattr(metadata, "SerializeToString") else metadata
    return _write(tag, tensor, np.asarray, step, data or b"")


def _write(tag: str, tensor, encode: Callable[[Any], np.ndarray], step, metadata: bytes) -> Any:
    """Write what `encode` makes of the values of a tensor, now or when the traced program runs."""
    writer, at = WRITER.value, STEP.value if step is None else step
    records = should_record_summaries()
    if writer is None or (_is_known(records) and not records):
        return host(np.bool_(False))
    if at is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )

    def emit(records, step, value):
        if records:
            encoded = encode(np.asarray(value))
            writer.write_summary(int(step), events.summary_of(tag, encoded, metadata))

    values = [_value(x) for x in (records, at, tensor() if callable(tensor) else tensor)]
    if executing_eagerly():
        emit(*values)
    else:
        _call_at_run_time(emit, values)
    return records


def _call_at_run_time(emit: Callable[..., None], values: list) -> None:
    places = [i for i, v in enumerate(values) if not _is_known(v)]

    def called(*found):
        full = list(values)
        for place, value in zip(places, found, strict=True):
            full[place] = value
        emit(*full)

    given = [values[i] for i in places]
    jax.debug.callback(called, *given, ordered=not any(map(jp.is_batched, given)))


def scalar(name, data, step=None, description=None) -> HostTensor:
    """Write a number.

    Args:
      name: the name that TensorBoard shows, after the names of the open name scopes.
      data: a real scalar.
      step: the number of steps so far; the default step when `None`.
      description: a text that TensorBoard shows, in Markdown.

    Returns:
      Whether there is a default writer and the condition of `record_if` holds.

    Raises:
      ValueError: no step is set, or `data` is not a scalar.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Written when the program runs.

    https://www.tensorflow.org/api_docs/python/tf/summary/scalar
    """
    value = _value(data)
    if value.ndim:
        raise ValueError(f"Expected scalar shape, saw shape: {tuple(value.shape)}.")
    with summary_scope(name, "scalar_summary") as (tag, _):
        metadata = events.metadata_of("scalars", description)
        return _write(tag, value, lambda x: x.astype(np.float32), step, metadata)


def text(name, data, step=None, description=None) -> HostTensor:
    """Write strings, which TensorBoard shows as Markdown.

    Args:
      name: the name that TensorBoard shows, after the names of the open name scopes.
      data: strings.
      step: the number of steps so far; the default step when `None`.
      description: a text that TensorBoard shows, in Markdown.

    Returns:
      Whether there is a default writer and the condition of `record_if` holds.

    Raises:
      ValueError: no step is set.
      TypeError: `data` are not strings.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Written when the program runs.

    https://www.tensorflow.org/api_docs/python/tf/summary/text
    """
    value = _value(data)
    if not np.dtype(value.dtype).hasobject:
        raise TypeError(f"tensor must be of type tf.string; got {value.dtype!r}")
    with summary_scope(name, "text_summary") as (tag, _):
        return _write(tag, value, np.asarray, step, events.metadata_of("text", description))


def histogram(name, data, step=None, buckets=None, description=None) -> HostTensor:
    """Write the histogram of a tensor.

    Args:
      name: the name that TensorBoard shows, after the names of the open name scopes.
      data: real numbers of any shape.
      step: the number of steps so far; the default step when `None`.
      buckets: the number of buckets; 30 when `None`.
      description: a text that TensorBoard shows, in Markdown.

    Returns:
      Whether there is a default writer and the condition of `record_if` holds.

    Raises:
      ValueError: no step is set.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Written when the program runs.

    https://www.tensorflow.org/api_docs/python/tf/summary/histogram
    """
    count = 30 if buckets is None else max(0, int(buckets))
    with summary_scope(name, "histogram_summary") as (tag, _):
        metadata = events.metadata_of("histograms", description)
        return _write(tag, lambda: data, lambda x: _buckets(x, count), step, metadata)


def _buckets(values: np.ndarray, count: int) -> np.ndarray:
    """Return the ends and the number of values of each bucket, `[count, 3]`."""
    flat = values.reshape(-1).astype(np.float64)
    out = np.zeros((count, 3))
    if not count or not flat.size:
        return out
    low, high = np.min(flat), np.max(flat)
    if low == high:
        out[:, :2], out[-1, 2] = low, flat.size
        return out
    places = np.floor((flat - low) / ((high - low) / count)).astype(np.int32)
    edges = low + (high - low) / count * np.arange(count + 1)
    edges[-1] = high
    out[:, 0], out[:, 1] = edges[:-1], edges[1:]
    out[:, 2] = np.bincount(np.minimum(places, count - 1), minlength=count)
    return out


def image(name, data, step=None, max_outputs=3, description=None) -> HostTensor:
    """Write pictures.

    Args:
      name: the name that TensorBoard shows, after the names of the open name scopes.
      data: array `[count, height, width, channels]` with 1 to 4 channels; floats are from 0 to 1.
      step: the number of steps so far; the default step when `None`.
      max_outputs: the largest number of pictures to write.
      description: a text that TensorBoard shows, in Markdown.

    Returns:
      Whether there is a default writer and the condition of `record_if` holds.

    Raises:
      ValueError: no step is set, or `data` has a different rank.

    Differs from TensorFlow:
      The bytes of the PNG files may differ, the pixels do not. Needs Pillow.

    Under jit:
      Written when the program runs.

    https://www.tensorflow.org/api_docs/python/tf/summary/image
    """

    def pixels():
        found = _value(data if isinstance(data, (jax.Array, HostTensor)) else np.asarray(data))
        _check_rank(found, 4)
        return convert_image_dtype(found[: int(max_outputs)], np.uint8, saturate=True)

    def encode(found: np.ndarray) -> np.ndarray:
        sizes = [str(n).encode() for n in (found.shape[2], found.shape[1])]
        return np.array([*sizes, *np.asarray(encode_png(found)).tolist()], object)

    with summary_scope(name, "image_summary") as (tag, _):
        return _write(tag, pixels, encode, step, events.metadata_of("images", description))


def audio(
    name, data, sample_rate, step=None, max_outputs=3, encoding=None, description=None
) -> HostTensor:
    """Write sounds.

    Args:
      name: the name that TensorBoard shows, after the names of the open name scopes.
      data: `[count, frames, channels]`, floats from -1 to 1.
      sample_rate: frames per second.
      step: the number of steps so far; the default step when `None`.
      max_outputs: the largest number of sounds to write.
      encoding: "wav" or `None`.
      description: a text that TensorBoard shows, in Markdown.

    Returns:
      Whether there is a default writer and the condition of `record_if` holds.

    Raises:
      ValueError: no step is set, or `data` has a different rank, or the encoding is not known.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Written when the program runs.

    https://www.tensorflow.org/api_docs/python/tf/summary/audio
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    rate = float(sample_rate)

    def sounds():
        found = _value(data)
        _check_rank(found, 3)
        return found[: int(max_outputs)]

    def encode(found: np.ndarray) -> np.ndarray:
        return np.array([[encode_wav(sound, rate), b""] for sound in found], object).reshape(-1, 2)

    with summary_scope(name, "audio_summary") as (tag, _):
        metadata = events.metadata_of("audio", description, _WAV)
        return _write(tag, sounds, encode, step, metadata)


def _check_rank(value, rank: int) -> None:
    if value.ndim != rank:
        raise ValueError(
            f"Tensor must have rank {rank}.  Received rank {value.ndim}, shape {tuple(value.shape)}"
        )
