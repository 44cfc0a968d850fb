"""Provide `slim.evaluation`, which evaluates checkpoints."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator
from typing import Any

from shims._src.checkpoint.state_file import latest_checkpoint
from shims._src.v1.saving.saver import Saver
from shims._src.v1.summary.operators import merge_all
from shims._src.v1.train.global_step import get_global_step
from shims._src.v1.train.monitored_session import MonitoredSession
from shims._src.v1.train.saving_hooks import writer_of
from shims._src.v1.train.session_creation import ChiefSessionCreator, Scaffold

_DEFAULT: Any = 0


def evaluate_once(
    master,
    checkpoint_path,
    logdir,
    num_evals=1,
    initial_op=None,
    initial_op_feed_dict=None,
    eval_op=None,
    eval_op_feed_dict=None,
    final_op=None,
    final_op_feed_dict=None,
    summary_op=_DEFAULT,
    summary_op_feed_dict=None,
    variables_to_restore=None,
    session_config=None,
    hooks=None,
):
    """Restore a checkpoint, run an operation several times, and return the value of another operation.

    Args:
      master: must be empty.
      checkpoint_path: the path of the checkpoint.
      logdir: the folder of the summaries; `None` for none.
      num_evals: how often to run `eval_op`.
      initial_op: the operation to run first.
      initial_op_feed_dict: its feeds.
      eval_op: the operation to run several times, such as the updates of metrics.
      eval_op_feed_dict: its feeds.
      final_op: the operation whose value is returned.
      final_op_feed_dict: its feeds.
      summary_op: the summaries to write at the end. By default, all summaries are written; `None` writes none.
      summary_op_feed_dict: its feeds.
      variables_to_restore: the variables to restore; all by default.
      session_config: the settings of the session.
      hooks: `SessionRunHook`s.
    """
    if type(summary_op) is int and summary_op == _DEFAULT:
        summary_op = merge_all()
    saver = None if variables_to_restore is None else Saver(variables_to_restore)
    scaffold = Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict, saver=saver)
    creator = ChiefSessionCreator(
        scaffold, master, session_config, checkpoint_filename_with_path=checkpoint_path
    )
    found = None
    with MonitoredSession(creator, hooks) as session:
        if eval_op is not None:
            for _ in range(num_evals):
                session.run(eval_op, eval_op_feed_dict)
        plain = session._tf_sess()
        if final_op is not None:
            found = plain.run(final_op, final_op_feed_dict)
        if summary_op is not None and logdir is not None:
            _write(logdir, plain, plain.run(summary_op, summary_op_feed_dict))
    return found


def _write(folder, session, summary) -> None:
    writer, step = writer_of(folder), get_global_step(session.graph)
    if writer is not None:
        writer.add_summary(summary, None if step is None else session.run(step))
        writer.flush()


def wait_for_new_checkpoint(
    checkpoint_dir, last_checkpoint=None, seconds_to_sleep=1, timeout=None
) -> str | None:
    """Wait for a checkpoint other than the last one, and return its path; `None` after `timeout` seconds."""
    stop = None if timeout is None else time.time() + timeout
    while True:
        found = latest_checkpoint(os.fspath(checkpoint_dir))
        if found is not None and found != last_checkpoint:
            return found
        if stop is not None and time.time() + seconds_to_sleep > stop:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(
    checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None
) -> Iterator[str]:
    """Yield each new checkpoint of a folder, until none comes within `timeout` seconds.

    Args:
      checkpoint_dir: the folder.
      min_interval_secs: the least number of seconds between two checkpoints.
      timeout: the seconds to wait; no limit when `None`.
      timeout_fn: a function that is called after this time, and returns whether to end.
    """
    last = None
    while True:
        found = wait_for_new_checkpoint(checkpoint_dir, last, timeout=timeout)
        if found is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        start = time.time()
        last = found
        yield found
        time.sleep(max(0.0, start + min_interval_secs - time.time()))


def evaluation_loop(
    master,
    checkpoint_dir,
    logdir,
    num_evals=1,
    initial_op=None,
    initial_op_feed_dict=None,
    init_fn=None,
    eval_op=None,
    eval_op_feed_dict=None,
    final_op=None,
    final_op_feed_dict=None,
    summary_op=_DEFAULT,
    summary_op_feed_dict=None,
    variables_to_restore=None,
    eval_interval_secs=60,
    max_number_of_evaluations=None,
    session_config=None,
    timeout=None,
    timeout_fn=None,
    hooks=None,
):
    """Evaluate each new checkpoint of a folder as `evaluate_once` does; return the last value of `final_op`.

    Args:
      master: must be empty.
      checkpoint_dir: the folder.
      logdir: the folder of the summaries.
      num_evals: how often to run `eval_op`.
      initial_op: the operation to run first.
      initial_op_feed_dict: its feeds.
      init_fn: accepted and ignored, because variables are restored.
      eval_op: the operation to run several times.
      eval_op_feed_dict: its feeds.
      final_op: the operation whose value is returned.
      final_op_feed_dict: its feeds.
      summary_op: the summaries to write at the end.
      summary_op_feed_dict: its feeds.
      variables_to_restore: the variables to restore.
      eval_interval_secs: the least number of seconds between two evaluations.
      max_number_of_evaluations: the number of evaluations.
      session_config: the settings of the session.
      timeout: the seconds to wait for a checkpoint.
      timeout_fn: a function that is called after this time, and returns whether to end.
      hooks: `SessionRunHook`s.
    """
    del init_fn
    found = None
    paths = checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout, timeout_fn)
    for path in itertools.islice(paths, max_number_of_evaluations):
        found = evaluate_once(
            master,
            path,
            logdir,
            num_evals,
            initial_op,
            initial_op_feed_dict,
            eval_op,
            eval_op_feed_dict,
            final_op,
            final_op_feed_dict,
            summary_op,
            summary_op_feed_dict,
            variables_to_restore,
            session_config,
            hooks,
        )
    return found
