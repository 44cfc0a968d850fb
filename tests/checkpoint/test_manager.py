"""`train.CheckpointManager` keeps, removes and lists the same files as TensorFlow's."""

import pytest
import tensorflow as tf

import shims


@pytest.fixture
def clock(monkeypatch):
    """The time, in a list of one element that a test changes."""
    now = [0.0]
    monkeypatch.setattr("time.time", lambda: now[0])
    return now


def run(tf, folder, clock, relative):
    """Save with managers that follow each other; return what is there."""
    clock[0] = 1_700_000_000.0
    folder.mkdir()
    checkpoint = tf.train.Checkpoint(step=tf.Variable(0))
    found = []
    for keep, hours in ((3, None), (2, 4.0), (None, None)):
        place = str(folder) if not relative else folder.name
        manager = tf.train.CheckpointManager(checkpoint, place, keep, hours, checkpoint_name="m")
        found.append((manager.latest_checkpoint, manager.checkpoints))
        saved = []
        for number in (None, None, 17, None, None):
            clock[0] += 3600
            saved.append(manager.save(number))
        found.append((saved, manager.checkpoints, manager.latest_checkpoint))
        found.append(sorted(p.name for p in folder.iterdir()))
        state = tf.train.get_checkpoint_state(place)
        found.append((state.model_checkpoint_path, list(state.all_model_checkpoint_paths)))
    text = (folder / "checkpoint").read_text()
    return repr([found, text, tf.train.latest_checkpoint(place)]).replace(str(folder), "F")


@pytest.mark.parametrize("relative", [False, True])
def test_same_files(relative, clock, tmp_path, monkeypatch):
    found = []
    for framework, name in ((tf, "theirs"), (shims, "ours")):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        found.append(run(framework, tmp_path / name / "f", clock, relative))
    assert found[1] == found[0]


def test_interval_and_first_call(tmp_path):
    answers = []
    for framework in (tf, shims):
        folder = tmp_path / framework.__name__
        step, log = framework.Variable(0), []
        checkpoint = framework.train.Checkpoint(step=step)
        options = {"step_counter": step, "checkpoint_interval": 2, "max_to_keep": 5}
        manager = framework.train.CheckpointManager(
            checkpoint, folder, init_fn=lambda log=log: log.append("called"), **options
        )
        log.append(manager.restore_or_initialize())
        for check in (True, True, True, False, False, True):
            step.assign_add(1)
            log.append(manager.save(check_interval=check) is None)
        log.append(manager.save() is None)
        step.assign(0)
        log += [manager.restore_or_initialize() == manager.latest_checkpoint, int(step)]
        log += [manager.checkpoint is checkpoint, manager.checkpoint_interval]
        answers.append(log)
    assert answers[0] == answers[1]
