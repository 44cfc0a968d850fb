"""Group the operations of a graph by their name scopes, so that each group can become a function."""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tf2jax_port.exporting.original import statement_of
from tf2jax_port.exporting.step import Step, Version

_FEWEST = 2  # statements of the original program that are worth a function
_FEWEST_REPEATED = 6  # operations that are worth a function if they repeat
_TRIVIAL = ("Const", "Merge", "Exit", "Identity", "TensorArrayGatherV3", "NoOp")


@dataclasses.dataclass
class Group:
    """Operations that become a function.

    Args:
      scope: the name scope, as in `bert/encoder/layer_0`; empty for the whole.
      items: operations and inner groups, each after what it needs.
    """

    scope: str
    items: list[Any]

    def operations(self) -> Iterator[Any]:
        """Yield all operations, including the operations of inner groups."""
        for item in self.items:
            if isinstance(item, Group):
                yield from item.operations()
            else:
                yield item


class Grouping:
    """Divides operations into nested groups.

    Args:
      step: the step that the operations belong to.
      operations: the operations, in the order of the plan.
    """

    def __init__(self, step: Step, operations: Sequence[Any]):
        self.step, self.operations = step, list(operations)
        self.scopes = {op: tuple(op.name.split("/")[:-1]) for op in self.operations}
        self.users: dict[Any, list[Any]] = {op: [] for op in self.operations}
        for op in self.operations:
            for before in self._before(op):
                self.users[before].append(op)
        self._move_computations_of_parameters()

    def whole(self) -> Group:
        """Return all operations as one group that holds the others."""
        return Group("", self._divided(self.operations, 0))

    def _before(self, op: Any) -> list[Any]:
        keys = [*self.step.inputs_of(op), *self.step.before_update(op)]
        found = dict.fromkeys(self.step.producer(k) for k in keys)
        return [p for p in found if p in self.users]

    def _move_computations_of_parameters(self) -> None:
        """Move what depends on variables alone to the scope of its users, such as penalties."""
        alone: set[Any] = set()
        for op in self.operations:
            keys = self.step.inputs_of(op)
            tensors = [k for k in keys if not isinstance(k, Version)]
            if (
                keys and not op.writes and all(self.step.producer(t) in alone for t in tensors)
            ) or op.type == "Const":
                alone.add(op)
        for op in reversed(self.operations):
            users = self.users[op]
            if op in alone and users:
                common = _common([self.scopes[u] for u in users])
                if common[: len(self.scopes[op])] != self.scopes[op]:
                    self.scopes[op] = common

    # ---- one level -------------------------------------------------------------------------------

    def _divided(self, operations: Sequence[Any], depth: int) -> list[Any]:
        """Return operations in groups by the next part of their scopes, in an order that can run."""
        operations = list(operations)
        labels = self._labels(operations, depth)
        parts = self._parts(operations, labels)
        items: list[Any] = []
        for label, members in parts:
            if label is None:
                items.append(members[0])
                continue
            inner = self._divided(members, depth + 1)
            # A scope whose only content is another scope needs no function of its own.
            alone = len(inner) == 1 and isinstance(inner[0], Group)
            scope = self.scopes[members[0]][: depth + 1]
            if scope[-1] != label:  # one of several times that the scope was entered
                scope = _common([self.scopes[op] for op in members])
            items.append(inner[0] if alone else Group("/".join(scope), inner))
        return self._ordered(items)

    def _labels(self, operations: Sequence[Any], depth: int) -> dict[Any, str | None]:
        by_scope: dict[str, list[Any]] = {}
        for op in operations:
            if len(self.scopes[op]) > depth:
                by_scope.setdefault(self.scopes[op][depth], []).append(op)
        found: dict[Any, str | None] = dict.fromkeys(operations)
        for scope, ops in by_scope.items():
            size = _period(ops)
            if size:
                found.update((op, f"{scope} {i // size}") for i, op in enumerate(ops))
            elif _is_worth_a_function(ops):
                found.update(dict.fromkeys(ops, scope))
        return found

    def _parts(
        self, operations: Sequence[Any], labels: dict[Any, str | None]
    ) -> list[tuple[str | None, list[Any]]]:
        """Return the members of each group; a scope is divided where others lie between its parts."""
        part_of: dict[Any, int] = {}
        parts: list[tuple[str | None, list[Any]]] = []
        edges: dict[int, set[int]] = {}
        newest: dict[str, int] = {}
        for op in operations:
            before = {part_of[p] for p in self._before(op) if p in part_of}
            label = labels[op]
            number = newest.get(label) if label is not None else None
            if number is None or _reaches(edges, number, before - {number}):
                number = len(parts)
                parts.append((label, []))
                edges[number] = set()
                if label is not None:
                    newest[label] = number
            part_of[op] = number
            parts[number][1].append(op)
            for other in before - {number}:
                edges[other].add(number)
        return parts

    def _ordered(self, items: list[Any]) -> list[Any]:
        """Return items in topological order; among possible items, the first created comes first."""
        members = {
            i: list(it.operations()) if isinstance(it, Group) else [it]
            for i, it in enumerate(items)
        }
        place = {op: i for i, ops in members.items() for op in ops}
        needs = {
            i: {place[p] for op in ops for p in self._before(op) if p in place} - {i}
            for i, ops in members.items()
        }
        users: dict[int, list[int]] = {i: [] for i in members}
        for i, before in needs.items():
            for other in before:
                users[other].append(i)
        number: Callable[[int], int] = lambda i: min(op.number for op in members[i])
        missing = {i: len(before) for i, before in needs.items()}
        ready = [(number(i), i) for i in members if not missing[i]]
        heapq.heapify(ready)
        found = []
        while ready:
            _, i = heapq.heappop(ready)
            found.append(items[i])
            for user in users[i]:
                missing[user] -= 1
                if not missing[user]:
                    heapq.heappush(ready, (number(user), user))
        return found


def _is_worth_a_function(operations: Sequence[Any]) -> bool:
    """Return whether operations come from several statements of the original program."""
    real = [op for op in operations if op.type not in _TRIVIAL and op.inputs]
    statements = {str(statement_of(op)) for op in real}
    return len(statements) >= _FEWEST


def _period(operations: Sequence[Any]) -> int:
    """Return how many operations repeat in a scope that was entered again and again; 0 if none do."""
    kinds = [op.type for op in operations]
    for size in range(_FEWEST_REPEATED, len(kinds) // 2 + 1):
        if len(kinds) % size == 0 and kinds == kinds[:size] * (len(kinds) // size):
            return size
    return 0


def _reaches(edges: dict[int, set[int]], start: int, ends: set[int]) -> bool:
    waiting, seen = [start], {start}
    while waiting:
        for other in edges[waiting.pop()]:
            if other in ends:
                return True
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return False


def _common(scopes: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    first, *rest = scopes
    length = len(first)
    for scope in rest:
        same = 0
        while same < min(length, len(scope)) and scope[same] == first[same]:
            same += 1
        length = same
    return first[:length]
