"""Sort the nodes of a graph topologically; nodes that depend on each other form one group."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

Node = TypeVar("Node", bound=Hashable)


def groups_in_order(
    needs: Mapping[Node, Iterable[Node]], key: Callable[[frozenset[Node]], Any]
) -> list[frozenset[Node]]:
    """Return the strongly connected components of a graph in topological order.

    Among the components whose dependencies precede, the one with the smallest key comes next.

    Args:
      needs: the dependencies of each node.
      key: returns the sort key of a component; keys must be unique.
    """
    groups = _connected_components(needs)
    group_of = {node: group for group in groups for node in group}
    before = {
        group: {group_of[n] for node in group for n in needs[node]} - {group} for group in groups
    }
    after: dict[frozenset[Node], set[frozenset[Node]]] = {group: set() for group in groups}
    for group, earlier in before.items():
        for other in earlier:
            after[other].add(group)
    waiting = {group: len(earlier) for group, earlier in before.items()}
    free = [(key(group), group) for group in groups if not waiting[group]]
    heapq.heapify(free)
    order = []
    while free:
        _, group = heapq.heappop(free)
        order.append(group)
        for other in after[group]:
            waiting[other] -= 1
            if not waiting[other]:
                heapq.heappush(free, (key(other), other))
    return order


def _connected_components(needs: Mapping[Node, Iterable[Node]]) -> list[frozenset[Node]]:
    """Find the strongly connected components with Tarjan's algorithm, without recursion."""
    index: dict[Node, int] = {}
    lowest: dict[Node, int] = {}
    open_: list[Node] = []
    groups: list[frozenset[Node]] = []
    is_open: set[Node] = set()
    for root in needs:
        if root in index:
            continue
        work = [(root, iter(needs[root]))]
        index[root] = lowest[root] = len(index)
        open_.append(root)
        is_open.add(root)
        while work:
            node, rest = work[-1]
            following = next((n for n in rest if n not in index or n in is_open), None)
            if following is None:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[node])
                if lowest[node] == index[node]:
                    at = open_.index(node)
                    groups.append(frozenset(open_[at:]))
                    is_open -= groups[-1]
                    del open_[at:]
            elif following in index:
                lowest[node] = min(lowest[node], index[following])
            else:
                index[following] = lowest[following] = len(index)
                open_.append(following)
                is_open.add(following)
                work.append((following, iter(needs[following])))
    return groups
