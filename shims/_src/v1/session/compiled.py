"""A plan as one compiled program, with what runs in Python before and after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from shims._src.errors import errors
from shims._src.function.function import Function
from shims._src.function.lift import lift
from shims._src.recording import state
from shims._src.types.tensor_spec import TensorSpec
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.graph.value_slots import Slot
from shims._src.v1.session.running import Plan, Run, seed_words


class Compiled:
    """What a session keeps of one combination of fetches and feeds.

    Args:
      operations: what must run.
      fetched: what must be computed.
      fed: tensors whose values are given, in the order in which they are.
      known: variables that have a value.
      counters: the session's slots of random operations, which this adds to.
      is_ahead: whether it only computes what Python needs, and leaves everything as it was.
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
        while (waiting := self._split(fed)) is not None:
            # Python computes from what is computed before: that is computed for itself first.
            controls = [op for op in waiting.control_inputs if not op.on_host]
            inner = Compiled(controls, waiting.inputs, fed, known, counters, is_ahead=True)
            self.ahead.append((waiting, inner))
            fed = [*fed, *waiting.outputs]
            self.plan = Plan(operations, fetched, fed, [op for op, _ in self.ahead])
        used = [v for v in self.plan.variables if v in known]
        self.known = frozenset(used)
        self.read = used
        written = [v for op in self.plan.everything for v in op.writes]
        self.written = list(dict.fromkeys(written))
        self.counters = {}
        for op in self.plan.draws:
            for i, seeds in enumerate(op.attributes["seeds"]):
                if (op, i) not in counters:
                    slot = Slot(f"{op.name}/counter", (2,), np.dtype(np.uint32))
                    counters[op, i] = (slot, seed_words(seeds))
                    slot.stored_value = np.zeros(2, np.uint32)
                self.counters[op, i] = counters[op, i]
        # Sizes that say what rank something has must be known.
        self._ranks = [
            (i, t.op.attributes["rank_axis"])
            for i, t in enumerate(self.arguments)
            if "rank_axis" in t.op.attributes
        ]
        self._exact: Function | None = None
        self._first: tuple | None = None
        self._by_rank: dict[tuple, Function] = {}

    def _split(self, fed) -> Operation | None:
        """Sort the operations; or give one of Python's that something compiled needs the result of."""
        done = {op for op, _ in self.ahead}
        order = self.plan.order
        late: set[Operation] = set()
        self.large: dict[Tensor, Any] = {}
        self.places = {op.name: op.place for op in self.plan.everything if op.place}
        self.before: list[Operation] = []
        self.inside: list[Operation] = []
        self.after: list[Operation] = []
        for op in order:
            needs = [t.op for t in op.inputs if t not in self.plan.fed] + op.control_inputs
            if op in done:
                continue
            if op.on_host:
                # An assertion or an assignment it waits for is done when the program has run.
                waits = any(o in late for o in needs)
                (self.after if waits else self.before).append(op)
                if waits:
                    late.add(op)
            elif found := [t.op for t in op.inputs if t.op.on_host and t.op in late]:
                return found[0]
            elif getattr(op.attributes.get("value"), "nbytes", 0) > _LARGE:
                # As an argument: XLA would look through a large constant element by element.
                self.large[op.outputs[0]] = op.attributes["value"]
            else:
                self.inside.append(op)
                late.add(op)
        inside = set(self.inside)
        taken = {t for op in self.inside for t in [*op.inputs, *op.attributes.get("captured", ())]}
        self.arguments = [t for t in fed if t in taken or (t in self.fetched and is_numeric(t))]
        self.arguments += [t for op in self.before for t in op.outputs if t in taken]
        self.arguments += [t for t in self.large if t in taken or t in self.fetched]
        there = set(self.arguments)
        wanted = [t for op in self.after for t in op.inputs if t.op in inside or t in there]
        wanted += [t for t in self.fetched if t.op in inside or t in there]
        self.results = list(dict.fromkeys(wanted))
        return None

    # ---- the program -----------------------------------------------------------------------------

    def _program(self, arguments):
        run = Run(self.plan, self.known, self.counters)
        run.is_ahead = self.is_ahead
        run.values.update(zip(self.arguments, arguments, strict=True))
        for op in self.inside:
            run.execute(op)
        return [run.result(t) for t in self.results]

    def _slots(self) -> tuple[list[Slot], list[Slot]]:
        counters = [slot for slot, _ in self.counters.values()]
        return [v.slot for v in self.read] + counters, [v.slot for v in self.written] + counters

    def _function(self, shapes, values) -> Function:
        if self._first is None:
            self._first = shapes
        pure = lift(self._program, *self._slots())
        pure.__name__ = "Session.run"  # what warnings call it
        if shapes == self._first:
            # Most programs feed one shape again and again: that one is compiled for itself.
            self._exact = self._exact or Function(pure, **_OPTIONS, input_signature=None)
            return self._exact
        key = (*map(len, shapes), *(shapes[i][axis] for i, axis in self._ranks))
        found = self._by_rank.get(key)
        if found is None:
            given = [TensorSpec(np.shape(v), v.dtype) for v in values]
            sizes = [
                t.shape.as_list() if t.shape.rank is not None else [None] * len(shape)
                for t, shape in zip(self.arguments, shapes, strict=True)
            ]
            for i, axis in self._ranks:
                sizes[i][axis] = shapes[i][axis]
            pairs = zip(sizes, self.arguments, strict=True)
            specs = [TensorSpec(shape, t.dtype) for shape, t in pairs]
            found = Function(pure, **_OPTIONS, input_signature=[given, specs])
            self._by_rank[key] = found
        return found

    @property
    def compilations(self) -> int:
        """How many programs were compiled."""
        functions = [*filter(None, [self._exact]), *self._by_rank.values()]
        return sum(f.counts.compilations for f in functions)

    def run(
        self, session, feeds: dict[Tensor, Any], called: set | None = None
    ) -> dict[Tensor, Any]:
        """Run everything once.

        Args:
          session: whose variables are read and assigned.
          feeds: NumPy arrays by tensor.
          called: operations of Python that were called already, whose results are in `feeds`.

        Returns:
          The values of the fetched tensors, and of those in between that Python saw.
        """
        values: dict[Tensor, Any] = {**self.large, **feeds}
        called = set() if called is None else called
        for op, inner in self.ahead:
            found = inner.run(session, values, called)
            _execute(session, [op], found, called)
            values.update((t, found[t]) for o in called for t in o.outputs if t in found)
        _execute(session, self.before, values, called)
        if self.inside or self.results:
            values.update(self._launch(session, values))
        _execute(session, self.after, values, called)
        return values

    def _launch(self, session, values) -> dict[Tensor, Any]:
        arguments = [
            values[t] if t in self.large else np.asarray(values[t]) for t in self.arguments
        ]
        counters = [slot for slot, _ in self.counters.values()]
        given = [session.values[v] for v in self.read] + [s.stored_value for s in counters]
        function = self._function(tuple(a.shape for a in arguments), given)
        with jax.enable_x64(True), state.state_scope(None), errors.with_places(self.places):
            results, assigned = function(given, arguments)
        if self.is_ahead:
            return dict(zip(self.results, results, strict=True))
        for variable, value in zip(self.written, assigned, strict=False):
            session.values[variable] = value
        for slot, value in zip(counters, assigned[len(self.written) :], strict=True):
            slot.stored_value = value
        return dict(zip(self.results, results, strict=True))


# Bytes from which on a constant is passed as an argument.
_LARGE = 1 << 16
_OPTIONS: dict[str, Any] = {
    "autograph": False,
    "reduce_retracing": False,
    "buckets": "powers_of_two",
    "overflow": "grow",
    "on_specialize": "warn",
    "unpad": True,
}


def is_numeric(tensor: Tensor) -> bool:
    """Whether JAX has arrays of the tensor's dtype."""
    return tensor.dtype.name != "string"


def _execute(session, operations, values: dict[Tensor, Any], called: set) -> None:
    """Call operations of Python, each of them once."""
    for op in operations:
        if op not in called:
            called.add(op)
            given = [np.asarray(values[t]) if t in values else None for t in op.inputs]
            values.update(zip(op.outputs, op.compute(session, op, given), strict=True))
