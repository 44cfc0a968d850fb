"""Write the recorded operations of a branch or of a loop body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def run_part(inner: Any, part: Any, places: Sequence[int]) -> list[Any]:
    """Write the operations of a part into a body; return the keys of its outputs at the given positions."""
    step = inner.step
    results = [part.outputs[i] for i in places]
    keys = [_key_of_output(step, t, part) for t in results]
    needed = _needed(step, part, keys)
    operations = [op for op in part.operations if op in needed and op.type != "Parameter"]
    inner.count_uses(operations, inner.keys_used_by, keys)
    for op in operations:
        if op.type in ("Identity", "ReadVariableOp") and op.outputs[0].read_of is not None:
            continue
        inner.operation(op)
    return keys


def _key_of_output(step: Any, tensor: Any, part: Any) -> Any:
    inside = next((op for op in part.operations), None)
    return step.key(tensor, inside if inside is not None else tensor.op)


def _needed(step: Any, part: Any, keys: Sequence[Any]) -> set[Any]:
    own = set(part.operations)
    found: set[Any] = set()
    waiting = [step.producer(k) for k in keys]
    while waiting:
        op = waiting.pop()
        if op in own and op not in found:
            found.add(op)
            waiting.extend(step.producer(k) for k in step.inputs_of(op))
    return found
