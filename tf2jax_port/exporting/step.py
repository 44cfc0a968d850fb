"""Divide a training step into the operations that compute the loss and the operations that update variables."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tf2jax_port.importing.rule import UnsupportedError

READS = ("Identity", "ReadVariableOp", "VariableV2", "VarHandleOp")


class Version(NamedTuple):
    """The value of a variable at the start of a step, or after an operation assigned it."""

    variable: Any
    writer: Any = None


class NoStepError(ValueError):
    """Raised for a run that is not a training step, or whose form cannot be written."""


@dataclasses.dataclass
class Step:
    """A training step of a session.

    Args:
      session: the session.
      plan: the plan of the run.
      feeds: the fed values, by tensor.

    Attributes:
      gradients: the operation that computes the gradients.
      loss: the tensor that is differentiated.
      trained: the variables with respect to which it is differentiated.
      batch: the tensors that the loss needs from outside: fed ones, and results of Python operations.
      updates: versions of variables that the run assigns and that depend on no gradient.
      after: the operations that depend on the gradients.
    """

    session: Any
    plan: Any
    feeds: dict[Any, Any]
    gradients: Any = None
    loss: Any = None
    trained: list[Any] = dataclasses.field(default_factory=list)
    batch: list[Any] = dataclasses.field(default_factory=list)
    updates: list[Version] = dataclasses.field(default_factory=list)
    after: list[Any] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        self.outer: dict[Any, Any] = {}
        for op in self.plan.order:
            self._mark_blocks(op, op)
        found = [op for op in self.plan.order if "gradients" in op.attributes]
        if not found:
            raise NoStepError("the run computes no gradients")
        later = self._behind(found)
        last = [op for op in found if not later.intersection(self._befores(op))]
        if len(found) > 1:
            lines = ", ".join(str(op.place[1]) for op in found if op.place)
            raise NoStepError(
                f"the step computes {len(found)} gradients (lines {lines}), but a step can be exported only if it "
                "has one optimizer and no gradient inside the loss"
            )
        self.gradients = last[0]
        ys, xs, self.rows, weights = self.gradients.attributes["gradients"]
        if len(ys) != 1 or any(w is not None for w in weights):
            raise NoStepError("the gradients are weighted, or are gradients of several tensors")
        self.loss = ys[0]
        self.trained = list(xs)
        if any(not hasattr(x, "slot") for x in xs):
            raise NoStepError("the gradients are not taken with respect to variables")
        self.after = [op for op in self.plan.order if op in later]
        self.updates = [
            Version(v, op)
            for op in self.plan.order
            if op.writes and op not in later
            for v in op.writes
        ]
        self.updates = list({u.variable: u for u in self.updates}.values())
        self.batch = self.outside([self.resolved(self.loss, None), *self.updates])

    # ---- values ----------------------------------------------------------------------------------

    def key(self, tensor: Any, reader: Any) -> Any:
        """Return the key of a tensor where an operation uses it: the tensor itself or a `Version`."""
        variable = tensor.read_of
        if variable is None or tensor in self.plan.fed:
            return tensor
        reader = self.outer.get(reader, reader)
        seen = self._seen(tensor, reader)
        version = Version(variable)
        for op in self.plan.writers:
            if variable in op.writes and seen & self.plan.bits.get(op, 0):
                version = Version(variable, op)
        return version

    def resolved(self, tensor: Any, reader: Any) -> Any:
        """Return `key`, for a fetched tensor if `reader` is `None`."""
        return self.key(tensor, tensor.op if reader is None else reader)

    def _seen(self, tensor: Any, reader: Any) -> int:
        """Return the bit mask of the assignments that a use of a variable sees, as sessions do."""
        before, bits = self.plan.before, self.plan.bits
        if not tensor.read_of.is_resource:
            return before.get(reader, 0)
        source = self.outer.get(tensor.op, tensor.op)
        seen = before.get(source, 0)
        if source.writes:
            seen |= bits.get(source, 0)
            for op in reader.control_inputs:
                seen |= before.get(op, 0) | bits.get(op, 0)
        return seen

    def inputs_of(self, op: Any) -> list[Any]:
        """Return the keys of the inputs of an operation, of its blocks included."""
        return list(dict.fromkeys(self.key(t, op) for t in self._tensors_of(op)))

    def _tensors_of(self, op: Any) -> list[Any]:
        found = list(op.inputs)
        for part in op.attributes.get("parts", ()):
            for inner in part.operations:
                found += [t for t in self._tensors_of(inner) if t.op.block is not part.block]
            found += [t for t in part.outputs if t.op.block is not part.block]
        own = {part.block for part in op.attributes.get("parts", ())}
        return [t for t in found if t.op.block not in own]

    def producer(self, key: Any) -> Any:
        """Return the operation that computes a key; `None` for initial values and the batch."""
        if isinstance(key, Version):
            return key.writer
        return None if key in self.plan.fed or self._is_from_python(key) else key.op

    def _is_from_python(self, tensor: Any) -> bool:
        return bool(tensor.op.on_host)

    def needed(self, keys: Iterable[Any], stop: Sequence[Any] = ()) -> list[Any]:
        """Return the operations that some keys depend on, in the order of the plan."""
        found: set[Any] = set()
        waiting = list(keys)
        ends = set(stop)
        while waiting:
            key = waiting.pop()
            op = None if key in ends else self.producer(key)
            if op is not None and op not in found:
                found.add(op)
                waiting.extend(self.inputs_of(op))
                if op.writes and not op.inputs:
                    continue
                # An update computes from the value that the variable had before.
                waiting.extend(self.before_update(op))
        return [op for op in self.plan.order if op in found]

    def before_update(self, op: Any) -> list[Version]:
        """Return, for an operation that assigns variables, the versions that it starts from."""
        found = []
        for variable in op.writes:
            version = Version(variable)
            for other in self.plan.writers:
                if other is op:
                    break
                if variable in other.writes:
                    version = Version(variable, other)
            found.append(version)
        return found

    def outside(self, keys: Iterable[Any]) -> list[Any]:
        """Return the tensors from outside that some keys need."""
        keys = list(keys)
        operations = self.needed(keys)
        used = dict.fromkeys(
            k for k in [*keys, *(i for op in operations for i in self.inputs_of(op))]
        )
        return [
            k
            for k in used
            if not isinstance(k, Version) and (k in self.plan.fed or self._is_from_python(k))
        ]

    # ---- structure -------------------------------------------------------------------------------

    def _mark_blocks(self, op: Any, outer: Any) -> None:
        for part in op.attributes.get("parts", ()):
            for inner in part.operations:
                if inner.writes:
                    raise NoStepError(f"{inner.name} assigns a variable in a loop or a branch")
                self.outer[inner] = outer
                self._mark_blocks(inner, outer)

    def _befores(self, op: Any) -> list[Any]:
        return [*(t.op for t in op.inputs), *op.control_inputs]

    def _behind(self, operations: Sequence[Any]) -> set[Any]:
        """Return the operations that depend on some others, directly or not."""
        found: set[Any] = set()
        for op in self.plan.order:
            if any(o in found or o in operations for o in self._befores(op)):
                found.add(op)
        return found


def check_supported(step: Step) -> None:
    """Raise an error if the gradients are wrapped in a form that cannot be written."""
    if step.loss.shape.rank not in (0, None):
        raise UnsupportedError("the loss is not a scalar; compute the sum or the mean of the loss")
