"""Decide which operations run in the compiled program, and which in Python before or after it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.session.execution_plan import Plan

# Bytes from which on a constant is passed as an argument.
_LARGE = 1 << 16


class Schedule:
    """The operations of a plan, grouped by where they run.

    Args:
      plan: the plan.
      called: Python operations that were already called and are left out.

    Attributes:
      before: Python operations that run before the compiled program.
      inside: operations of the compiled program.
      after: Python operations that run after the compiled program.
      large: constants that are passed as arguments, because XLA would process a large embedded
        constant element by element.
      early: a Python operation that uses results of the program and whose own result the program
        uses; scheduling stops there. `None` if there is no such operation.
    """

    def __init__(self, plan: Plan, called: Collection[Operation]):
        self.before: list[Operation] = []
        self.inside: list[Operation] = []
        self.after: list[Operation] = []
        self.large: dict[Tensor, Any] = {}
        self.early: Operation | None = None
        self._plan = plan
        self._late: set[Operation] = set()  # completed only after the program has run
        for op in plan.order:
            if op not in called:
                self._place(op)
            if self.early is not None:
                break

    def _place(self, op: Operation) -> None:
        """Add an operation to `before`, `inside`, `after` or `large`; its dependencies come first."""
        if op.on_host:
            self._place_in_python(op)
        elif early := [t.op for t in op.inputs if t.op.on_host and t.op in self._late]:
            self.early = early[0]
        elif getattr(op.attributes.get("value"), "nbytes", 0) > _LARGE:
            self.large[op.outputs[0]] = op.attributes["value"]
        else:
            self.inside.append(op)
            self._late.add(op)

    def _place_in_python(self, op: Operation) -> None:
        """Assign a Python operation to `after` if it depends on the program, otherwise to `before`."""
        needs = [t.op for t in op.inputs if t not in self._plan.fed] + op.control_inputs
        if self._late.isdisjoint(needs):
            self.before.append(op)
        else:
            self.after.append(op)
            self._late.add(op)

    def arguments(self, fed: Iterable[Tensor], fetched: Collection[Tensor]) -> list[Tensor]:
        """Return the arguments of the program: fed tensors, Python results and large constants."""
        taken = {t for op in self.inside for t in [*op.inputs, *op.attributes.get("captured", ())]}
        found = [t for t in fed if t in taken or (t in fetched and is_numeric(t))]
        found += [t for op in self.before for t in op.outputs if t in taken]
        found += [t for t in self.large if t in taken or t in fetched]
        return found

    def results(self, arguments: Sequence[Tensor], fetched: Iterable[Tensor]) -> list[Tensor]:
        """Return the results of the program: fetched tensors and inputs of later Python operations."""
        inside, given = set(self.inside), set(arguments)
        wanted = [*(t for op in self.after for t in op.inputs), *fetched]
        return list(dict.fromkeys(t for t in wanted if t.op in inside or t in given))


def is_numeric(tensor: Tensor) -> bool:
    """Return whether JAX supports the dtype of a tensor."""
    return tensor.dtype.name != "string"
