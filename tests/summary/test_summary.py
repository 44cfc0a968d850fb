"""Event files have the events that TensorFlow writes, and TensorFlow and TensorBoard read them."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import PIL.Image
import pytest
import tensorflow as tf
from tensorboard.backend.event_processing import event_accumulator

import shims
from tests.harness.outcomes import outcome, same_error

PICTURES = np.linspace(-0.2, 1.2, 2 * 3 * 2 * 3, dtype=np.float32).reshape(2, 3, 2, 3)
SOUNDS = np.linspace(-1.1, 1.1, 2 * 5 * 2, dtype=np.float32).reshape(2, 5, 2)
VALUES = np.float32([3, -1, 2, 2, 7, 0.5])


def events(folder: Path) -> list:
    """Return the events of the files of a folder, without their times."""
    found = []
    for path in sorted(folder.iterdir()):
        for record in tf.data.TFRecordDataset(str(path)):
            event = tf.compat.v1.Event.FromString(record.numpy())
            assert event.wall_time > 1e9
            event.wall_time = 0
            found.append(event)
    return found


def plain(event) -> str:
    """Return an event as text, with the pixels of pictures in the place of their files."""
    for value in event.summary.value:
        strings = value.tensor.string_val
        for i, data in enumerate(strings):
            if data.startswith(b"\x89PNG"):
                strings[i] = repr(np.asarray(PIL.Image.open(io.BytesIO(data))).tolist()).encode()
    return str(event)


def run_both(tmp_path, program):
    """Run a program of both libraries; return what it gave and the events that it wrote."""
    found = []
    for m, name in ((tf, "tf"), (shims, "shims")):
        writer = m.summary.create_file_writer(str(tmp_path / name))
        result = outcome(lambda m=m, writer=writer: program(m, writer))
        writer.close()
        found.append((result, [plain(e) for e in events(tmp_path / name)]))
    return found


def written(call):
    """Return a program that calls a summary function with a default writer."""

    def program(m, writer):
        with writer.as_default():
            return bool(call(m.summary, m))

    return program


def scopes(m, writer):
    with writer.as_default(step=2), m.name_scope("a"):
        m.summary.scalar("x y", 1)
        with m.name_scope("b"), m.summary.experimental.summary_scope("q") as (tag, _):
            m.summary.write(tag, m.constant([1, 2]), metadata=b"")
            return tag


def conditions(m, writer):
    step, found = m.Variable(0, dtype=m.int64), []
    with writer.as_default(), m.summary.record_if(lambda: step % 2 == 0):
        m.summary.experimental.set_step(step)
        for _ in range(4):
            found.append(bool(m.summary.scalar("s", step * 2)))
            step.assign_add(1)
    m.summary.experimental.set_step(None)
    with writer.as_default(3), m.summary.record_if(False):
        found.append(bool(m.summary.should_record_summaries()))
        found.append(bool(m.summary.scalar("s", 1)))
    return found, bool(m.summary.scalar("s", 1, step=1)), m.summary.experimental.get_step() is None


def nested(m, writer):
    with writer.as_default(1):
        m.summary.scalar("a", 1)
        with m.summary.create_noop_writer().as_default():
            m.summary.scalar("b", 1)
        with writer.as_default(5):
            m.summary.scalar("c", 1)
        m.summary.scalar("d", 1)


PROGRAMS = {
    "scalar": written(lambda s, m: s.scalar("x", 1.5, 3, "about")),
    "scalar of an array": written(lambda s, m: s.scalar("x", m.constant(7), step=-1)),
    "scalar of a variable": written(lambda s, m: s.scalar("x", m.Variable(7.0), step=2**40)),
    "text": written(lambda s, m: s.text("x", "é", 3)),
    "texts": written(lambda s, m: s.text("x", [["a", "b"]], 3, description="about")),
    "histogram": written(lambda s, m: s.histogram("x", VALUES, 3)),
    "histogram of few buckets": written(lambda s, m: s.histogram("x", VALUES, 3, buckets=2)),
    "histogram of one value": written(lambda s, m: s.histogram("x", [2, 2], 3)),
    "histogram of nothing": written(lambda s, m: s.histogram("x", m.zeros([0]), 3, 4)),
    "no buckets": written(lambda s, m: s.histogram("x", [1.0, 2.0], 3, 0)),
    "image": written(lambda s, m: s.image("x", PICTURES, 3)),
    "image of a channel": written(lambda s, m: s.image("x", m.constant(PICTURES)[..., :1], 3)),
    "one image": written(lambda s, m: s.image("x", (PICTURES * 99).astype(np.uint8), 3, 1)),
    "audio": written(lambda s, m: s.audio("x", SOUNDS, 8000, 3, description="about")),
    "one sound": written(lambda s, m: s.audio("x", SOUNDS, 8000, 3, 1)),
    "no scalar": written(lambda s, m: s.scalar("x", [1.0, 2.0], 3)),
    "no step": written(lambda s, m: s.scalar("x", 1.0)),
    "no text": written(lambda s, m: s.text("x", 1, 3)),
    "no image": written(lambda s, m: s.image("x", PICTURES[0], 3)),
    "scopes": scopes,
    "conditions": conditions,
    "nested": nested,
}


@pytest.mark.filterwarnings("ignore:Explicitly requested dtype int64")
@pytest.mark.parametrize("name", PROGRAMS)
def test_events(tmp_path, name):
    (want, wrote), (got, ours) = run_both(tmp_path, PROGRAMS[name])
    assert got.result == want.result
    assert want.error is None or same_error(got.error, want.error)
    assert want.error is not None or got.error is None
    assert ours == wrote


@pytest.mark.filterwarnings("ignore:Explicitly requested dtype int64")
def test_function(tmp_path):
    """In a traced function summaries are written each time when it runs."""

    def program(m, writer):
        step = m.Variable(0, dtype=m.int64)

        @m.function
        def train(x):
            step.assign_add(1)
            with writer.as_default(), m.summary.record_if(m.equal(step % 2, 0)):
                m.summary.scalar("loss", m.reduce_sum(x), step=step)
                m.summary.histogram("x", x, step=step)
                m.summary.text("t", "constant", step=step)
            return m.reduce_sum(x)

        for n in range(4):
            train(m.constant([1.0, 2.0]) * n)
        shims.summary.flush(None)
        __import__("jax").effects_barrier()

    (want, wrote), (got, ours) = run_both(tmp_path, program)
    assert want.error is None
    assert got == want
    assert ours == wrote
    assert len(ours) == 7


def test_closed_writer(tmp_path):
    writer = shims.summary.create_file_writer(tmp_path)
    writer.close()
    writer.close()
    writer.flush()
    for use in (writer.as_default, writer.set_as_default, writer.init):
        with pytest.raises(RuntimeError, match="already closed"):
            use()
    with pytest.raises(ValueError, match="cannot be None"):
        shims.summary.create_file_writer(None)


def test_tensorboard_reads_it(tmp_path):
    """TensorBoard's own reader finds the values, and a file is whole without `close`."""
    writer = shims.summary.create_file_writer(str(tmp_path), max_queue=0)
    with writer.as_default():
        for step in range(3):
            shims.summary.scalar("loss", 0.5 * step, step=step)
        shims.summary.histogram("h", VALUES, step=0)
    found = event_accumulator.EventAccumulator(str(tmp_path))
    found.Reload()
    tensors = [tf.make_ndarray(e.tensor_proto).item() for e in found.Tensors("loss")]
    assert tensors == [0.0, 0.5, 1.0]
    assert found.SummaryMetadata("h").plugin_data.plugin_name == "histograms"


def test_graph_of_a_trace():
    """There is no graph, and a warning says so."""
    with pytest.raises(ValueError, match="trace_on"):
        shims.summary.trace_export("x")
    shims.summary.trace_on()
    with pytest.warns(UserWarning, match="no graph"):
        shims.summary.trace_export("x", step=0)


@pytest.mark.long
def test_profile(tmp_path):
    """A trace is a profile of JAX."""
    folder = tmp_path / "profile"
    shims.summary.trace_on(graph=False, profiler=True)
    with pytest.raises(ValueError, match="outdir"):
        shims.summary.trace_export("x", step=0)
    shims.reduce_sum(shims.ones([3])).block_until_ready()
    shims.summary.trace_export("x", step=0, profiler_outdir=str(folder))
    assert list(folder.rglob("*.xplane.pb"))
    shims.summary.trace_on(profiler=True)
    shims.summary.trace_off()
    shims.summary.trace_off()
