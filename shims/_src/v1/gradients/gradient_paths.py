"""Find the operations that gradients pass through, from results back to tensors and variables.

Also detect variables of which only rows are gathered: their gradients are `IndexedSlices`.
"""

from __future__ import annotations

from collections.abc import Sequence

from shims._src.errors import errors
from shims._src.recording.connectivity import is_differentiable
from shims._src.v1.graph.nodes import Operation, Tensor


class GradientPaths:
    """The operations along which TensorFlow differentiates, from results back to their sources.

    Args:
      ys: the results.
      stops: tensors and variables that are treated as constants.
    """

    def __init__(self, ys: Sequence[Tensor], stops: Sequence = ()):
        ends = set(stops)
        self._ys = set(ys)
        self._seen: set = set()
        self._users: dict[object, set[tuple[Operation, int]]] = {}
        self._reads: dict[object, set[Tensor]] = {}
        self.operations: dict[Operation, None] = {}
        waiting = [y for y in ys if is_differentiable(y)]
        while waiting:
            tensor = waiting.pop()
            if tensor in self._seen:
                continue
            self._seen.add(tensor)
            if tensor.read_of is not None:
                self._seen.add(tensor.read_of)
                self._reads.setdefault(tensor.read_of, set()).add(tensor)
            if tensor in ends or tensor.read_of in ends:
                continue
            self.operations[tensor.op] = None
            waiting.extend(self._differentiable_inputs(tensor))

    def _differentiable_inputs(self, tensor: Tensor) -> list[Tensor]:
        op, i = tensor.op, tensor.value_index
        if op.type == "EagerPyFunc":
            raise errors.UnimplementedError(
                errors.message(
                    "gradients",
                    f"{op.name} is a Python function, which cannot be differentiated.",
                    do=(
                        "write the function with operators, or wrap its result in "
                        "`tf.stop_gradient`"
                    ),
                )
            )
        links = op.links[i] if op.links else range(len(op.inputs))
        found = []
        for k in links:
            given = op.inputs[k]
            if is_differentiable(given):
                self._users.setdefault(given, set()).add((op, k))
                found.append(given)
        for variable in op.attributes.get("variable_links", ((),) * (i + 1))[i]:
            self._seen.add(variable)
            self._users.setdefault(variable, set()).add((op, -1))
        return found

    def reaches(self, x) -> bool:
        """Return whether one of the results is differentiable with respect to a tensor or a variable."""
        return is_differentiable(x) and x in self._seen

    def takes_only_rows(self, x) -> bool:
        """Return whether all uses of a tensor or variable gather rows of it."""
        if x in self._ys or x.shape.rank in (0, None):
            return False
        users = self._users.get(x, set())
        reads = self._reads.get(x, set())
        if not users and not reads:
            return False
        return all(self._takes_rows(op, i) for op, i in users) and all(
            map(self.takes_only_rows, reads)
        )

    def _takes_rows(self, op: Operation, i: int) -> bool:
        if i in op.attributes.get("rows", ()):
            return True
        return op.type == "Identity" and len(op.inputs) == 1 and self.takes_only_rows(op.outputs[0])


def mark_loops(operations) -> None:
    """Mark conditionals and loops, also nested ones, as operations that gradients pass through."""
    for op in operations:
        for block in op.attributes.get("blocks", ()):
            op.attributes["differentiated"] = True
            mark_loops(block.operations)
