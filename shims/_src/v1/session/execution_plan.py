"""What a session runs: the operations behind its fetches, in order, as one compiled program.

A read of a variable sees the assignments that the reader has to wait for, and no others: without
such an order TensorFlow reads whenever it comes to it, mostly before anything is assigned.
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
    """The operations behind some fetches, in an order in which they can run.

    Args:
      operations: what must run, be it for its effects.
      tensors: what must be computed.
      fed: tensors whose values are given.
      called: operations of Python whose results are among `fed`.

    Attributes:
      order: the operations, each after what it needs.
      before: per operation the assignments that it has to wait for, as bits.
      variables: the variables that are read or assigned, in the order of the first use.
      draws: operations with random numbers.
      copied: tensors by which something is differentiated: each needs a value of its own.
    """

    def __init__(
        self,
        operations: Sequence[Operation],
        tensors: Sequence[Tensor],
        fed,
        called: Sequence[Operation] = (),
    ):
        self.fed = set(fed)
        # What Python computed is given, too, but what it waited for has to be done.
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
    """The operations that run before `op`, unless their outputs are fed."""
    found = [t.op for t in op.inputs if t not in fed]
    found += [t.op for t in op.attributes.get("captured", ()) if t not in fed]
    return [*found, *op.control_inputs]


def ordered(operations: Sequence[Operation], fed) -> list[Operation]:
    """The operations and all that they need; those that were made first come first."""
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
            errors.message("Session.run", "the graph has a cycle of control dependencies.")
        )
    return found


def every_operation(operations) -> list[Operation]:
    """The operations, and those of the branches and bodies in them."""
    found = []
    for op in operations:
        found.append(op)
        for block in op.attributes.get("blocks", ()):
            found.extend(every_operation(block.operations))
    return found


class Run:
    """One run of a plan, while it is traced.

    Args:
      plan: the plan.
      known: which variables have a value before.
      counters: the slot of each counter by operation and draw.

    Attributes:
      is_ahead: whether it only computes what Python needs, so that nothing may be seen of it.
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
        """The value of a variable as one operation sees it; `None` sees all assignments.

        Args:
          variable: the variable.
          reader: the operation.
          seen: the assignments that it sees, as bits, instead of those that it waits for.
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
        """The value that one operation gets for a tensor that reads a variable."""
        variable, source = tensor.read_of, tensor.op
        if not variable.is_resource:
            # A reference is looked at when it is used.
            value = self.read(variable, reader)
            return jax.lax.stop_gradient(value) if source.writes else value
        before, bits = self.plan.before, self.plan.bits
        seen = before.get(source, 0)
        if source.writes:
            # What an assignment gives is read where it is used.
            waited = [before.get(op, 0) | bits.get(op, 0) for op in reader.control_inputs]
            seen = functools.reduce(operator.or_, waited, seen | bits.get(source, 0))
        return self.read(variable, reader, seen)

    def at_start(self, variable):
        """The value that a variable has when the run begins, or `UNKNOWN`."""
        return state.read(variable.slot) if variable in self.known else state.UNKNOWN

    def first_read(self, variable):
        """The value that a variable had when the run began."""
        if variable not in self.begin:
            self.read(variable, None)
        return self.begin[variable]

    def newest(self, variable):
        """The value of a variable in the order in which operations run."""
        versions = self.versions.get(variable)
        return versions[-1][1] if versions else self.read(variable, None)

    def write(self, variable, value, writer: Operation):
        """Assign a variable."""
        if variable in self.known and variable not in self.begin:
            self.begin[variable] = state.read(variable.slot)
        state.write(variable.slot, value)
        value = state.read(variable.slot)  # the value, with the gradient of a read
        self.versions.setdefault(variable, []).append((writer, value))
        return value

    def result(self, tensor: Tensor):
        """The value that a session gives for a tensor."""
        variable = tensor.read_of
        if variable is None or tensor in self.plan.fed:
            return self.values[tensor]
        # A reference shows what was assigned meanwhile; a resource was read by an operation.
        if variable.is_resource:
            return self.read_by(tensor, tensor.op)
        return self.newest(variable)

    def has_value(self, variable) -> bool:
        """Whether a variable has a value at this point."""
        return variable in self.known or variable in self.versions

    def is_seen(self, variable, reader: Operation) -> bool:
        """Whether one operation sees a value of a variable."""
        seen = self.plan.before.get(reader, 0)
        writers = (writer for writer, _ in self.versions.get(variable, ()))
        return variable in self.known or any(seen & self.plan.bits.get(w, 0) for w in writers)

    def stream(self, op: Operation):
        """Where the random operators inside of an operation start."""
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
        """The values that an operation takes."""
        return [
            self.values[t] if t.read_of is None or t in self.plan.fed else self.read_by(t, op)
            for t in op.inputs
        ]

    def execute(self, op: Operation) -> None:
        """Compute an operation."""
        with errors.at_place(op.place), jax.named_scope(op.name):
            results = op.compute(self, op, self.operands(op))
        for tensor, value in zip(op.outputs, results, strict=True):
            if tensor in self.plan.fed:
                continue
            if tensor in self.plan.copied and hasattr(value, "dtype"):
                value = jnp.copy(value)
            self.values[tensor] = value


def uninitialized(variable):
    """The error of a variable without a value."""
    return errors.FailedPreconditionError(
        errors.message(
            "Session.run",
            f"Attempting to use uninitialized value {variable.op.name}",
            do="run `tf.global_variables_initializer()` first, or restore a checkpoint",
        )
    )


def counters_of(plan: Plan, kept: dict) -> dict:
    """Return slot and seed words of each number that a plan draws, by operation and draw.

    Args:
      plan: the plan.
      kept: the counters that there are already; new ones are added to it.
    """
    drawn = [(op, i, s) for op in plan.draws for i, s in enumerate(op.attributes["seeds"])]
    for op, i, seeds in drawn:
        if (op, i) not in kept:
            slot = Slot(f"{op.name}/counter", (2,), np.dtype(np.uint32))
            slot.stored_value = np.zeros(2, np.uint32)
            kept[op, i] = (slot, _seed_words(seeds))
    return {(op, i): kept[op, i] for op, i, _ in drawn}


def _seed_words(seeds) -> np.ndarray:
    """Return the words of an operation's two seeds; random ones where it has none."""
    if seeds is None:
        return np.frombuffer(os.urandom(16), np.uint32)
    return np.concatenate([split_number(s) for s in seeds])
