"""Run both functions case by case in a child process of `supervisor`.

It reads pickled messages from its standard input: an `Order`, then numbers of cases, or a report and what
to explain of it; then perhaps another `Order`. It answers with pairs of a message name and its content:
`plan` or `rejected`, `step`, `seen`, `explained`.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, BinaryIO

from tf2jax_port.diff.functions.keras_use import JAX, TENSORFLOW, backend_of, use_backend
from tf2jax_port.diff.functions.loading import DiffError, require_tensorflow
from tf2jax_port.diff.inputs.cases import reported
from tf2jax_port.diff.processes.lane_program import channels
from tf2jax_port.diff.processes.memory_limit import CASES_BETWEEN_LOOKS, limit_memory, spare_maps
from tf2jax_port.diff.sessions.orders import Order, loaded
from tf2jax_port.diff.sessions.run import Plan, Session, look
from tf2jax_port.diff.supervision.case_messages import EXPLAINED, PLAN, REFUSED, SEEN, STEP
from tf2jax_port.diff.values.arguments import Arguments, Slot

_PLAIN = (str, int, float, complex, bool, bytes, type(None), Slot)


class _ReprOnly:
    """A stand-in with the same `repr`, for an object that other processes cannot unpickle."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def main() -> None:
    """Answer requests until standard input is closed."""
    asked, answers = channels()
    own = os.getpid()

    def say(word: str, content: Any) -> None:
        if os.getpid() != own:  # the function has forked, and this is the child
            os._exit(0)
        pickle.dump((word, content), answers)
        answers.flush()

    limit_memory()
    with contextlib.ExitStack() as open_session:
        session: Any = None
        cases: dict[int, Arguments] = {}
        seen = itertools.count(1)
        while (message := _read_message(asked)) is not None:
            if isinstance(message, Order):
                open_session.close()
                session = _open_session(message, say)
                if session is not None:
                    open_session.callback(session.close)
                    cases = {case.index: case for case in session.plan.fitted}
            elif isinstance(message, int):
                say(SEEN, _observe_case(session, cases[message], say))
                if next(seen) % CASES_BETWEEN_LOOKS == 0:
                    spare_maps()
            else:
                say(EXPLAINED, session.explained(*message))


def _read_message(asked: BinaryIO) -> Any:
    try:
        return pickle.load(asked)
    except EOFError:
        return None


def _open_session(order: Order, say: Callable[[str, Any], None]) -> Any:
    """Load the functions and cases of an order, and send the plan.

    If the order is rejected, the reason is sent instead and `None` is returned.
    """
    sys.path[:] = order.path
    try:
        session = _make_session(order, lambda done: say(STEP, done))
    except DiffError as error:
        say(REFUSED, error.args)
        return None
    say(PLAN, _portable(session.plan))
    return session


def _make_session(order: Order, step: Callable[[str], None]) -> Any:
    if order.golden:
        use_backend(JAX)
        from tf2jax_port.diff.sessions.replaying import replayed

        return replayed(order)
    if order.record:
        is_known = order.record in (TENSORFLOW, JAX)
        use_backend(order.record if is_known else backend_of(order.old, order.path))
        from tf2jax_port.diff.sessions.recording import recording

        return recording(order, step)
    require_tensorflow()
    request, source = loaded(order)
    return Session(request, reported(source.calls, step))


def _observe_case(session: Any, case: Arguments, say: Callable[[str, Any], None]) -> Any:
    if hasattr(session, "record"):
        found = session.record(case, lambda lane: say(STEP, lane))
        return replace(found, case=_portable_case(found.case))
    return look(case, session.observe, lambda lane: say(STEP, lane))


def _portable(plan: Plan) -> Plan:
    """Return the plan without objects that only a process with the user's modules can unpickle."""
    return replace(plan, fitted=tuple(map(_portable_case, plan.fitted)))


def _portable_case(case: Arguments) -> Arguments:
    return replace(case, template=tuple(map(_portable_part, case.template)))


def _portable_part(part: Any) -> Any:
    if isinstance(part, dict):
        return {_portable_part(key): _portable_part(value) for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return (
            tuple(map(_portable_part, part))
            if isinstance(part, tuple)
            else list(map(_portable_part, part))
        )
    return part if type(part) in _PLAIN else _ReprOnly(repr(part))


if __name__ == "__main__":
    # Imported under its own name, so that the classes can be unpickled.
    from tf2jax_port.diff.supervision.case_program import main as program

    program()
