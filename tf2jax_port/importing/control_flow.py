"""Find the nodes of the loops and conditionals in TensorFlow 1 graphs.

TensorFlow 1 has no loop operator. `Enter` passes a value into a frame; `Merge` joins it with the
value from `NextIteration`; `Switch` sends it into the body or out through `Exit`, depending on
`LoopCond`. A branch has one `Switch` for each value that goes in and one `Merge` for each value
that comes out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from tf2jax_port.importing.graph import Edge, ImportedGraph, Node
from tf2jax_port.importing.rule import UnsupportedError

ENTER = ("Enter", "RefEnter")
EXIT = ("Exit", "RefExit")
NEXT = ("NextIteration", "RefNextIteration")
MERGE = ("Merge", "RefMerge")
CALL = ("PartitionedCall", "StatefulPartitionedCall")
SWITCH = ("Switch", "RefSwitch")


@dataclasses.dataclass
class Loop:
    """A TensorFlow 1 while loop: its initial values, its condition and the results of its body."""

    name: str
    condition: Edge
    merges: list[str]
    starts: list[Edge]
    nexts: list[Edge]
    constants: dict[str, Edge]  # `Enter` node of a loop-invariant value -> the value


@dataclasses.dataclass
class Branch:
    """A TensorFlow 1 conditional: its predicate, and the values that each of its branches computes."""

    predicate: Edge
    merges: list[str] = dataclasses.field(default_factory=list)
    sides: tuple[list[Edge], list[Edge]] = dataclasses.field(default_factory=lambda: ([], []))
    switches: dict[str, Edge] = dataclasses.field(default_factory=dict)
    outside: list[Edge] = dataclasses.field(default_factory=list)


class ControlFlow:
    """The loops and conditionals of one TensorFlow 1 graph."""

    def __init__(self, graph: ImportedGraph):
        self.graph = graph
        operators = {node.op for node in graph.nodes.values()}
        self.loops = _loops(graph) if operators & set(ENTER) else {}
        self.loop_merges = {merge for loop in self.loops.values() for merge in loop.merges}
        self.tags: dict[str, frozenset[tuple[Edge, int]]] = {}
        self.branches: dict[str, Branch] = {}
        if operators & set(MERGE):
            self._find_branches()

    def loop_of(self, node: Node) -> Loop:
        """Return the loop whose result an `Exit` node returns."""
        frame = self.graph.nodes[self._merge_before(node)]
        return self.loops[_frame_of(self.graph, frame)]

    def position(self, node: Node) -> int:
        """Return the index of the loop variable whose final value an `Exit` node returns."""
        return self.loop_of(node).merges.index(self._merge_before(node))

    def _merge_before(self, node: Node) -> str:
        return self.graph.nodes[node.inputs[0].node].inputs[0].node

    def needs(self, node: Node) -> list[Edge]:
        """Return the edges on which a node depends; a whole loop or conditional counts as one node."""
        if node.op in EXIT:
            loop = self.loop_of(node)
            return [*loop.starts, *loop.constants.values()]
        if node.name in self.branches:
            branch = self.branches[node.name]
            return [branch.predicate, *branch.switches.values(), *branch.outside]
        if node.op in SWITCH and node.inputs[0].node in self.loop_merges:
            return [node.inputs[0]]
        called = self.graph.functions.get(str(node.attribute("f")))
        if node.op in CALL and called is not None:
            used = used_arguments(called)
            named = zip(called.arguments, node.inputs, strict=True)
            return [edge for argument, edge in named if argument in used]
        return list(node.inputs)

    def _find_branches(self) -> None:
        """Group the `Merge` nodes of the graph into conditionals.

        Each node is first tagged with the predicates that it depends on, and with the side of each (0 for false,
        1 for true).
        """
        order = _in_order(self.graph, self.loop_merges)
        groups: list[Branch] = []
        for name in order:
            node = self.graph.nodes[name]
            self.tags[name] = self._tags_of(node)
            if node.op in MERGE and name not in self.loop_merges:
                self._join(node, groups)
        for group in groups:
            self._find_starts(group)

    def _edge_tags(self, edge: Edge) -> frozenset[tuple[Edge, int]]:
        tags = self.tags.get(edge.node, frozenset())
        node = self.graph.nodes.get(edge.node)
        if node is not None and node.op in SWITCH and not self._is_loop_switch(node):
            return tags | {(self._origin(node.inputs[1]), edge.output)}
        return tags

    def _origin(self, edge: Edge) -> Edge:
        """Follow a predicate back through `Identity` nodes to the edge that computes it."""
        node = self.graph.nodes.get(edge.node)
        while node is not None and node.op == "Identity":
            edge = node.inputs[0]
            node = self.graph.nodes.get(edge.node)
        return edge

    def _is_loop_switch(self, node: Node) -> bool:
        predicate = self.graph.nodes.get(node.inputs[1].node)
        return predicate is not None and predicate.op == "LoopCond"

    def _tags_of(self, node: Node) -> frozenset[tuple[Edge, int]]:
        edges = node.inputs[:1] if node.name in self.loop_merges else node.inputs
        found = frozenset().union(*(self._edge_tags(edge) for edge in edges))
        found |= frozenset().union(*(self.tags.get(name, frozenset()) for name in node.controls))
        if node.op in MERGE and node.name not in self.loop_merges:
            predicate = self._predicate(node)[0]
            return frozenset(tag for tag in found if tag[0] != predicate)
        return found

    def _predicate(self, node: Node) -> tuple[Edge, int]:
        """Return the predicate of a `Merge` node, and the index of its input for `True`."""
        if len(node.inputs) == 2:
            first, second = (self._edge_tags(edge) for edge in node.inputs)
            for predicate, side in first:
                if (predicate, 1 - side) in second and (predicate, 1 - side) not in first:
                    return predicate, 0 if side else 1
        raise UnsupportedError(
            "the operation merges values that do not come from the two branches of a single "
            "conditional"
        )

    def _join(self, node: Node, groups: list[Branch]) -> None:
        """Add a `Merge` node to the conditional with the same predicate.

        A new conditional is made if there is none, or if the `Merge` depends on a result of the existing one.
        """
        predicate, true = self._predicate(node)
        above = _above(self.graph, node, self.loop_merges)
        for group in groups:
            if group.predicate == predicate and not above.intersection(group.merges):
                break
        else:
            group = Branch(predicate)
            groups.append(group)
        group.merges.append(node.name)
        group.sides[0].append(node.inputs[1 - true])
        group.sides[1].append(node.inputs[true])
        self.branches[node.name] = group

    def _find_starts(self, group: Branch) -> None:
        """Find the values that enter a conditional: through its switches, or directly from outside."""
        for side, targets in enumerate(group.sides):
            stack, seen = list(targets), set()
            while stack:
                edge = stack.pop()
                if edge.node in seen:
                    continue
                seen.add(edge.node)
                node = self.graph.nodes[edge.node]
                if node.op in SWITCH and self._origin(node.inputs[1]) == group.predicate:
                    group.switches[node.name] = node.inputs[0]
                elif (group.predicate, side) not in self._edge_tags(edge):
                    group.outside.append(edge)
                elif node.name in self.branches and self.branches[node.name] is not group:
                    stack.extend(_ends(self.branches[node.name]))
                else:
                    stack.extend(self.needs(node))


def used_arguments(function: ImportedGraph) -> set[str]:
    """Return the names of a function's arguments on which its results depend."""
    stack, seen = [edge.node for edge in function.results], set()
    while stack:
        name = stack.pop()
        if name in seen:
            continue
        seen.add(name)
        node = function.nodes.get(name)
        if node is None:
            continue
        called = function.functions.get(str(node.attribute("f")))
        if node.op in CALL and called is not None:
            used = used_arguments(called)
            named = zip(called.arguments, node.inputs, strict=True)
            stack.extend(edge.node for argument, edge in named if argument in used)
        else:
            stack.extend(edge.node for edge in node.inputs)
    return seen.intersection(function.arguments)


def _ends(branch: Branch) -> list[Edge]:
    return [branch.predicate, *branch.sides[0], *branch.sides[1]]


def _frame_of(graph: ImportedGraph, merge: Node) -> str:
    for edge in merge.inputs:
        node = graph.nodes.get(edge.node)
        if node is not None and node.op in ENTER:
            return str(node.attribute("frame_name"))
    raise UnsupportedError("the operation exits from a loop that was not entered")


def _loops(graph: ImportedGraph) -> dict[str, Loop]:
    found: dict[str, Loop] = {}
    for node in graph.nodes.values():
        if node.op in ENTER:
            name = str(node.attribute("frame_name"))
            loop = found.setdefault(name, Loop(name, Edge("", 0), [], [], [], {}))
            loop.constants[node.name] = node.inputs[0]
    for node in graph.nodes.values():
        kinds = [graph.nodes[e.node].op if e.node in graph.nodes else "" for e in node.inputs]
        if node.op in MERGE and any(kind in NEXT for kind in kinds):
            loop = found[_frame_of(graph, node)]
            start = next(e for e, k in zip(node.inputs, kinds, strict=True) if k in ENTER)
            back = next(e for e, k in zip(node.inputs, kinds, strict=True) if k in NEXT)
            loop.merges.append(node.name)
            loop.starts.append(loop.constants.pop(start.node))
            loop.nexts.append(graph.nodes[back.node].inputs[0])
        elif node.op in SWITCH and graph.nodes[node.inputs[1].node].op == "LoopCond":
            loop = found[_frame_of(graph, graph.nodes[node.inputs[0].node])]
            loop.condition = graph.nodes[node.inputs[1].node].inputs[0]
    return found


def _incoming(node: Node, loop_merges: Iterable[str]) -> list[str]:
    """Return the names of a node's direct dependencies, without a loop's back edge."""
    if node.name in loop_merges:
        return [node.inputs[0].node]
    return [*(edge.node for edge in node.inputs), *node.controls]


def _in_order(graph: ImportedGraph, loop_merges: set[str]) -> list[str]:
    """Return the names of all nodes in topological order, ignoring the back edges of loops."""
    order: dict[str, None] = {}
    for start in graph.nodes:
        stack = [(start, False)]
        while stack:
            name, ready = stack.pop()
            if name in order or name not in graph.nodes:
                continue
            if ready:
                order[name] = None
                continue
            stack.append((name, True))
            before = _incoming(graph.nodes[name], loop_merges)
            stack.extend((other, False) for other in before if other not in order)
    return list(order)


def _above(graph: ImportedGraph, node: Node, loop_merges: set[str]) -> set[str]:
    """Return the names of all direct and indirect dependencies of a node."""
    seen: set[str] = set()
    stack = [node.name]
    while stack:
        for name in _incoming(graph.nodes[stack.pop()], loop_merges):
            if name not in seen and name in graph.nodes:
                seen.add(name)
                stack.append(name)
    return seen
