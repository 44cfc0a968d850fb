"""Define `Scaffold` and the session creators, which initialize or restore the variables."""

from __future__ import annotations

import logging
from typing import Any

from shims._src.checkpoint.state_file import get_checkpoint_state
from shims._src.errors import errors
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.grouping import group
from shims._src.v1.saving.saver import Saver
from shims._src.v1.session.session import Session
from shims._src.v1.summary.operators import merge_all
from shims._src.v1.variables.variable_lists import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from shims._src.v1.variables.variables import GraphKeys

_LOGGER = logging.getLogger("tensorflow")


_FIELDS = (
    "init_op",
    "init_feed_dict",
    "ready_op",
    "ready_for_local_init_op",
    "local_init_op",
    "summary_op",
    "saver",
    "local_init_feed_dict",
)


class Scaffold:
    """The parts of a graph that a monitored session uses; missing parts are taken from collections.

    Args:
      init_op: the operation that initializes the variables when there is no checkpoint.
      init_feed_dict: the feeds of `init_op`.
      init_fn: a function of the scaffold and the session, called after `init_op`.
      ready_op: a tensor with the names of uninitialized variables, evaluated at the end.
      ready_for_local_init_op: a tensor with the names of variables that must be initialized before
        `local_init_op` runs and are not.
      local_init_op: the operation to run in every new session.
      summary_op: the summaries.
      saver: the saver.
      copy_from_scaffold: a scaffold that supplies the missing arguments.
      local_init_feed_dict: the feeds of `local_init_op`.

    Raises:
      TypeError: `copy_from_scaffold` is not a `Scaffold`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/Scaffold
    """

    __module__ = "shims.compat.v1.train"

    def __init__(
        self,
        init_op=None,
        init_feed_dict=None,
        init_fn=None,
        ready_op=None,
        ready_for_local_init_op=None,
        local_init_op=None,
        summary_op=None,
        saver=None,
        copy_from_scaffold=None,
        local_init_feed_dict=None,
    ):
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")
        given = locals()
        for field in _FIELDS:
            other = getattr(copy_from_scaffold, field, None)
            setattr(self, field, other if given[field] is None else given[field])
        self._user_init_fn = init_fn or getattr(copy_from_scaffold, "_user_init_fn", None)

    # Declared for readers and type checkers: `__init__` sets them by name.
    init_op: Any
    init_feed_dict: Any
    ready_op: Any
    ready_for_local_init_op: Any
    local_init_op: Any
    summary_op: Any
    saver: Any
    local_init_feed_dict: Any

    @property
    def init_fn(self):
        """A function of the session that calls the given `init_fn`; `None` if none was given."""
        if not self._user_init_fn:
            return None
        return lambda session: self._user_init_fn(self, session)

    def finalize(self) -> Scaffold:
        """Create the missing parts, such as initializers and the saver, and make the graph read-only."""
        take = Scaffold.get_or_default
        if self.init_op is None:
            default = lambda: group(global_variables_initializer())
            self.init_op = take("init_op", GraphKeys.INIT_OP, default)
        if self.ready_op is None:
            self.ready_op = take("ready_op", GraphKeys.READY_OP, report_uninitialized_variables)
        if self.ready_for_local_init_op is None:
            default = lambda: report_uninitialized_variables(global_variables())
            key = GraphKeys.READY_FOR_LOCAL_INIT_OP
            self.ready_for_local_init_op = take("ready_for_local_init_op", key, default)
        if self.local_init_op is None:
            default = Scaffold.default_local_init_op
            self.local_init_op = take("local_init_op", GraphKeys.LOCAL_INIT_OP, default)
        if self.summary_op is None:
            self.summary_op = take("summary_op", GraphKeys.SUMMARY_OP, merge_all)
        if self.saver is None:
            default = lambda: Saver(sharded=True, allow_empty=True)
            self.saver = take("saver", GraphKeys.SAVERS, default)
        self.saver.build()
        get_default_graph().finalize()
        return self

    @staticmethod
    def get_or_default(arg_name, collection_key, default_constructor):
        """Return the only item of a collection; if it is empty, create an item and add it.

        Raises:
          RuntimeError: the collection holds several items.
        """
        found = get_default_graph().get_collection(collection_key)
        if len(found) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which '
                f"one to use by passing it to the tf.Scaffold constructor as:  tf.Scaffold("
                f"{arg_name}=item to use)"
            )
        if found:
            return found[0]
        made = default_constructor()
        if made is not None:
            get_default_graph().add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op():
        """Create the default operation that initializes local variables."""
        return group(local_variables_initializer())


class SessionCreator:
    """The base class of session creators; subclasses implement `create_session`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/SessionCreator
    """

    __module__ = "shims.compat.v1.train"

    def create_session(self):
        """Create a session with initialized variables."""
        raise NotImplementedError("create_session is not implemented.")


class ChiefSessionCreator(SessionCreator):
    """A session creator that restores the latest checkpoint or runs the initializers.

    Args:
      scaffold: the initializers, summaries and saver; a new `Scaffold` when `None`.
      master: must be empty.
      config: accepted and ignored.
      checkpoint_dir: the folder of the checkpoints.
      checkpoint_filename_with_path: the path of a checkpoint, instead of the folder.

    Raises:
      ValueError: from `create_session`, if both the folder and the path are given.
      RuntimeError: from `create_session`, if variables are still uninitialized.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/ChiefSessionCreator
    """

    def __init__(
        self,
        scaffold=None,
        master="",
        config=None,
        checkpoint_dir=None,
        checkpoint_filename_with_path=None,
    ):
        self._scaffold = scaffold or Scaffold()
        self._master, self._config = master, config
        self._folder, self._path = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self) -> Session:
        """Create a session with initialized variables."""
        scaffold = self._scaffold.finalize()
        return prepared_session(scaffold, self._master, self._config, self._folder, self._path)


class WorkerSessionCreator(ChiefSessionCreator):
    """A session creator for workers, which always raises an error, because there are no other machines.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/WorkerSessionCreator
    """

    def __init__(self, scaffold=None, master="", config=None, max_wait_secs=1800):
        del scaffold, master, config, max_wait_secs
        raise no_workers("WorkerSessionCreator")


def no_workers(what: str):
    """Return the error for distributed training on several machines, which is not supported."""
    return errors.UnimplementedError(
        errors.message(
            what,
            "a session runs only on this machine, so there are no workers.",
            do=(
                "remove `is_chief` and `master`; to use several machines, convert the step to a JAX function with "
                "`graph.to_function(...)`"
            ),
        )
    )


def prepared_session(scaffold, master, config, folder=None, path=None) -> Session:
    """Create a session, and restore its variables from a checkpoint or initialize them."""
    if folder and path:
        raise ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.")
    session = Session(master, graph=get_default_graph(), config=config)
    state = get_checkpoint_state(folder) if folder else None
    found = path or (state.model_checkpoint_path if state else None)
    if found:
        scaffold.saver.restore(session, found)
        if state:
            scaffold.saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
    else:
        if scaffold.init_op is not None:
            session.run(scaffold.init_op, feed_dict=scaffold.init_feed_dict)
        if scaffold.init_fn:
            scaffold.init_fn(session)
    _check_initialized(session, scaffold.ready_for_local_init_op, "ready for local_init")
    if scaffold.local_init_op is not None:
        _LOGGER.info("Running local_init_op.")
        session.run(scaffold.local_init_op, feed_dict=scaffold.local_init_feed_dict)
        _LOGGER.info("Done running local_init_op.")
    _check_initialized(session, scaffold.ready_op, "ready")
    return session


def _check_initialized(session, names, what: str) -> None:
    missing = [] if names is None else [n.decode() for n in session.run(names)]
    if missing:
        raise RuntimeError(
            f"Init operations did not make model {what}. Variables not initialized: "
            f"{', '.join(missing)}"
        )
