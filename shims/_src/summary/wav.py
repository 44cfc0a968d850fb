"""Encode audio clips as WAV files."""

from __future__ import annotations

import io
import wave

import numpy as np

_STEPS = 1 << 15


def encode_wav(sound: np.ndarray, rate: float) -> bytes:
    """Encode audio samples `[frames, channels]` as a 16-bit WAV file, with TensorFlow's rounding."""
    scaled = sound.astype(np.float32) * np.float32(_STEPS)
    rounded = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
    samples = np.clip(rounded, -_STEPS, _STEPS - 1).astype("<i2")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(sound.shape[1])
        file.setsampwidth(2)
        file.setframerate(round(rate))
        file.writeframes(samples.tobytes())
    return buffer.getvalue()
