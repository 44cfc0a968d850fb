"""Execute a plan: one compiled program, and Python operations before and after it."""

from __future__ import annotations

import contextlib
import itertools
import operator
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from shims._src.errors import errors
from shims._src.function.lift import lift
from shims._src.recording import state
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.session.execution_plan import Plan, Run, counters_of
from shims._src.v1.session.program_cache import ProgramCache
from shims._src.v1.session.schedule import Schedule


class Compiled:
    """An executable plan for one combination of fetches and feeds.

    Args:
      operations: the operations that must run.
      fetched: tensors that must be computed.
      fed: tensors whose values are fed.
      known: variables that are initialized.
      counters: the session's counters of random operations; new ones are added.
      is_ahead: whether the plan only computes operands of a Python operation, and changes no state.
    """

    def __init__(
        self,
        operations: Sequence[Operation],
        fetched: Sequence[Tensor],
        fed: Sequence[Tensor],
        known,
        counters: dict,
        is_ahead: bool = False,
    ):
        self.is_ahead = is_ahead
        self.fetched = dict.fromkeys(fetched)
        self.ahead: list[tuple[Operation, Compiled]] = []
        self.plan = Plan(operations, fetched, fed)
        self.schedule = Schedule(self.plan, ())
        while (early := self.schedule.early) is not None:
            # A Python operation needs results of the program: compute those in a program of their own.
            controls = [op for op in early.control_inputs if not op.on_host]
            inner = Compiled(controls, early.inputs, fed, known, counters, is_ahead=True)
            self.ahead.append((early, inner))
            fed = [*fed, *early.outputs]
            called = [op for op, _ in self.ahead]
            self.plan = Plan(operations, fetched, fed, called)
            self.schedule = Schedule(self.plan, called)
        self.places = {op.name: op.place for op in self.plan.everything if op.place}
        self.arguments = self.schedule.arguments(fed, self.fetched)
        self.results = self.schedule.results(self.arguments, self.fetched)
        self.read = [v for v in self.plan.variables if v in known]
        self.written = list(dict.fromkeys(v for op in self.plan.everything for v in op.writes))
        self.counters = counters_of(self.plan, counters)
        self._counter_slots = [slot for slot, _ in self.counters.values()]
        slots = len(self.read) + len(self._counter_slots)
        self._tree = jax.tree.structure((([0] * slots, [0] * len(self.arguments)), {}))
        self._programs = ProgramCache(self._make_pure, self.arguments)

    @property
    def compilations(self) -> int:
        """The number of compiled programs."""
        return self._programs.compilations

    # ---- the program -----------------------------------------------------------------------------

    def _make_pure(self):
        """Create a pure function that executes the operations of the compiled program."""
        read, written = ([v.slot for v in vs] for vs in (self.read, self.written))
        counters = self._counter_slots
        return lift(self._run_inside, [*read, *counters], [*written, *counters])

    def _run_inside(self, arguments):
        """Trace the compiled program: execute its operations, and return its results."""
        run = Run(self.plan, frozenset(self.read), self.counters)
        run.is_ahead = self.is_ahead
        run.values.update(zip(self.arguments, arguments, strict=True))
        for op in self.schedule.inside:
            run.execute(op)
        return [run.result(t) for t in self.results]

    # ---- a run -----------------------------------------------------------------------------------

    def run(
        self, session, feeds: dict[Tensor, Any], called: set | None = None
    ) -> dict[Tensor, Any]:
        """Execute the plan once.

        Args:
          session: the session whose variables are read and assigned.
          feeds: a dict from tensors to NumPy arrays.
          called: Python operations that were already called, whose results are in `feeds`.

        Returns:
          A dict from tensors to values, which contains the fetched tensors among others.
        """
        values: dict[Tensor, Any] = {**self.schedule.large, **feeds}
        called = set() if called is None else called
        for op, inner in self.ahead:
            found = inner.run(session, values, called)
            _call_python(session, [op], found, called)
            values.update((t, found[t]) for o in called for t in o.outputs if t in found)
        _call_python(session, self.schedule.before, values, called)
        if self.schedule.inside or self.results:
            values.update(self._run_program(session, values))
        _call_python(session, self.schedule.after, values, called)
        return values

    def _run_program(self, session, values) -> dict[Tensor, Any]:
        """Run the compiled program; unless `is_ahead` is set, store the new values of variables."""
        large = self.schedule.large
        arguments = [values[t] if t in large else np.asarray(values[t]) for t in self.arguments]
        for overtaken in itertools.count():
            others_wait = overtaken > state.MOST_OVERTAKEN
            with state.changing() if others_wait else contextlib.nullcontext():
                replaced: list | None = self._stored_values(session)
                counters = [slot.stored_value for slot in self._counter_slots]
                given = [*(session.values[v] for v in self.read), *counters]
                function = self._programs.function_for(tuple(a.shape for a in arguments), given)
                with jax.enable_x64(True), state.state_scope(None), errors.with_places(self.places):
                    results, assigned = function.call_arrays(
                        (given, arguments), [*given, *arguments], self._tree
                    )
                if any(entry.calls_host for entry in function.entries):
                    replaced = None  # what Python functions have done is not done again
                if self.is_ahead or self._store_assigned(session, assigned, replaced):
                    return dict(zip(self.results, results, strict=True))
        raise AssertionError

    def _stored_values(self, session) -> list:
        """Return the objects that the assigned variables and the counters hold; an assignment replaces them."""
        held = [session.values.get(variable) for variable in self.written]
        return [*held, *(slot.stored_value for slot in self._counter_slots)]

    def _store_assigned(self, session, assigned, replaced: list | None) -> bool:
        """Store the new values of variables and of random counters after a run of the program.

        If another thread has assigned one of them since it held what is in `replaced`, nothing is stored.
        Returns whether the values were stored.
        """
        with state.changing():
            now = self._stored_values(session)
            if replaced is not None and not all(map(operator.is_, now, replaced)):
                return False
            for variable, value in zip(self.written, assigned, strict=False):
                session.values[variable] = value
            for slot, value in zip(self._counter_slots, assigned[len(self.written) :], strict=True):
                slot.stored_value = value
        return True


def _call_python(session, operations, values: dict[Tensor, Any], called: set) -> None:
    """Call the Python operations that are not in `called`; add their results to `values`."""
    for op in operations:
        if op not in called:
            called.add(op)
            given = [np.asarray(values[t]) if t in values else None for t in op.inputs]
            values.update(zip(op.outputs, op.compute(session, op, given), strict=True))
