"""Plan and execute a session run: the operations that its fetches need, in topological order.

An operation that reads a variable sees only those assignments that must run before it. In
TensorFlow, the order of a read and the other assignments is arbitrary, but most reads come first.
"""

from __future__ import annotations

import functools
import heapq
import operator
import os
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.errors import errors
from shims._src.random.words import advanced, split_number
from shims._src.recording import state
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.graph.value_slots import Slot


class Plan:
    """The operations that some fetches need, in topological order.

    Args:
      operations: operations that must run, possibly only for their effects.
      tensors: tensors that must be computed.
      fed: tensors whose values are fed.
      called: Python operations that were already called and whose results are in `fed`.

    Attributes:
      order: the operations, each after its dependencies.
      before: for each operation a bit mask of the assignments that must run before it.
      variables: the variables that are read or assigned, in the order of first use.
      draws: operations that generate random numbers.
      copied: tensors with respect to which gradients are computed; each needs a separate copy.
    """

    def __init__(
        self,
        operations: Sequence[Operation],
        tensors: Sequence[Tensor],
        fed,
        called: Sequence[Operation] = (),
    ):
        self.fed = set(fed)
        # Results of Python operations are fed as well, but their control inputs must still run.
        ends = self.fed.difference(t for op in called for t in op.outputs)
        needed = [t.op for t in tensors if t not in ends]
        self.order = ordered([*operations, *needed], ends)
        self.writers = [op for op in self.order if op.writes]
        bits = {op: 1 << i for i, op in enumerate(self.writers)}
        self.before: dict[Operation, int] = {}
        for op in self.order:
            known = 0
            for other in needs_of(op, ends):
                known |= self.before.get(other, 0) | bits.get(other, 0)
            self.before[op] = known
        self.bits = bits
        self.everything = every_operation(self.order)
        self.variables = list(
            dict.fromkeys(v for op in self.everything for v in op.attributes.get("variables", ()))
        )
        self.draws = [op for op in self.everything if "seeds" in op.attributes]
        self.copied = {t for op in self.everything for t in op.attributes.get("copied", ())}


def needs_of(op: Operation, fed) -> list[Operation]:
    """Return the operations on which `op` depends directly; tensors that are fed need no operation."""
    found = [t.op for t in op.inputs if t not in fed]
    found += [t.op for t in op.attributes.get("captured", ()) if t not in fed]
    return [*found, *op.control_inputs]


def ordered(operations: Sequence[Operation], fed) -> list[Operation]:
    """Return operations and their dependencies in topological order.

    Among operations that are ready, the one created first comes first.
    """
    needed: dict[Operation, list[Operation]] = {}
    waiting = list(operations)
    while waiting:
        op = waiting.pop()
        if op not in needed:
            needed[op] = list(dict.fromkeys(needs_of(op, fed)))
            waiting.extend(needed[op])
    users: dict[Operation, list[Operation]] = {op: [] for op in needed}
    missing = {op: len(before) for op, before in needed.items()}
    for op, before in needed.items():
        for other in before:
            users[other].append(op)
    ready = [(op.number, i, op) for i, op in enumerate(needed) if not missing[op]]
    heapq.heapify(ready)
    found = []
    while ready:
        _, i, op = heapq.heappop(ready)
        found.append(op)
        for user in users[op]:
            missing[user] -= 1
            if not missing[user]:
                heapq.heappush(ready, (user.number, i, user))
    if len(found) < len(needed):
        raise errors.InvalidArgumentError(
            errors.message("Session.run", "the control dependencies of the graph form a cycle.")
        )
    return found


def every_operation(operations) -> list[Operation]:
    """Return operations together with those in their branches and loop bodies, at all levels."""
    found = []
    for op in operations:
        found.append(op)
        for block in op.attributes.get("blocks", ()):
            found.extend(every_operation(block.operations))
    return found


class Run:
    """One execution of a plan, which happens while the plan is traced.

    Args:
      plan: the plan.
      known: the variables that have a value at the start.
      counters: a dict from pairs of an operation and the index of a random call in it to the slot
        of the call's counter, and its seeds.

    Attributes:
      is_ahead: whether the run only computes operands of Python operations and must have no
        effects.
    """

    is_ahead = False

    def __init__(self, plan: Plan, known, counters):
        self.plan, self.known, self.counters = plan, known, counters
        self.values: dict[Tensor, Any] = {}
        self.versions: dict[Any, list[tuple[Operation, Any]]] = {}
        self.begin: dict[Any, Any] = {}

    def __getitem__(self, tensor: Tensor):
        return self.values[tensor]

    def read(self, variable, reader: Operation | None, seen: int | None = None):
        """Return the value of a variable that a reading operation sees.

        Args:
          variable: the variable.
          reader: the operation that reads; `None` sees all assignments.
          seen: a bit mask of the visible assignments, instead of those that the reader waits for.
        """
        if variable not in self.begin:
            self.begin[variable] = self.at_start(variable)
        value = self.begin[variable]
        if seen is None:
            seen = self.plan.before.get(reader, 0) if reader is not None else -1
        for writer, written in self.versions.get(variable, ()):
            if seen & self.plan.bits.get(writer, 0):
                value = written
        if value is state.UNKNOWN:
            raise uninitialized(variable)
        return value

    def read_by(self, tensor: Tensor, reader: Operation):
        """Return the value of a variable as the operation `reader` sees it.

        A reference variable is read when it is used, a resource variable at its read operation.

        tensor: a tensor that reads the variable.
        """
        variable, source = tensor.read_of, tensor.op
        if not variable.is_resource:
            # A reference variable is read when it is used.
            value = self.read(variable, reader)
            return jax.lax.stop_gradient(value) if source.writes else value
        before, bits = self.plan.before, self.plan.bits
        seen = before.get(source, 0)
        if source.writes:
            # The result of an assignment is read where it is used.
            waited = [before.get(op, 0) | bits.get(op, 0) for op in reader.control_inputs]
            seen = functools.reduce(operator.or_, waited, seen | bits.get(source, 0))
        return self.read(variable, reader, seen)

    def at_start(self, variable):
        """Return the value of a variable at the start of the run, or `UNKNOWN` if it has no value."""
        return state.read(variable.slot) if variable in self.known else state.UNKNOWN

    def first_read(self, variable):
        """Return the value of a variable at the start of the run; gradients are computed at this value."""
        if variable not in self.begin:
            self.read(variable, None)
        return self.begin[variable]

    def newest(self, variable):
        """Return the value of a variable after all assignments executed so far."""
        versions = self.versions.get(variable)
        return versions[-1][1] if versions else self.read(variable, None)

    def write(self, variable, value, writer: Operation):
        """Assign a value to a variable; return the result of reading it back, as later reads do."""
        if variable in self.known and variable not in self.begin:
            self.begin[variable] = state.read(variable.slot)
        state.write(variable.slot, value)
        value = state.read(variable.slot)  # the value, with the gradient of a read
        self.versions.setdefault(variable, []).append((writer, value))
        return value

    def result(self, tensor: Tensor):
        """Return the value of a fetched tensor."""
        variable = tensor.read_of
        if variable is None or tensor in self.plan.fed:
            return self.values[tensor]
        # A reference variable shows later assignments; a resource was read by an operation.
        if variable.is_resource:
            return self.read_by(tensor, tensor.op)
        return self.newest(variable)

    def has_value(self, variable) -> bool:
        """Return whether a variable was initialized before the run or assigned during it."""
        return variable in self.known or variable in self.versions

    def is_seen(self, variable, reader: Operation) -> bool:
        """Return whether an operation that reads a variable sees a value, initial or assigned."""
        seen = self.plan.before.get(reader, 0)
        writers = (writer for writer, _ in self.versions.get(variable, ()))
        return variable in self.known or any(seen & self.plan.bits.get(w, 0) for w in writers)

    def stream(self, op: Operation):
        """Return the source of random stream positions for the random calls inside an operation.

        Each call of the source returns the position of the next random call's stream, and advances its
        counter.
        """
        draws = iter(range(len(op.attributes["seeds"])))

        def source(kernel, seed, blocks):
            del kernel, seed
            slot, words = self.counters[op, next(draws)]
            before = state.read(slot)
            counter = jnp.concatenate([before, jnp.zeros((2,), jnp.uint32)])
            state.write(slot, advanced(counter, jnp.asarray(blocks))[:2])
            return jnp.concatenate([jnp.asarray(words[:2]), before, jnp.asarray(words[2:])])

        return source

    def operands(self, op: Operation) -> list:
        """Return the values of the inputs of an operation."""
        return [
            self.values[t] if t.read_of is None or t in self.plan.fed else self.read_by(t, op)
            for t in op.inputs
        ]

    def execute(self, op: Operation) -> None:
        """Execute an operation, and store its outputs in the run."""
        with errors.at_place(op.place), jax.named_scope(op.name):
            results = op.compute(self, op, self.operands(op))
        for tensor, value in zip(op.outputs, results, strict=True):
            if tensor in self.plan.fed:
                continue
            if tensor in self.plan.copied and hasattr(value, "dtype"):
                value = jnp.copy(value)
            self.values[tensor] = value


def uninitialized(variable):
    """Return the error for reading a variable without a value."""
    return errors.FailedPreconditionError(
        errors.message(
            "Session.run",
            f"Attempting to use uninitialized value {variable.op.name}",
            do="run `tf.global_variables_initializer()` first, or restore a checkpoint",
        )
    )


def counters_of(plan: Plan, kept: dict) -> dict:
    """Return the counter slot and the seed words of each random call in a plan.

    Args:
      plan: the plan.
      kept: the existing counters; new ones are added to it.

    Returns:
      A dict from pairs of an operation and the index of a random call in it to pairs of the call's
      counter slot and seed words.
    """
    drawn = [(op, i, s) for op in plan.draws for i, s in enumerate(op.attributes["seeds"])]
    for op, i, seeds in drawn:
        if (op, i) not in kept:
            slot = Slot(f"{op.name}/counter", (2,), np.dtype(np.uint32))
            slot.stored_value = np.zeros(2, np.uint32)
            kept[op, i] = (slot, _seed_words(seeds))
    return {(op, i): kept[op, i] for op, i, _ in drawn}


def _seed_words(seeds) -> np.ndarray:
    """Split two seeds into four 32-bit words; return random words if `seeds` is `None`."""
    if seeds is None:
        return np.frombuffer(os.urandom(16), np.uint32)
    return np.concatenate([split_number(s) for s in seeds])
