"""Read and write sounds as WAV files of 16 bits: `tf.audio`."""

from __future__ import annotations

import io
import wave
from typing import NamedTuple

import numpy as np

from shims._src.arguments import checks
from shims._src.strings.operands import scalar
from shims._src.summary.wav import encode_wav as encoded
from shims._src.types.host_tensor import HostTensor, host

_ONE = np.float32(1 << 15)


class DecodeWav(NamedTuple):
    """The result of `decode_wav`."""

    audio: HostTensor
    sample_rate: HostTensor


def decode_wav(contents, desired_channels=-1, desired_samples=-1, name=None) -> DecodeWav:
    """Decode a WAV file with 16 bits per sample.

    Args:
      contents: a scalar string, the bytes of the file.
      desired_channels: the number of channels; -1 stands for the number in the file. The last
        channel is repeated if necessary.
      desired_samples: the number of samples per channel; -1 stands for the number in the file. Missing samples are 0.
      name: ignored.

    Returns:
      `audio`, float32 `[samples, channels]` between -1 and 1, and `sample_rate`, int32, on the host.

    Raises:
      InvalidArgumentError: `contents` is not a WAV file of this kind.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Strings cannot be traced: decode the file before you call the compiled function.

    https://www.tensorflow.org/api_docs/python/tf/audio/decode_wav
    """
    del name
    try:
        with wave.open(io.BytesIO(scalar("audio.decode_wav", "contents", contents))) as file:
            rate, channels, width = file.getframerate(), file.getnchannels(), file.getsampwidth()
            data = file.readframes(file.getnframes())
    except (wave.Error, EOFError) as error:
        raise checks.invalid("audio.decode_wav", "the contents are not a WAV file.") from error
    if width != 2:
        raise checks.invalid(
            "audio.decode_wav", "a sample must have 16 bits.", received=f"{8 * width} bits"
        )
    samples = np.frombuffer(data, "<i2").reshape(-1, channels).astype(np.float32) / _ONE
    if desired_channels > -1:
        wanted = np.minimum(np.arange(desired_channels), channels - 1)
        samples = samples[:, wanted]
    if desired_samples > -1:
        samples = samples[:desired_samples]
        samples = np.pad(samples, ((0, desired_samples - len(samples)), (0, 0)))
    return DecodeWav(host(samples), host(np.int32(rate)))


def encode_wav(audio, sample_rate, name=None) -> HostTensor:
    """Encode sounds as a WAV file with 16 bits per sample.

    Args:
      audio: float32 array `[samples, channels]` of numbers from -1 to 1; other numbers are clipped.
      sample_rate: samples per second.
      name: ignored.

    Returns:
      A scalar string on the host.

    Raises:
      InvalidArgumentError: `audio` has a different rank.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The samples must be known.

    https://www.tensorflow.org/api_docs/python/tf/audio/encode_wav
    """
    del name
    samples = np.asarray(audio, np.float32)
    if samples.ndim != 2:
        raise checks.invalid(
            "audio.encode_wav", "`audio` must have two axes.", received=f"shape {samples.shape}"
        )
    return host(encoded(samples, int(np.asarray(sample_rate))))
