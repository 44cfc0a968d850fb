"""Choose the target that suits each file: JAX, `shims`, or a TensorFlow 1 graph on `shims.compat.v1`.

The files that pass tensors of one graph to each other must be converted together. So a file belongs to a graph program
if it builds a graph, or if it would run in one and a file of the program imports it or is imported by it, directly or
through files without TensorFlow.
"""

from __future__ import annotations

import collections
import os.path
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from tf2jax_port.rewrite.findings.findings import GraphFit, State, count_states
from tf2jax_port.rewrite.findings.ledger import Choice, Entry, Skipped
from tf2jax_port.rewrite.options import TARGETS

_SHOWN = 2


class Facts(NamedTuple):
    """The facts about a file with references to TensorFlow.

    Attributes:
      graph: whether it is a part of a graph program.
      states: for each target the number of references in each state.
    """

    graph: GraphFit
    states: dict[str, dict[str, int]]


def choose(
    facts: Mapping[str, Facts], imports: Iterable[tuple[str, str]] = ()
) -> dict[str, Choice]:
    """Return the target that suits each file.

    Args:
      facts: the files with references to TensorFlow.
      imports: pairs of a file and a file that it imports, also of files without such references.
    """
    joined = _graph_programs(facts, imports)
    return {path: _choose_one(each, joined.get(path, "")) for path, each in facts.items()}


def try_targets(run: Callable[[str], Entry | Skipped]) -> Facts | None:
    """Rewrite a file with every target that may suit it; return `None` if it has no references.

    Args:
      run: returns the result for a target.
    """
    states: dict[str, dict[str, int]] = {}
    fit = GraphFit()
    for target in TARGETS:
        if target == "graph" and fit.kind == "no":
            continue
        result = run(target)
        if isinstance(result, Skipped) or not result.outcome.findings:
            return None
        fit = result.outcome.graph
        states[target] = count_states(result.outcome.findings)
    return Facts(fit, states)


def _choose_one(facts: Facts, joined: str) -> Choice:
    manual = {target: states[State.MANUAL] for target, states in facts.states.items()}
    if facts.graph.kind == "needed" or joined:
        why = f"the code of this file runs in the graph that `{os.path.basename(joined)}` builds"
        if not joined:
            why = f"the file builds a graph: {_listed(facts.graph.names)}"
        lacking = f"; {_left(manual['graph'])}" if manual["graph"] else ""
        return Choice("graph", why + lacking, facts.states)
    if manual["shims"] < manual["jax"]:
        why = f"with `shims`, {_left(manual['shims'])}; with JAX, {manual['jax']}"
        return Choice("shims", why, facts.states)
    why = f"with JAX, {_left(manual['jax'])}"
    if manual["jax"]:
        why += " (the minimum)"
    return Choice("jax", why, facts.states)


def _left(count: int) -> str:
    if count < 2:
        return f"{count or 'no'} reference needs manual work"
    return f"{count} references need manual work"


def _listed(names: tuple[str, ...]) -> str:
    more = len(names) - _SHOWN
    shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
    return shown + (f" and {more} more" if more > 0 else "")


def _graph_programs(
    facts: Mapping[str, Facts], imports: Iterable[tuple[str, str]]
) -> dict[str, str]:
    """Return the files that join a graph program, and for each the nearest file that builds the graph."""
    beside: dict[str, list[str]] = collections.defaultdict(list)
    for one, other in imports:
        beside[one].append(other)
        beside[other].append(one)
    joined: dict[str, str] = {}
    waiting = collections.deque((path, path) for path, each in facts.items() if each.graph.spreads)
    seen = {path for path, _ in waiting}
    while waiting:
        path, builder = waiting.popleft()
        for other in beside[path]:
            if other in seen or not _may_join(facts, other, beside[other]):
                continue
            seen.add(other)
            waiting.append((other, builder))
            if other in facts and facts[other].graph.kind == "possible":
                joined[other] = builder
    return joined


def _may_join(facts: Mapping[str, Facts], path: str, beside: Iterable[str]) -> bool:
    """Return whether tensors of a graph may pass through a file: it and the files beside it are not eager."""
    return not any(_is_eager(facts, each) for each in (path, *beside))


def _is_eager(facts: Mapping[str, Facts], path: str) -> bool:
    return path in facts and facts[path].graph.kind == "no"
