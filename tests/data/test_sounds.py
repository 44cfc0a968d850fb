"""WAV files are read and written as by TensorFlow."""

import io
import wave

import numpy as np
import pytest
import tensorflow as tf

import shims

SOUND = np.random.RandomState(0).uniform(-1.3, 1.3, (50, 2)).astype(np.float32)
SOUND[:4, 0] = [1.0, -1.0, 0.99999, 3e-5]


def test_sounds_are_encoded():
    for sound in (SOUND, SOUND[:, :1], SOUND[:0]):
        if not sound.size:
            continue
        wanted = tf.audio.encode_wav(sound, 16000).numpy()
        assert shims.audio.encode_wav(shims.constant(sound), 16000).numpy() == wanted


@pytest.mark.parametrize("channels", [-1, 1, 2, 3])
@pytest.mark.parametrize("samples", [-1, 10, 80])
def test_sounds_are_decoded(channels, samples):
    contents = tf.audio.encode_wav(SOUND, 8000).numpy()
    wanted = tf.audio.decode_wav(contents, channels, samples)
    found = shims.audio.decode_wav(contents, channels, samples)
    np.testing.assert_array_equal(found.audio, wanted.audio)
    assert int(found.sample_rate) == int(wanted.sample_rate) == 8000
    assert found.audio.dtype == shims.float32


def test_files_in_a_dataset(tmp_path):
    path = tmp_path / "a.wav"
    path.write_bytes(tf.audio.encode_wav(SOUND[:, :1], 8000).numpy())

    def read(library):
        def decode(name):
            audio, _ = library.audio.decode_wav(library.io.read_file(name), desired_samples=40)
            return library.squeeze(audio, axis=-1)

        data = library.data.Dataset.from_tensor_slices([str(path)]).map(decode)
        return np.asarray(next(iter(data)))

    np.testing.assert_array_equal(read(shims), read(tf))


def test_what_is_no_sound_is_refused():
    with pytest.raises(shims.errors.InvalidArgumentError, match="not a WAV file"):
        shims.audio.decode_wav(b"nothing")
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(b"\0\1")
    with pytest.raises(shims.errors.InvalidArgumentError, match="16 bits"):
        shims.audio.decode_wav(file.getvalue())
    with pytest.raises(shims.errors.InvalidArgumentError, match="two axes"):
        shims.audio.encode_wav([1.0], 8000)
