"""Record branches and loop bodies while a graph is built, and execute them when it runs."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shims._src.errors import errors
from shims._src.recording import state
from shims._src.recording.connectivity import is_differentiable
from shims._src.v1.graph.graph import Graph
from shims._src.v1.graph.nodes import Block, Operation, Tensor, capture
from shims._src.v1.session.execution_plan import Run


class Part:
    """The recorded operations of a branch or a loop body, and its outputs.

    Args:
      block: the `Block` that collected the operations.
      outputs: the output tensors, which may belong to outer blocks.

    Attributes:
      outputs: the output tensors.
      operations: the operations that the outputs depend on, in topological order.
      captured: tensors of outer blocks that the operations or outputs use.
      controls: operations of outer blocks that are control inputs.
      writes: variables that the operations assign.
      before: for each operation a bit mask of the assignments in this part that must precede it.
      bits: for each operation that assigns variables, its bit in these masks.
    """

    def __init__(self, block: Block, outputs: Sequence[Tensor]):
        self.block, self.outputs = block, list(outputs)
        self.operations = self._collect_needed()
        block.operations = self.operations
        inputs = [t for op in self.operations for t in op.inputs] + self.outputs
        self.captured = list(dict.fromkeys(t for t in inputs if not self._is_own(t)))
        controls = [c for op in self.operations for c in op.control_inputs]
        self.controls = list(dict.fromkeys(c for c in controls if c.block is not block))
        self.writes = list(dict.fromkeys(v for op in self.operations for v in op.writes))
        self.bits = {op: 1 << i for i, op in enumerate(o for o in self.operations if o.writes)}
        self.before: dict[Operation, int] = {}
        for op in self.operations:
            known = 0
            for other in self._needs(op):
                known |= self.before[other] | self.bits.get(other, 0)
            self.before[op] = known

    def _is_own(self, tensor: Tensor) -> bool:
        return tensor.op.block is self.block

    def _needs(self, op: Operation) -> list[Operation]:
        found = [*(t.op for t in op.inputs), *op.control_inputs]
        return [o for o in found if o.block is self.block]

    def _collect_needed(self) -> list[Operation]:
        """Return the block's operations on which the outputs depend, in the order of their creation."""
        waiting = [t.op for t in self.outputs if self._is_own(t)]
        seen: set[Operation] = set()
        while waiting:
            op = waiting.pop()
            if op not in seen:
                seen.add(op)
                waiting.extend(self._needs(op))
        return [op for op in self.block.operations if op in seen]

    def sources(self, output: Tensor) -> tuple[set[Tensor], set]:
        """Return the tensors and variables with respect to which an output is differentiable.

        The tensors are parameters of the part and tensors of outer blocks.
        """
        tensors: set[Tensor] = set()
        variables: set = set()
        seen: set[Tensor] = set()
        waiting = [output]
        while waiting:
            tensor = waiting.pop()
            if tensor in seen or not is_differentiable(tensor):
                continue
            seen.add(tensor)
            if tensor.read_of is not None:
                variables.add(tensor.read_of)
            if not self._is_own(tensor) or tensor.op.type == PARAMETER:
                tensors.add(tensor)
                continue
            op = tensor.op
            links = op.links[tensor.value_index] if op.links else range(len(op.inputs))
            waiting.extend(op.inputs[i] for i in links)
            inner = op.attributes.get("variable_links")
            variables.update(inner[tensor.value_index] if inner else ())
        return tensors, variables

    def compute(self, run: Run, operation: Operation, given: Mapping[Tensor, Any]) -> list:
        """Execute the part and return the values of its outputs.

        Args:
          run: the `Run` that executes the containing operation.
          operation: the operation that contains the part.
          given: the values of the captured tensors and of the parameters.
        """
        return BlockRun(run, operation, self, given).outputs()


class BlockRun(Run):
    """The execution of a branch or a loop body, while the program that contains it is traced."""

    def __init__(self, outer: Run, operation: Operation, part: Part, given):
        order = types.SimpleNamespace(
            fed=outer.plan.fed, copied=outer.plan.copied, before=part.before, bits=part.bits
        )
        super().__init__(order, {*outer.known, *outer.versions}, outer.counters)  # type: ignore[arg-type]
        self._outer, self._operation, self._part = outer, operation, part
        self.values = dict(given)
        self.is_ahead = outer.is_ahead

    def outputs(self) -> list:
        """Execute all operations of the block, and return the values of its outputs."""
        for op in self._part.operations:
            self.execute(op)
        return [self.result(t) for t in self._part.outputs]

    def at_start(self, variable):
        """Return the value that a variable has at the start of the block.

        In a loop body, an assigned variable has the value from the previous iteration.
        """
        if variable in self._operation.writes:
            return state.read(variable.slot) if self.has_value(variable) else state.UNKNOWN
        return self._outer.read(variable, self._operation)

    def execute(self, op: Operation) -> None:
        """Execute an operation of the block; reject Python operations, which cannot be traced."""
        if op.on_host and "traced" in op.attributes:
            results = op.attributes["traced"](op, self.operands(op))
            self.values.update(zip(op.outputs, results, strict=True))
            return
        if op.on_host:
            raise errors.UnimplementedError(
                errors.message(
                    "Session.run",
                    f"{op.name} calls a Python function, which is not supported inside a branch or a loop.",
                    do="move the operation out of the branch or the loop",
                )
            )
        super().execute(op)

    def read_by(self, tensor: Tensor, reader: Operation):
        """Return the value of a variable as the operation `reader` sees it.

        tensor: a tensor that reads the variable.
        """
        if self._is_outer(tensor) and tensor.read_of.is_resource:
            return self.values[tensor]
        return super().read_by(tensor, reader)

    def result(self, tensor: Tensor):
        """Return the value of an output of the block."""
        if self._is_outer(tensor) and tensor.read_of is not None and tensor.read_of.is_resource:
            return self.values[tensor]
        return super().result(tensor)

    def _is_outer(self, tensor: Tensor) -> bool:
        return tensor.op.block is not self._part.block


PARAMETER = "Parameter"


def parameter(graph: Graph, name: str, shape, dtype) -> Tensor:
    """Create a placeholder for a value that a loop body or function receives at each execution."""
    op = Operation(graph, PARAMETER, name, _read_parameter, (), [(shape, dtype)])
    op.links = (frozenset(),)
    return op.outputs[0]


def _read_parameter(run, op, values):
    del values
    return [run.values[op.outputs[0]]]


def record(graph: Graph, call: Callable[[], Sequence[Tensor]]) -> Part:
    """Call a function, and record the operations that it adds to a graph as a `Part`.

    Args:
      graph: the graph.
      call: a function without arguments that returns the output tensors.
    """
    with graph.nested_block() as block:
        outputs = call()
        for tensor in outputs:
            capture(graph, tensor)
    return Part(block, outputs)


def add_outer(
    graph: Graph,
    type_: str,
    name: str,
    compute: Callable,
    inputs: Sequence[Tensor],
    outputs: Sequence[tuple],
    parts: Sequence[Part],
) -> Operation:
    """Add the operation that executes recorded parts, such as a conditional or a loop.

    Args:
      graph: the graph.
      type_: TensorFlow's type of the operation.
      name: the unique name.
      compute: see `Operation`.
      inputs: the inputs of the operation; the tensors captured by the parts are appended.
      outputs: the shapes and dtypes of the outputs.
      parts: the branches, or the condition and the body.
    """
    captured = dict.fromkeys(t for part in parts for t in part.captured)
    controls = dict.fromkeys(graph.present_control_inputs())
    controls.update(dict.fromkeys(c for part in parts for c in part.controls))
    op = Operation(graph, type_, name, compute, [*inputs, *captured], outputs, list(controls))
    op.attributes["blocks"] = tuple(part.block for part in parts)
    op.attributes["parts"] = tuple(parts)
    op.writes = tuple(dict.fromkeys(v for part in parts for v in part.writes))
    return op


def link(
    op: Operation, part: Part, places: Mapping[Tensor, int], count: int = 0, back_prop: bool = True
) -> None:
    """Record the inputs and variables with respect to which the outputs of `op` are differentiable.

    Args:
      op: the loop or function operation.
      part: its recorded body.
      places: a dict from parameters of the body to the index of the input that provides the initial
        value.
      count: the number of loop-carried outputs, which the next iteration receives as its first
        parameters.
      back_prop: whether the outputs are differentiable.
    """
    none: frozenset = frozenset()
    if not back_prop:
        op.links = op.attributes["variable_links"] = (none,) * len(part.outputs)
        return
    found = [part.sources(t) for t in part.outputs]
    carried = {t: i for i, t in enumerate(places) if i < count}
    reached = _outputs_of_earlier_iterations([tensors for tensors, _ in found], carried)
    first = {t: i for i, t in reversed(list(enumerate(op.inputs)))}
    own = [{places[t] if t in places else first[t] for t in tensors} for tensors, _ in found]
    starts = list(places.values())[:count]
    op.links = tuple(
        none.union(*(own[i] for i in mine), (starts[i] for i in mine if i < count))
        for mine in reached
    )
    op.attributes["variable_links"] = tuple(
        none.union(*(found[i][1] for i in mine)) for mine in reached
    )


def _outputs_of_earlier_iterations(
    sources: Sequence, carried: Mapping[Tensor, int]
) -> list[set[int]]:
    """Return, for each output of a loop body, all outputs on which it depends over many iterations.

    The output itself is included.

    Args:
      sources: for each output the tensors on which it depends within one iteration.
      carried: a dict from parameters to the output of the previous iteration that each receives.
    """
    reached = [{i} for i in range(len(sources))]
    changed = True
    while changed:
        changed = False
        for mine in reached:
            more = {carried[t] for i in mine for t in sources[i] if t in carried} - mine
            mine |= more
            changed = changed or bool(more)
    return reached


def begin(run: Run, op: Operation) -> None:
    """Read the variables that the branches or loop body of an operation use, before tracing these."""
    for block in op.attributes["blocks"]:
        for inner in block.operations:
            for variable in inner.attributes.get("variables", ()):
                if run.has_value(variable):
                    run.read(variable, op)
            if "blocks" in inner.attributes:
                begin(run, inner)


def finish(run: Run, op: Operation) -> None:
    """Make the assignments in an operation's branches or loop body visible to later operations."""
    for variable in op.writes:
        run.versions.setdefault(variable, []).append((op, state.read(variable.slot)))


def passed_on(
    graph: Graph, tensors: Sequence[Tensor], names: Sequence[str], type_: str
) -> list[Tensor]:
    """Add an identity operation with the given name for each tensor; return the outputs."""
    found = []
    for tensor, name in zip(tensors, names, strict=True):
        unique = graph.unique_name(name)
        spec = (tensor.shape, tensor.dtype)
        shown = Operation(graph, type_, unique, _pass_through, [tensor], [spec])
        shown.links = (frozenset([0]),)
        found.append(shown.outputs[0])
    return found


def _pass_through(run, op, values):
    del run, op
    return values
