"""Pictures are decoded to TensorFlow's pixels, and encoded so that TensorFlow decodes them."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.outcomes import outcome

_RANDOM = np.random.RandomState(0)
SMOOTH = tf.image.resize(_RANDOM.rand(6, 7, 3) * 255, [41, 53]).numpy().astype(np.uint8)
NOISE = {n: _RANDOM.randint(0, 256, (5, 6, n)).astype(np.uint8) for n in (1, 2, 3, 4)}
DEEP = _RANDOM.randint(0, 65536, (5, 6, 1)).astype(np.uint16)
JPEG = {n: tf.io.encode_jpeg(SMOOTH[..., :n]).numpy() for n in (1, 3)}


def check(got, want) -> None:
    np.testing.assert_array_equal(got.numpy(), want.numpy())
    assert got.numpy().dtype == want.numpy().dtype


@pytest.mark.parametrize("channels", [0, 1, 3])
@pytest.mark.parametrize("stored", [1, 3])
def test_jpeg(stored, channels):
    want = tf.io.decode_jpeg(JPEG[stored], channels, dct_method="INTEGER_ACCURATE")
    check(shims.io.decode_jpeg(JPEG[stored], channels), want)


@pytest.mark.parametrize("ratio", [2, 4, 8])
def test_smaller_jpeg(ratio):
    want = tf.io.decode_jpeg(JPEG[3], ratio=ratio, dct_method="INTEGER_ACCURATE")
    check(shims.io.decode_jpeg(JPEG[3], ratio=ratio), want)


def test_part_of_a_jpeg():
    window = [3, 5, 10, 11]
    got = shims.io.decode_and_crop_jpeg(JPEG[3], window)
    assert got.numpy().tolist() == shims.io.decode_jpeg(JPEG[3]).numpy()[3:13, 5:16].tolist()
    with pytest.raises(shims.errors.InvalidArgumentError):
        shims.io.decode_and_crop_jpeg(JPEG[3], [3, 5, 100, 11])


@pytest.mark.parametrize("channels", [0, 1, 3, 4])
@pytest.mark.parametrize("stored", [1, 2, 3, 4])
def test_png(stored, channels):
    png = tf.io.encode_png(NOISE[stored]).numpy()
    check(shims.io.decode_png(png, channels), tf.io.decode_png(png, channels))


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_png_of_16_bits(dtype):
    for pixels in (DEEP, NOISE[3]):
        png = tf.io.encode_png(pixels).numpy()
        check(shims.io.decode_png(png, dtype=dtype), tf.io.decode_png(png, dtype=dtype))


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_any_picture(dtype):
    png = tf.io.encode_png(NOISE[3]).numpy()
    got, want = shims.io.decode_image(png, dtype=dtype), tf.io.decode_image(png, dtype=dtype)
    np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=2e-7)
    assert got.numpy().dtype == want.numpy().dtype


def test_encoding():
    check(tf.io.decode_png(shims.io.encode_png(NOISE[3]).numpy()), tf.constant(NOISE[3]))
    check(tf.io.decode_png(shims.io.encode_png(DEEP).numpy(), dtype=tf.uint16), tf.constant(DEEP))
    assert shims.io.encode_jpeg(SMOOTH).numpy() == tf.io.encode_jpeg(SMOOTH).numpy()
    assert shims.io.is_jpeg(JPEG[3])
    check(shims.io.extract_jpeg_shape(JPEG[3]), tf.io.extract_jpeg_shape(JPEG[3]))


def test_quality():
    got = shims.image.adjust_jpeg_quality(SMOOTH, 30).numpy().astype(int)
    want = tf.image.adjust_jpeg_quality(SMOOTH, 30, "INTEGER_ACCURATE").numpy().astype(int)
    assert np.abs(got - want).max() == 0
    shims.random.set_seed(1)
    assert shims.image.random_jpeg_quality(SMOOTH, 20, 60, seed=1).shape == (41, 53, 3)
    assert shims.image.stateless_random_jpeg_quality(SMOOTH, 20, 60, [1, 2]).shape == (41, 53, 3)


@pytest.mark.parametrize("name", ["decode_jpeg", "decode_png", "decode_image", "decode_gif"])
def test_no_picture(name):
    for m in (shims, tf):
        error = outcome(getattr(m.io, name), b"nothing").error
        assert type(error).__name__ == "InvalidArgumentError"


def test_without_pillow(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(shims.errors.UnimplementedError, match="pip install pillow"):
        shims.io.decode_png(b"")
