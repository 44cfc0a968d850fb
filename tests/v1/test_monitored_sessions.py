"""Monitored sessions: hooks are called in TensorFlow's order and do what TensorFlow's do."""

from __future__ import annotations

import logging
import threading

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import shims.compat.v1 as tf
from shims import errors


class Notes(tf.train.SessionRunHook):
    """Writes down what it is called for."""

    def __init__(self, fetch=None, feed=None):
        self.seen, self.fetch, self.feed = [], fetch, feed

    def begin(self):
        self.seen.append("begin")

    def after_create_session(self, session, coord):
        assert not coord.should_stop()
        self.seen.append(("session", session.graph.finalized))

    def before_run(self, run_context):
        self.seen.append(("before", run_context.original_args.fetches))
        if self.fetch is not None:
            return tf.train.SessionRunArgs(self.fetch, feed_dict=self.feed)
        return None

    def after_run(self, run_context, run_values):
        self.seen.append(("after", run_values.results))

    def end(self, session):
        self.seen.append("end")


@pytest.fixture
def step():
    return tf.train.get_or_create_global_step()


def test_hooks_are_called_in_order(step):
    x = tf.placeholder_with_default(1.0, [])
    silent, loud = Notes(), Notes({"double": 2 * x}, {x: 5.0})
    with tf.train.MonitoredSession(hooks=[silent, loud]) as session:
        assert session.graph is tf.get_default_graph()
        assert session.run(x) == 5.0
    assert silent.seen == ["begin", ("session", True), ("before", x), ("after", None), "end"]
    assert loud.seen[3] == ("after", {"double": 10.0})
    assert session.should_stop()
    assert not tf.get_default_graph().finalized
    with pytest.raises(RuntimeError, match="already closed"):
        session.close()


def test_two_that_feed_the_same_are_refused(step):
    x = tf.placeholder(tf.float32, [])
    hook = Notes(x, {x: 5.0})
    with (
        pytest.raises(RuntimeError, match="fed by a SessionRunHook and user"),
        tf.train.SingularMonitoredSession(hooks=[hook]) as session,
    ):
        session.run(x, {x: 1.0})
    assert "end" not in hook.seen
    feeding = tf.train.FeedFnHook(lambda: {x: 7.0})
    with tf.train.SingularMonitoredSession(hooks=[feeding]) as session:
        assert session.run(x) == 7.0
        assert session.raw_session().run(x, {x: 1.0}) == 1.0


@pytest.mark.parametrize(("hook", "steps"), [({"num_steps": 3}, 3), ({"last_step": 5}, 5)])
def test_it_stops_at_a_step(step, hook, steps):
    train = step.assign_add(1)
    final = tf.train.FinalOpsHook(step)
    hooks = [tf.train.StopAtStepHook(**hook), final]
    with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
        while not session.should_stop():
            session.run(train)
        with pytest.raises(RuntimeError, match="after should_stop"):
            session.run(train)
    assert final.final_ops_values == steps


def test_the_end_of_the_data_is_no_error(step):
    with tf.train.MonitoredSession() as session:
        session.run(step)
        raise errors.OutOfRangeError("no more")
    assert session.should_stop()


@pytest.mark.parametrize("fails", [True, False])
def test_a_loss_that_is_no_number(step, fails, caplog):
    caplog.set_level(logging.WARNING, "tensorflow")
    x = tf.placeholder(tf.float32, [])
    with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(x, fails)]) as session:
        session.run(step, {x: 1.0})
        assert not session.should_stop()
        if fails:
            with pytest.raises(tf.train.NanLossDuringTrainingError, match="NaN loss during"):
                session.run(step, {x: np.nan})
        else:
            session.run(step, {x: np.nan})
            assert session.should_stop()
    assert "Model diverged with loss = NaN." in caplog.text


def test_tensors_are_logged(step, caplog):
    caplog.set_level(logging.INFO, "tensorflow")
    x = tf.placeholder(tf.float32, [], name="x")
    hooks = [
        tf.train.LoggingTensorHook({"b": x, "a": step}, every_n_iter=2),
        tf.train.LoggingTensorHook(["x:0"], every_n_iter=2, formatter=lambda v: f"own {v}"),
    ]
    with tf.train.MonitoredSession(hooks=hooks) as session:
        for i in range(3):
            session.run(step, {x: i})
    lines = [r.getMessage() for r in caplog.records]
    assert "a = 0, b = 0.0" in lines
    assert not any("b = 1.0" in line for line in lines)
    assert any(line.startswith("a = 0, b = 2.0 (") for line in lines)
    assert any(line.startswith("own {'x:0'") for line in lines)


def test_checkpoints_and_summaries(step, tmp_path):
    saved = []

    class Listener(tf.train.CheckpointSaverListener):
        def after_save(self, session, global_step_value):
            saved.append(int(global_step_value))

    def train_to(last):
        with tf.Graph().as_default():
            step = tf.train.get_or_create_global_step()
            w = tf.Variable(0.0, name="w")
            tf.summary.scalar("w", w)
            with tf.control_dependencies([w.assign_add(2.0)]):
                train = step.assign_add(1)
            scaffold = tf.train.Scaffold()
            hooks = [
                tf.train.StopAtStepHook(last_step=last),
                tf.train.CheckpointSaverHook(
                    str(tmp_path), save_steps=2, scaffold=scaffold, listeners=[Listener()]
                ),
            ]
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=str(tmp_path),
                scaffold=scaffold,
                hooks=hooks,
                save_checkpoint_secs=None,
                save_summaries_steps=2,
                log_step_count_steps=2,
            ) as session:
                first = session.run(w)
                while not session.should_stop():
                    session.run(train)
            return first

    assert train_to(3) == 0.0
    assert train_to(5) == 6.0
    assert saved == [0, 2, 3, 3, 5]
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("model.ckpt-5")
    tf.summary.FileWriterCache.clear()
    events = EventAccumulator(str(tmp_path)).Reload()
    assert sorted(events.Tags()["scalars"]) == ["global_step/sec", "w_1"]


def test_variables_without_a_value_are_named(step):
    tf.Variable(1.0, name="forgotten")
    scaffold = tf.train.Scaffold(init_op=step.initializer)
    with pytest.raises(RuntimeError, match="Variables not initialized: forgotten"):
        tf.train.MonitoredTrainingSession(scaffold=scaffold)


def test_an_init_fn_gets_the_scaffold_and_the_session():
    w = tf.Variable(1.0, use_resource=False)
    given = tf.train.Scaffold(init_fn=lambda scaffold, session: w.load(3.0, session))
    copied = tf.train.Scaffold(copy_from_scaffold=given)
    with tf.train.MonitoredTrainingSession(scaffold=copied) as session:
        assert session.run(w) == 3.0


def test_a_step_function(step):
    train = step.assign_add(1)

    def one(step_context):
        step_context.session.run(train)
        if step_context.run_with_hooks(step) >= 2:
            step_context.request_stop()

    notes = Notes()
    with tf.train.MonitoredSession(hooks=[notes]) as session:
        while not session.should_stop():
            session.run_step_fn(one)
        with pytest.raises(ValueError, match="may either have one `step_context` argument"):
            session.run_step_fn(lambda x: x)
    assert sum(s[0] == "before" for s in notes.seen if isinstance(s, tuple)) == 2


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: tf.train.StopAtStepHook(), ValueError, "must be specified"),
        (lambda: tf.train.StopAtStepHook(1, 2), ValueError, "Only one of"),
        (lambda: tf.train.LoggingTensorHook([]), ValueError, "exactly one of every_n_iter"),
        (lambda: tf.train.LoggingTensorHook([], 0), ValueError, "invalid every_n_iter=0"),
        (lambda: tf.train.SecondOrStepTimer(), ValueError, "should be provided"),
        (lambda: tf.train.SecondOrStepTimer(1, 1), ValueError, "Can not provide both"),
        (lambda: tf.train.StepCounterHook(None), ValueError, "exactly one of"),
        (lambda: tf.train.SummarySaverHook(1), ValueError, "Exactly one of scaffold"),
        (lambda: tf.train.CheckpointSaverHook("", 1, saver=1, scaffold=1), ValueError, "both"),
        (lambda: tf.train.StopAtStepHook(1).begin(), RuntimeError, "Global step should be created"),
        (
            lambda: tf.train.MonitoredTrainingSession(is_chief=False),
            errors.UnimplementedError,
            "there are no workers",
        ),
        (lambda: tf.train.Scaffold(copy_from_scaffold=3), TypeError, "not a Scaffold instance"),
    ],
)
def test_refusals(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_threads_stop_together_and_their_error_is_raised():
    coord = tf.train.Coordinator()
    calls = []

    def work():
        calls.append(1)
        if len(calls) == 3:
            raise KeyError("broken")

    looper = tf.train.LooperThread.loop(coord, 0.001, work)
    waiting = threading.Thread(target=coord.wait_for_stop)
    waiting.start()
    with pytest.raises(KeyError, match="broken"):
        coord.join([waiting])
    assert coord.joined
    assert len(calls) == 3
    assert not looper.is_alive()
    coord.clear_stop()
    with coord.stop_on_exception():
        raise errors.OutOfRangeError("no more")
    assert coord.should_stop()
    coord.join()
    with tf.Session():
        assert tf.train.start_queue_runners(coord=coord) == []
