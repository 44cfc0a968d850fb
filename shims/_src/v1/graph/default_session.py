"""Keep the stack of default sessions of a thread, used by `Tensor.eval` and `Operation.run`."""

from __future__ import annotations

from typing import Any

from shims._src.platform.thread_state import ThreadStack

_SESSIONS: ThreadStack[Any] = ThreadStack()


def innermost_session() -> Any:
    """Return the session of the innermost `with` block, or `None`."""
    return _SESSIONS.top


def session_scope(session):
    """Make a session the default session inside a `with` block."""
    return _SESSIONS.pushed(session)


def session_for(session, graph, purpose: str):
    """Return the given session, or the default session if it is `None`.

    Raises:
      ValueError: there is no default session, or the session runs another graph; `purpose` names
        the caller's intent in the message.
    """
    if session is None:
        session = innermost_session()
        if session is None:
            raise ValueError(
                f"Cannot {purpose} using `eval()`: No default session is registered. Use `with "
                "sess.as_default()` or pass an explicit session to `eval(session=sess)`"
            )
    if session.graph is not graph:
        raise ValueError(
            f"Cannot use the given session to {purpose}: the tensor's graph is different from "
            "the session's graph."
        )
    return session
