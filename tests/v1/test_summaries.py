"""Summaries of TensorFlow 1: their bytes are TensorFlow's, and TensorBoard reads the files."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import tensorflow as tensorflow
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import shims.compat.v1 as tf
from shims import errors
from shims._src.v1.summary import png

NUMBERS = np.concatenate([np.random.RandomState(0).randn(50), [0, 0, 1e-13, -1e25, 3e25]]).astype(
    np.float32
)
PICTURES = np.random.RandomState(1).randn(3, 2, 3, 3).astype(np.float32)


def summaries(tf):
    """All kinds of summaries and what they are fed."""
    x, im = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None, 2, 3, 3])
    with tf.name_scope("a"):
        mean = tf.summary.scalar("loss (x)", tf.reduce_max(x))
        spread = tf.summary.histogram("h", x)
    found = {
        "scalar": mean,
        "histogram": spread,
        "family": tf.summary.scalar("acc", tf.constant(3, tf.int32), family="fam"),
        "text": tf.summary.text("t", tf.constant(["hé", "b"])),
        "zero": tf.summary.scalar("loss", tf.constant(0.0)),
        "merged": tf.summary.merge([mean, spread], name="mm"),
        "other": tf.summary.scalar("loss", tf.constant(0.0, tf.float64), collections=["other"]),
    }
    image = tf.summary.image("im", im, max_outputs=2)
    return found, image, tf.summary.merge_all(), {x: NUMBERS, im: PICTURES}


def test_names_and_bytes_are_tensorflows():
    results = []
    for library in (tensorflow.compat.v1, tf):
        with library.Graph().as_default(), library.Session() as session:
            found, _, merged, fed = summaries(library)
            names = [t.name for t in (*found.values(), merged)]
            results.append(
                (names, len(library.get_collection("summaries")), session.run(found, fed))
            )
    assert results[0] == results[1]


def test_tensorboard_reads_what_tensorflow_would_have_written(tmp_path):
    read = []
    for library, folder in ((tensorflow.compat.v1, tmp_path / "theirs"), (tf, tmp_path / "ours")):
        with library.Graph().as_default(), library.Session() as session:
            _, _, merged, fed = summaries(library)
            with library.summary.FileWriter(str(folder)) as writer:
                for i in range(3):
                    writer.add_summary(session.run(merged, fed), i)
                own = library.Summary.Value(tag="own", simple_value=2.5)
                writer.add_summary(library.Summary(value=[own]), 7)
                log = library.SessionLog(status=library.SessionLog.START)
                writer.add_session_log(log, 8)
        events = EventAccumulator(str(folder)).Reload()
        tags = events.Tags()
        read.append(
            (
                {k: tags[k] for k in ("scalars", "histograms", "images", "tensors")},
                [(t, e.step, e.value) for t in tags["scalars"] for e in events.Scalars(t)],
                [
                    (t, e.step, e.histogram_value)
                    for t in tags["histograms"]
                    for e in events.Histograms(t)
                ],
                [
                    (t, e.step, e.width, e.height, pixels(e.encoded_image_string))
                    for t in tags["images"]
                    for e in events.Images(t)
                ],
            )
        )
    assert read[0] == read[1]
    assert len(read[0][1]) == 10


def pixels(encoded):
    return tensorflow.io.decode_png(encoded).numpy().tolist()


@pytest.mark.parametrize("kind", ["positive", "signed", "bytes", "broken"])
def test_pictures_are_scaled_as_tensorflow_scales_them(kind):
    picture = np.random.RandomState(2).randn(1, 3, 4, 4)
    picture = np.abs(picture) if kind == "positive" else picture
    picture = picture.astype(np.uint8 if kind == "bytes" else np.float32)
    if kind == "broken":
        picture[0, 1, 2, 3] = np.nan
    with tensorflow.Graph().as_default(), tensorflow.compat.v1.Session() as session:
        theirs = session.run(tensorflow.compat.v1.summary.image("p", picture))
    message = tf.Summary.FromString(theirs).value[0]
    assert message.tag == "p/image/0"
    assert pixels(png.png(png.as_bytes(picture[0]))) == pixels(message.image.encoded_image_string)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: tf.summary.histogram("h", x), "Nan in summary histogram for: h"),
        (lambda x: tf.summary.scalar("v", x), "tags and values are not the same shape"),
        (lambda x: tf.summary.merge([tf.summary.scalar("s", 1.0)] * 2), "Duplicate tag s found"),
        (lambda x: tf.summary.image("i", x), "Tensor must be 4-D"),
    ],
)
def test_refusals(make, message):
    x = tf.placeholder(tf.float32)
    with tf.Session() as session, pytest.raises(errors.InvalidArgumentError, match=message):
        session.run(make(x), {x: [1.0, np.nan]})


def test_two_writers_in_one_second_have_files_of_their_own(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path))
    writer.close()
    with pytest.warns(UserWarning, match="closed FileWriter"):
        writer.add_summary(tf.Summary())
    writer.reopen()
    writer.close()
    cached = tf.summary.FileWriterCache.get(str(tmp_path))
    assert tf.summary.FileWriterCache.get(str(tmp_path)) is cached
    tf.summary.FileWriterCache.clear()
    assert len(list(tmp_path.iterdir())) == 3


def test_without_the_library_the_message_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    monkeypatch.delitem(sys.modules, "tensorboardX.event_file_writer", raising=False)
    with pytest.raises(ImportError, match="pip install tensorboardX"):
        tf.summary.FileWriter(str(tmp_path))


def other_summaries(tf, x) -> list:
    """Sounds, and tensors of all kinds."""
    return [
        tf.summary.audio("a", x, 44100.0),
        tf.summary.audio("b", x[:, :, 0], 8000, max_outputs=1, family="f"),
        tf.summary.tensor_summary("t", x),
        tf.summary.tensor_summary("u", tf.constant([["a", "bc"]])),
        tf.summary.tensor_summary("v", tf.constant([1, 2], tf.int64), display_name="shown"),
    ]


def test_sounds_and_tensors_are_tensorflows_bytes():
    sounds = np.random.RandomState(0).rand(4, 7, 2).astype(np.float32) * 2.4 - 1.2
    sounds[0, :2] = [[1, -1], [0.5 / 32768, -0.5 / 32768]]
    found = []
    for module in (tensorflow.compat.v1, tf):
        with module.Graph().as_default(), module.Session() as session:
            x = module.placeholder(module.float32, [None, None, 2])
            found.append(session.run(other_summaries(module, x), {x: sounds}))
    assert found[0] == found[1]


def test_a_rate_that_is_fed_is_refused():
    rate = tf.placeholder(tf.float32, [])
    with pytest.raises(
        tf.errors.UnimplementedError, match="`sample_rate` must not depend on placeholders"
    ):
        tf.summary.audio("a", tf.zeros([1, 2]), rate)
