"""Order functions by who calls whom, so that a fault is reported where it begins."""

from __future__ import annotations

from collections.abc import Iterable

from tf2jax_port.diff.code_bases.call_file import Function

Edges = Iterable[tuple[Function, Function]]


def callees(edges: Edges) -> dict[Function, list[Function]]:
    """Return the functions that each function calls, without itself."""
    found: dict[Function, list[Function]] = {}
    for caller, callee in sorted(edges):
        if caller != callee:
            found.setdefault(caller, []).append(callee)
    return found


def leaves_first(functions: Iterable[Function], edges: Edges) -> list[Function]:
    """Order functions so that each comes after the functions that it calls, unless they call each other."""
    below = callees(edges)
    done: dict[Function, None] = {}
    seen: set[Function] = set()
    wanted = sorted(set(functions))
    for start in wanted:
        pending = [(start, False)]
        while pending:
            function, is_left = pending.pop()
            if is_left:
                done[function] = None
            elif function not in seen:
                seen.add(function)
                pending.append((function, True))
                pending += [(callee, False) for callee in reversed(below.get(function, []))]
    chosen = set(wanted)
    return [function for function in done if function in chosen]


def origins(wrong: set[Function], edges: Edges) -> dict[Function, list[Function]]:
    """Return for each wrong function the wrong functions below it in which its fault may begin.

    If the fault begins in the function itself, the list is empty. Of functions that call each other, none is below
    another.
    """
    below = callees(edges)
    reached = {function: _reached(function, below, wrong) for function in wrong}
    return {
        function: sorted(callee for callee in found if function not in reached[callee])
        for function, found in reached.items()
    }


def _reached(
    function: Function, below: dict[Function, list[Function]], wrong: set[Function]
) -> set[Function]:
    """Return the wrong functions that a function calls, also through others."""
    pending, seen = list(below.get(function, ())), {function}
    while pending:
        callee = pending.pop()
        if callee not in seen:
            seen.add(callee)
            pending += below.get(callee, ())
    return (seen & wrong) - {function}
