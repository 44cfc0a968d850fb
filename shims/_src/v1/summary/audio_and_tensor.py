"""Define `tf.summary.audio` and `tf.summary.tensor_summary`."""

from __future__ import annotations

from shims._src.checkpoint.element_types import number_of
from shims._src.errors import errors
from shims._src.summary.wav import encode_wav
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.output_specs import constant_value
from shims._src.v1.summary import messages
from shims._src.v1.summary.operators import summary_of


def audio(name, tensor, sample_rate, max_outputs=3, collections=None, family=None) -> Tensor:
    """Create a summary of audio clips.

    Args:
      name: the first part of its tags, which are `name/audio`, or `name/audio/0`, `name/audio/1`, ...
      tensor: float32 `[n, frames]` or `[n, frames, channels]` between -1 and 1.
      sample_rate: frames per second, a number that is known when the graph is built.
      max_outputs: the largest number of clips to write.
      collections: the collections to add the summary to; `GraphKeys.SUMMARIES` when `None`.
      family: a prefix of the tags.

    Returns:
      A scalar string tensor, a serialized `Summary`.

    Raises:
      InvalidArgumentError: at run time, if the tensor has a different rank.
      UnimplementedError: `sample_rate` is not static.

    Differs from TensorFlow:
      `sample_rate` must be static. Requires the installation extra `summary` at run time.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/summary/audio
    """
    rate = constant_value(sample_rate)
    if rate is None:
        raise errors.UnimplementedError(
            errors.message(
                "summary.audio",
                "`sample_rate` must not depend on placeholders.",
                received=f"{sample_rate}",
                do="pass a number",
            )
        )

    def fill(summary, tag, value):
        if value.ndim not in (2, 3):
            raise errors.InvalidArgumentError("Tensor must be 3-D or 2-D, got: " + str(value.shape))
        sounds = value[:, :, None] if value.ndim == 2 else value
        for i, sound in enumerate(sounds[:max_outputs]):
            last = "/audio" if max_outputs == 1 else f"/audio/{i}"
            encoded = messages.Summary.Audio(
                sample_rate=float(rate),
                num_channels=sound.shape[1],
                length_frames=sound.shape[0],
                encoded_audio_string=encode_wav(sound, float(rate)),
                content_type="audio/wav",
            )
            summary.value.add(tag=tag + last, audio=encoded)

    return summary_of("AudioSummaryV2", name, tensor, collections, family, fill)


def tensor_summary(
    name,
    tensor,
    summary_description=None,
    collections=None,
    summary_metadata=None,
    family=None,
    display_name=None,
) -> Tensor:
    """Create a summary of a tensor of any dtype and shape.

    Args:
      name: its tag, prefixed with the open name scopes.
      tensor: the tensor to write.
      summary_description: a `SummaryDescription`, which becomes part of the metadata.
      collections: the collections to add the summary to; `GraphKeys.SUMMARIES` when `None`.
      summary_metadata: a `SummaryMetadata`.
      family: a prefix of the tag.
      display_name: the name that TensorBoard displays.

    Returns:
      A scalar string tensor, a serialized `Summary`.

    Differs from TensorFlow:
      It requires the installation extra `summary` at run time.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/summary/tensor_summary
    """

    def fill(summary, tag, value):
        metadata = messages.SummaryMetadata()
        if summary_metadata is not None:
            metadata.CopyFrom(summary_metadata)
        if display_name is not None:
            metadata.display_name = display_name
        if summary_description is not None:
            metadata.summary_description = str(summary_description)
        is_text = value.dtype.kind == "O"
        proto = messages.TensorProto(dtype=number_of(value.dtype))
        for size in value.shape:
            proto.tensor_shape.dim.add(size=size)
        if is_text:
            proto.string_val.extend(value.ravel())
        else:
            proto.tensor_content = value.tobytes()
        summary.value.add(tag=tag, metadata=metadata, tensor=proto)

    return summary_of("TensorSummaryV2", name, tensor, collections, family, fill)
