"""Write loops as `lax.scan`, `lax.map` and `lax.while_loop`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tf2jax_port.exporting.body_parts import run_part
from tf2jax_port.exporting.expressions import ATOM, Expression, tuple_of
from tf2jax_port.exporting.naming import wanted_name
from tf2jax_port.exporting.original import statement_of
from tf2jax_port.importing.rule import UnsupportedError


def write(body: Any, op: Any) -> None:
    """Write a loop."""
    kind, parameters = op.attributes["loop"]
    used = body.keys_used_by(op)
    inputs = [body.find(body.step.key(t, op)) for t in op.inputs]
    captured = op.inputs[len(parameters[0]) :]
    if kind == "limited while_loop":
        raise UnsupportedError("a loop with a maximum number of iterations has no rule")
    for tensor in captured:
        key = body.step.key(tensor, op)
        if key in body.pending:
            body.settle(key)
    if kind == "dynamic_rnn":
        _write_rnn(body, op, parameters[0], inputs)
    elif kind == "map_fn":
        _write_map(body, op, parameters[0], inputs)
    elif kind == "while_loop":
        _write_while(body, op, parameters, inputs)
    else:
        _write_fold(body, op, kind, parameters[0], inputs)
    body.done(used)
    body._forget(used)


def _bind(body: Any, tensors: Sequence[Any], names: Sequence[str]) -> None:
    for tensor, name in zip(tensors, names, strict=True):
        body.bind(tensor, name)


def _parameters(inner: Any, tensors: Sequence[Any], names: Sequence[str]) -> list[str]:
    """Give the parameters of a loop body names; return them."""
    found = [inner.names.new(name) for name in names]
    _bind(inner, tensors, found)
    return found


def _tuple(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def _results(body: Any, op: Any, tensors: Sequence[Any], hint: str = "") -> list[str]:
    """Return a name for each result of a loop, `_` for one that nothing uses."""
    names = []
    for tensor in tensors:
        shown = _shown(body, tensor)
        names.append(body.name_for(op, shown, hint=hint) if body.uses.get(tensor) else "_")
    _bind(
        body,
        [t for t, n in zip(tensors, names, strict=True) if n != "_"],
        [n for n in names if n != "_"],
    )
    return names


def _shown(body: Any, tensor: Any) -> Any:
    """Return the tensor that carries the name of a loop's result: the `Identity` after it, if any."""
    user = body.user.get(tensor)
    if (
        user is not None
        and hasattr(user, "outputs")
        and len(user.inputs) == 1
        and len(user.outputs) == 1
    ):
        return user.outputs[0]
    return tensor


def _state_names(count: int) -> list[str]:
    """Return names for the state of a cell: `c` and `h` for the two parts of an LSTM's state."""
    known = {1: ["h"], 2: ["c", "h"]}
    return known.get(count) or [f"state_{i + 1}" for i in range(count)]


def _head(body: Any, name: str, arguments: Sequence[tuple[str, Sequence[str]]], at: Any) -> None:
    """Write the head of a function of a loop; an argument of several parts is unpacked."""
    body.lines.append("")
    shown = [parts[0] if len(parts) == 1 else whole for whole, parts in arguments]
    body.write(f"def {name}({', '.join(shown)}):", at)
    indent = "    " * (body.depth + 1)
    body.lines += [f"{indent}{', '.join(p)} = {whole}" for whole, p in arguments if len(p) > 1]


def _finish(body: Any, inner: Any, parts: Sequence[tuple[Sequence[str], Sequence[Any]]]) -> None:
    """Write the results of a function of a loop; long results get names first.

    parts: for each result, which may be a tuple, the names that its elements get, and their keys.
    """
    texts = [[inner.find(k).text for k in keys] for _, keys in parts]
    if sum(len(t) for ts in texts for t in ts) > 60:
        for (names, _), found in zip(parts, texts, strict=True):
            for i, (name, text) in enumerate(zip(names, found, strict=True)):
                if len(text) > 20:
                    found[i] = inner.names.new(name)
                    inner.write(f"{found[i]} = {text}")
    inner.write(f"return {', '.join(_tuple(found) for found in texts)}")
    body.lines += [*inner.lines, ""]
    inner.lines = []


def _write_rnn(body: Any, op: Any, parameters: Sequence[Any], inputs: Sequence[Expression]) -> None:
    """Write the loop of `dynamic_rnn` as `lax.scan` over time."""
    part = op.attributes["parts"][0]
    outputs = len(op.outputs)
    carried = 1
    while carried < outputs and op.outputs[carried].shape.rank == part.outputs[carried].shape.rank:
        carried += 1
    carried = min(carried, len(parameters) - 1)
    time, kept, slices = parameters[0], parameters[1:carried], parameters[carried:]
    uses_time = any(
        time in o.inputs for o in part.operations if o.type != "AddV2" or len(o.inputs) > 1
    )
    inner = body.inner(is_loop=True)
    inner.at = statement_of(op)
    statement = statement_of(op)
    name = body.names.new("step")
    state = _parameters(inner, kept, _state_names(len(kept)))
    given = _parameters(inner, slices, ["x"] * len(slices))
    if uses_time:
        clock = _parameters(inner, [time], ["time"])
    keys = run_part(inner, part, range(1, len(part.outputs)))
    taken = [*(clock if uses_time else []), *given]
    _head(body, name, [("carry", state), ("inputs", taken)], statement)
    count = len(kept)
    fresh, shown = [f"new_{one}" for one in state], ["output"] * (len(keys) - count)
    _finish(body, inner, [(fresh, keys[:count]), (shown, keys[count:])])
    start = [inputs[i].text for i in range(1, 1 + count)]
    rows = [e.text for e in inputs[1 + count : 1 + count + len(slices)]]
    if uses_time:
        rows = [f"jnp.arange({rows[0]}.shape[0])", *rows]
    final = _results(body, op, op.outputs[1 : 1 + count], "final_state")
    names = [*final, *_results(body, op, op.outputs[1 + count :], "outputs")]
    last = "_" if set(names[:count]) == {"_"} else _tuple(names[:count])
    body.write(
        f"{last}, {_tuple(names[count:])} = lax.scan({name}, {_tuple(start)}, {_tuple(rows)})"
    )


def _write_map(body: Any, op: Any, parameters: Sequence[Any], inputs: Sequence[Expression]) -> None:
    part = op.attributes["parts"][0]
    inner = body.inner(is_loop=True)
    inner.at = statement_of(op)
    statement = statement_of(op)
    name = body.names.new("apply")
    given = _parameters(inner, parameters, [wanted_name(t) for t in op.inputs[: len(parameters)]])
    keys = run_part(inner, part, range(len(part.outputs)))
    _head(body, name, [("row", given)], statement)
    inner.write(f"return {inner.result_text(keys)}")
    body.lines += [*inner.lines, ""]
    inner.lines = []
    names = _results(body, op, op.outputs)
    rows = _tuple([e.text for e in inputs[: len(parameters)]])
    body.write(f"{', '.join(names)} = lax.map({name}, {rows})")


def _write_fold(
    body: Any, op: Any, kind: str, parameters: Sequence[Any], inputs: Sequence[Expression]
) -> None:
    """Write `scan`, `foldl` or `foldr` as `lax.scan`."""
    part = op.attributes["parts"][0]
    count = len(part.outputs)
    rows = len(parameters) - count
    statement = statement_of(op)
    starts = len(op.inputs) - len(part.captured)
    has_start = starts == count + rows
    inner = body.inner(is_loop=True)
    inner.at = statement_of(op)
    name = body.names.new("step")
    wanted = ["carry"] if count == 1 else [f"carry_{i + 1}" for i in range(count)]
    state = _parameters(inner, parameters[:count], wanted)
    given = _parameters(inner, parameters[count:], ["x"] * rows)
    keys = run_part(inner, part, range(count))
    _head(body, name, [("carry", state), ("row", given)], statement)
    texts = [inner.find(k) for k in keys]
    fresh = [
        t.text if t.is_name else inner.names.new(f"new_{n}")
        for t, n in zip(texts, state, strict=True)
    ]
    for n, t in zip(fresh, texts, strict=True):
        if n != t.text:
            inner.write(f"{n} = {t.text}")
    inner.write(f"return {_tuple(fresh)}, {_tuple(fresh) if 'scan' in kind else 'None'}")
    body.lines += [*inner.lines, ""]
    inner.lines = []
    elements = inputs[count : count + rows] if has_start else inputs[:rows]
    start = inputs[:count] if has_start else None
    _call_scan(body, op, kind, name, start, elements)


def _call_scan(
    body: Any,
    op: Any,
    kind: str,
    name: str,
    given: Sequence[Expression] | None,
    elements: Sequence[Expression],
) -> None:
    """Write the call of `lax.scan` for `scan`, `foldl` or `foldr`.

    given: the initial accumulators; `None` to begin with the first elements.
    """
    backwards = kind in ("foldr", "reversed scan")
    names = _results(body, op, op.outputs)
    edge, rest = ("-1", ":-1") if backwards else ("0", "1:")
    start = [e.text if given else f"{e.at(ATOM)}[{edge}]" for e in given or elements]
    over = [e.text if given else f"{e.at(ATOM)}[{rest}]" for e in elements]
    options = ", reverse=True" if backwards else ""
    call = f"lax.scan({name}, {_tuple(start)}, {_tuple(over)}{options})"
    if "scan" not in kind:
        body.write(f"{_tuple(names)}, _ = {call}")
        return
    body.write(f"_, {_tuple(names)} = {call}")
    for n, first in zip(names, start, strict=True) if not given else ():
        joined = f"{n}, {first}[None]" if backwards else f"{first}[None], {n}"
        body.write(f"{n} = jnp.concatenate(({joined}))")


def _write_while(body: Any, op: Any, parameters: Any, inputs: Sequence[Expression]) -> None:
    """Write `lax.while_loop`.

    Raises:
      UnsupportedError: its gradient is needed, which JAX has for a known number of iterations only.
    """
    if op.attributes.get("differentiated"):
        raise UnsupportedError(
            "JAX cannot compute the gradient of a loop whose number of iterations depends on data; this gradient "
            "needs `shims`"
        )
    condition, loop_body = op.attributes["parts"]
    count = len(parameters[1])
    statement = statement_of(op)
    wanted = [wanted_name(t) for t in op.inputs[:count]]
    functions = []
    for part, tensors, label in (
        (condition, parameters[0], "condition"),
        (loop_body, parameters[1], "body"),
    ):
        inner = body.inner(is_loop=True)
        inner.at = statement
        name = body.names.new(label)
        functions.append(name)
        given = _parameters(inner, tensors, wanted)
        keys = run_part(inner, part, range(len(part.outputs)))
        _head(body, name, [("carry", given)], statement)
        body.lines += inner.lines
        inner.lines = []
        texts = [inner.find(k) for k in keys]
        inner.write(f"return {texts[0].text if len(texts) == 1 else tuple_of(texts).text}")
        body.lines += [*inner.lines, ""]
    names = _results(body, op, op.outputs)
    start = _tuple([e.text for e in inputs[:count]])
    body.write(f"{_tuple(names)} = lax.while_loop({', '.join(functions)}, {start})")
