"""Write branches: `if` for a Python bool, `lax.cond` for an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tf2jax_port.exporting.body_parts import run_part
from tf2jax_port.exporting.expressions import TERNARY, Expression
from tf2jax_port.exporting.original import statement_of


def write(body: Any, op: Any) -> None:
    """Write a conditional operation."""
    used = body.keys_used_by(op)
    predicate = body.find(body.step.key(op.inputs[0], op))
    wanted = [t for t in op.outputs if body.uses.get(t)]
    if not wanted:
        return
    places = [t.value_index for t in wanted]
    if predicate.is_static:
        _write_if(body, op, predicate, wanted, places, used)
    else:
        _write_cond(body, op, predicate, wanted, places, used)


def _write_if(
    body: Any, op: Any, predicate: Any, wanted: list[Any], places: list[int], used: list[Any]
) -> None:
    """Write `if` and `else`, or a conditional expression where neither needs a statement."""
    sides = []
    for part in op.attributes["parts"]:
        inner = body.inner(is_function=False)
        inner.at = statement_of(op)
        keys = run_part(inner, part, places)
        sides.append((inner, keys))
    if len(wanted) == 1 and not any(inner.lines for inner, _ in sides):
        yes, no = (inner.find(keys[0]) for inner, keys in sides)
        if len(yes.text) + len(no.text) < 70:
            found = Expression(
                f"{yes.at(1)} if {predicate.text} else {no.at(1)}",
                TERNARY,
                is_static=yes.is_static and no.is_static,
                hint=yes.hint,
            )
            body.produce(op, wanted, lambda: found)
            return
    body.done(used)
    body._forget(used)
    names = _names(body, op, wanted, *sides[0])
    body.write(f"if {predicate.text}:", statement_of(op))
    for (inner, keys), is_second in zip(sides, (False, True), strict=True):
        if is_second:
            body.write("else:")
        _assign_results(inner, keys, names)
        body.lines += inner.lines
    _bind(body, wanted, names)


def _assign_results(inner: Any, keys: Any, names: Any) -> None:
    """Write the assignments of the results of one side, each before a name that it uses is changed."""
    left = {n: inner.find(k) for n, k in zip(names, keys, strict=True) if inner.find(k).text != n}
    if not left and not inner.lines:
        inner.write("pass")
    while left:
        free = [n for n in left if not any(e.mentions(n) for m, e in left.items() if m != n)]
        if not free:
            inner.write(f"{', '.join(left)} = {', '.join(e.text for e in left.values())}")
            return
        inner.write(f"{free[0]} = {left.pop(free[0]).text}")


def _write_cond(
    body: Any, op: Any, predicate: Any, wanted: list[Any], places: list[int], used: list[Any]
) -> None:
    """Write both sides as functions, and `lax.cond`."""
    statement = statement_of(op)
    for key in used:
        if key in body.pending:
            body.settle(key)
    functions = []
    sides = []
    for part, label in zip(op.attributes["parts"], ("true", "false"), strict=True):
        name = body.names.new(f"if_{label}")
        functions.append(name)
        inner = body.inner()
        keys = run_part(inner, part, places)
        sides.append((inner, keys))
        body.write(f"def {name}():", statement)
        body.lines += inner.lines
        inner.lines = []
        inner.write(f"return {inner.result_text(keys)}")
        body.lines += [*inner.lines, ""]
    names = _names(body, op, wanted, *sides[0])
    predicate = body.find(body.step.key(op.inputs[0], op))
    body.write(f"{', '.join(names)} = lax.cond({predicate.text}, {', '.join(functions)})")
    body.done(used)
    _bind(body, wanted, names)


def _names(body: Any, op: Any, wanted: list[Any], inner: Any, keys: list[Any]) -> list[str]:
    """Return a name for each result: the first is what the original assigns."""
    found = []
    for i, (key, result) in enumerate(zip(wanted, keys, strict=True)):
        shown = inner.find(result)
        own = shown.is_name and any(shown.text in names for names in inner.extra.values())
        hint = shown.hint
        found.append(shown.text if own else body.name_for(op, key, 0, 1, hint if i or hint else ""))
    return found


def _bind(body: Any, keys: Sequence[Any], names: Sequence[str]) -> None:
    for key, name in zip(keys, names, strict=True):
        body.bind(key, name)
