"""Provide the training loop of `slim.learning`, which a `Supervisor` runs."""

from __future__ import annotations

import contextlib
import logging
import time
from typing import Any

from shims._src.errors import errors
from shims._src.v1.graph.conversion import constant
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.scope_functions import name_scope
from shims._src.v1.saving.saver import Saver
from shims._src.v1.summary.operators import merge_all
from shims._src.v1.train.global_step import get_or_create_global_step
from shims._src.v1.train.supervisor import Supervisor

_LOGGER = logging.getLogger("tensorflow")
_DEFAULT: Any = 0


def train_step(sess, train_op, global_step, train_step_kwargs):
    """Run a step of training, and return the loss and whether to stop.

    Args:
      sess: the session.
      train_op: what `create_train_op` returns.
      global_step: the counter of steps.
      train_step_kwargs: may hold the tensors `should_stop` and `should_log`.
    """
    start = time.time()
    loss, step = sess.run([train_op, global_step])
    passed = time.time() - start
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        _LOGGER.info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, passed)
    stop = "should_stop" in train_step_kwargs and sess.run(train_step_kwargs["should_stop"])
    return loss, stop


def train(
    train_op,
    logdir,
    train_step_fn=train_step,
    train_step_kwargs=_DEFAULT,
    log_every_n_steps=1,
    graph=None,
    master="",
    is_chief=True,
    global_step=None,
    number_of_steps=None,
    init_op=_DEFAULT,
    init_feed_dict=None,
    local_init_op=_DEFAULT,
    init_fn=None,
    ready_op=_DEFAULT,
    summary_op=_DEFAULT,
    save_summaries_secs=600,
    summary_writer=_DEFAULT,
    startup_delay_steps=0,
    saver=None,
    save_interval_secs=600,
    sync_optimizer=None,
    session_config=None,
    session_wrapper=None,
    trace_every_n_steps=None,
    ignore_live_threads=False,
):
    """Run steps of training until a number of steps, or until the input ends; return the last loss.

    Args:
      train_op: what `create_train_op` returns.
      logdir: the folder of checkpoints and summaries; `None` for none.
      train_step_fn: a function with the parameters of `train_step`.
      train_step_kwargs: the keyword arguments of `train_step_fn`; by default, the tensors that say
        when to stop and when to log.
      log_every_n_steps: the steps between logs of the loss.
      graph: the graph; the default graph when `None`.
      master: must be empty.
      is_chief: must be true.
      global_step: the counter of steps; by default the global step.
      number_of_steps: the global step at which to stop.
      init_op: the operation that initializes the variables when there is no checkpoint.
      init_feed_dict: the feeds of `init_op`.
      local_init_op: the operation to run in every new session.
      init_fn: a function of the session, called after `init_op`.
      ready_op: a tensor with the names of uninitialized variables.
      summary_op: the summaries to write at intervals; `None` for none.
      save_summaries_secs: the seconds between summaries.
      summary_writer: the `FileWriter` to use; `None` for none.
      startup_delay_steps: must be 0.
      saver: the saver; a new one when `None`.
      save_interval_secs: the seconds between checkpoints.
      sync_optimizer: must be `None`.
      session_config: the settings of the session.
      session_wrapper: a function of the session that returns the session to use.
      trace_every_n_steps: must be `None`.
      ignore_live_threads: whether threads that do not end are ignored.

    Raises:
      ValueError: `train_op` is `None`, or an argument needs a `logdir`, or is not positive.
      UnimplementedError: a setting for several machines or for traces is given.
    """
    _check(train_op, logdir, summary_op, saver, number_of_steps)
    _check_settings(startup_delay_steps, sync_optimizer, trace_every_n_steps)
    graph = graph or get_default_graph()
    with graph.as_default():
        if global_step is None:
            global_step = get_or_create_global_step()
        saver = saver or Saver()
        if _is_default(summary_op):
            summary_op = merge_all()
        if _is_default(train_step_kwargs):
            train_step_kwargs = _questions(global_step, number_of_steps, log_every_n_steps)
    supervisor = Supervisor(
        graph=graph,
        is_chief=is_chief,
        logdir=logdir,
        init_op=init_op,
        init_feed_dict=init_feed_dict,
        local_init_op=local_init_op,
        ready_for_local_init_op=None,
        ready_op=ready_op,
        summary_op=summary_op,
        summary_writer=summary_writer,
        global_step=global_step,
        saver=saver,
        save_summaries_secs=save_summaries_secs,
        save_model_secs=save_interval_secs,
        init_fn=init_fn,
    )
    if summary_writer is not None:
        train_step_kwargs["summary_writer"] = supervisor.summary_writer
    loss = None
    managed = supervisor.managed_session(
        master, start_standard_services=False, config=session_config
    )
    with managed as session:
        session = session_wrapper(session) if session_wrapper else session
        if logdir:
            supervisor.start_standard_services(session)
        threads = supervisor.start_queue_runners(session)
        with contextlib.suppress(errors.OutOfRangeError):
            while not supervisor.should_stop():
                loss, stop = train_step_fn(session, train_op, global_step, train_step_kwargs)
                if stop:
                    supervisor.request_stop()
        if logdir:
            saver.save(session, supervisor.save_path, global_step=supervisor.global_step)
            supervisor.stop(threads, True, ignore_live_threads)
    return loss


def _is_default(value) -> bool:
    return type(value) is int and value == _DEFAULT


def _questions(global_step, number_of_steps, log_every_n_steps) -> dict:
    """Return the tensors that say whether to stop and whether to log."""
    with name_scope("train_step"):
        found: dict[str, Any] = {"should_stop": constant(False)}
        if number_of_steps:
            enough = lambda step: step >= number_of_steps
            found["should_stop"] = operation_of(enough, (global_step,), {}, public="greater_equal")
        if log_every_n_steps > 0:
            due = lambda step: step % log_every_n_steps == 0
            found["should_log"] = operation_of(due, (global_step,), {}, public="equal")
    return found


def _check(train_op, logdir, summary_op, saver, number_of_steps) -> None:
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if logdir is None and not _is_default(summary_op):
        raise ValueError("Cannot provide summary_op because logdir=None")
    if logdir is None and saver is not None:
        raise ValueError("Cannot provide saver because logdir=None")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")


def _check_settings(startup_delay_steps, sync_optimizer, trace_every_n_steps) -> None:
    given = {
        "startup_delay_steps": startup_delay_steps,
        "sync_optimizer": sync_optimizer,
        "trace_every_n_steps": trace_every_n_steps,
    }
    for name, value in given.items():
        if value:
            raise errors.UnimplementedError(
                errors.message(
                    "slim.learning.train",
                    f"`{name}` is not supported, because there is only one process and there are no traces.",
                    do=f"remove the argument `{name}`",
                )
            )
