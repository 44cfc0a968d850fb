"""Random numbers from explicit keys of JAX, for who asks for them: other numbers, equally distributed.

Two kinds of draws can be given a key without changing a function's callers. A stateless one, whose
seed of two integers makes the key. And one among the statements of a program itself: there a key is
made where `tf.random.set_seed` stands, and split before each statement that draws; this is done if
every draw of the file is of that kind. All others stay `shims.random`, with a finding.
"""

from __future__ import annotations

import ast
import dataclasses

from tf2jax_port.rewrite.bind import Refusal, bind_arguments
from tf2jax_port.rewrite.edits import Edit, Piece, Span
from tf2jax_port.rewrite.findings import State
from tf2jax_port.rewrite.knowledge import Known, look_up
from tf2jax_port.rewrite.layout import Argument, call_layout
from tf2jax_port.rewrite.quoted import enclosing_string
from tf2jax_port.rewrite.sites import Decision, File

KEYED, DRAWN = "TJ206", "TJ207"
_OTHER_NUMBERS = "other numbers than TensorFlow's, of the same distribution"
_NEEDS_KEY = (
    "it draws from the state of the program, with TensorFlow's numbers: for JAX's own give the "
    "function a key as a parameter"
)
_KINDS = ("uniform", "normal", "truncated_normal")
_STATELESS = {f"random.stateless_{kind}": kind for kind in _KINDS}
_STATEFUL = {f"random.{kind}": kind for kind in _KINDS}
_FLOATS = ("bfloat16", "double", "float16", "float32", "float64", "half")
_SEED = "random.set_seed"
# Between a statement and a draw in it: whatever else may not be computed, or more than once.
_ONCE = (
    *(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Call, ast.keyword, ast.BinOp),
    *(ast.UnaryOp, ast.Tuple, ast.List, ast.Dict, ast.Attribute, ast.Subscript, ast.Starred),
)
_BLOCKS = (ast.Module, ast.If, ast.For, ast.While, ast.With, ast.Try)


@dataclasses.dataclass(frozen=True, slots=True)
class _Draw:
    """One call that draws, by the index of its reference."""

    index: int
    kind: str
    call: ast.Call
    arguments: dict[str, Argument]
    comments: bool


def draw_by_keys(file: File, decisions: list[Decision]) -> list[Decision]:
    """The decisions; draws get keys where that is asked for and can be done."""
    options = file.options
    asked = options.random == "keys" and options.target == "jax" and not options.safe_only
    if not asked or b"random" not in file.source.data:
        return decisions
    found = list(decisions)
    stateful: list[_Draw | None] = []
    seeds: list[int] = []
    for index, (reference, decision) in enumerate(zip(file.references, decisions, strict=True)):
        known = look_up(reference)
        if known is None or decision.state is not State.SHIM:
            continue
        name = known.row.name
        if name in _STATELESS:
            draw = _draw(file, known, index, _STATELESS[name])
            found[index] = (draw and _of_seed(file, decision, draw)) or decision
        elif name == _SEED:
            seeds.append(index)
        elif _is_stateful(name):
            stateful.append(_draw(file, known, index, _STATEFUL.get(name, "")))
    _thread(file, found, stateful, seeds)
    return found


def _is_stateful(name: str) -> bool:
    """Whether an operator draws from the state of the program."""
    draws = name.startswith("random.") and not name.startswith("random.stateless_")
    pure = ("split", "fold_in", "create_rng_state", "Algorithm", "set_seed")
    return (draws and name.removeprefix("random.") not in pure) or name in (
        "nn.dropout",
        "image.random_crop",
    )


def _draw(file: File, known: Known, index: int, kind: str) -> _Draw | None:
    """The call of a draw that JAX has too, `None` for any other."""
    node = known.reference.node
    call = file.names.parents[node]
    if not kind or not isinstance(call, ast.Call) or call.func is not node:
        return None
    if known.version_1_params or enclosing_string(file.names, node) is not None:
        return None
    layout = call_layout(file.source, call)
    bound = bind_arguments(layout.arguments, known.row.params or "", known.renames)
    if isinstance(bound, Refusal) or bound.surplus or {"alg", "name"} & bound.arguments.keys():
        return None
    draw = _Draw(index, kind, call, bound.arguments, layout.comments)
    return draw if _has_form(file, draw) else None


def _has_form(file: File, draw: _Draw) -> bool:
    """Whether JAX draws from the same distribution, and the arguments may stand where they would."""
    dtype = draw.arguments.get("dtype")
    reference = file.values.by_node.get(dtype.node) if dtype else None
    if (dtype and (reference is None or reference.path not in _FLOATS)) or draw.comments:
        return False
    for name, argument in draw.arguments.items():
        node = argument.node
        node = node.operand if isinstance(node, ast.UnaryOp) else node
        if name not in ("shape", "seed", "dtype") and not isinstance(node, ast.Constant | ast.Name):
            return False
        if isinstance(node, ast.Constant) and node.value is None:
            return False
    shape = draw.arguments["shape"].node
    return isinstance(shape, ast.List | ast.Tuple | ast.Name | ast.Attribute) and not any(
        node in file.values.by_node for node in ast.walk(shape)
    )


def _of_seed(file: File, decision: Decision, draw: _Draw) -> Decision | None:
    """A stateless draw: its seed is a pair of integers, or a name for one."""
    seed = draw.arguments["seed"].node
    key: tuple[Piece, ...]
    if isinstance(seed, ast.List | ast.Tuple) and len(seed.elts) == 2:
        if not all(isinstance(e, ast.Constant | ast.Name) for e in seed.elts):
            return None
        first, second = (Span(*file.source.span(e)) for e in seed.elts)
        key = ("jax.random.fold_in(jax.random.key(", first, "), ", second, ")")
    elif isinstance(seed, ast.Name):
        name = Span(*file.source.span(seed))
        key = ("jax.random.fold_in(jax.random.key(", name, "[0]), ", name, "[1])")
    else:
        return None
    return _reviewed(decision, KEYED, _OTHER_NUMBERS, (_edit(file, draw, key),))


def _edit(file: File, draw: _Draw, key: tuple[Piece, ...]) -> Edit:
    """The call in the words of `jax.random`."""
    between = "-2.0, 2.0, " if draw.kind == "truncated_normal" else ""
    spans = {name: Span(a.value, a.end) for name, a in draw.arguments.items()}
    pieces: list[Piece] = [f"jax.random.{draw.kind}(", *key, f", {between}", spans["shape"]]
    for name in ("dtype", "minval", "maxval"):
        if name in spans:
            pieces += [f", {name}=", spans[name]]
    pieces.append(")")
    if "stddev" in spans:
        pieces = [spans["stddev"], " * ", *pieces]
    if "mean" in spans:
        pieces = [spans["mean"], " + ", *pieces]
    if spans.keys() & {"mean", "stddev"}:
        pieces = ["(", *pieces, ")"]
    written = (file.spelling.text(p) if isinstance(p, str) else p for p in pieces)
    return Edit(*file.source.span(draw.call), tuple(written))


def _reviewed(
    decision: Decision, code: str, message: str, edits: tuple[Edit, ...] | None = None
) -> Decision:
    kept = decision.edits if edits is None else edits
    return dataclasses.replace(
        decision, state=State.REVIEW, code=code, message=message, edits=kept, plain=False
    )


def _thread(file: File, found: list[Decision], draws: list[_Draw | None], seeds: list[int]) -> None:
    """Gives all stateful draws keys, or none of them; they stand in `found`."""
    by_statement: dict[ast.stmt, list[_Draw]] = {}
    for draw in draws:
        statement = _statement(file, draw) if draw is not None else None
        if draw is not None and statement is not None:
            by_statement.setdefault(statement, []).append(draw)
    start = _start(file, found, seeds)
    placed = sum(map(len, by_statement.values()))
    names = _names(file)
    if start is None or names is None or placed < len(draws) or not draws:
        _leave(file, found)
        return
    if any(statement.lineno < found[seeds[0]].span.lineno for statement in by_statement):
        _leave(file, found)
        return
    key, subkey = names
    text = file.source.data[start.value : start.end].decode()
    pieces = (f"{key} = ", file.spelling.text("jax.random.key("), text, ")\n")
    begin = file.source.span(found[seeds[0]].span)[0]
    edits = (Edit(begin, begin, pieces), *found[seeds[0]].edits)
    found[seeds[0]] = _reviewed(found[seeds[0]], KEYED, _OTHER_NUMBERS, edits)
    for statement, own in by_statement.items():
        subkeys = [subkey if n == 0 else f"{subkey}_{n + 1}" for n in range(len(own))]
        count = f", {len(own) + 1}" if len(own) > 1 else ""
        begin = file.source.span(statement)[0]
        indent = " " * statement.col_offset
        split = file.spelling.text(f"jax.random.split({key}{count})")
        line = f"{', '.join([key, *subkeys])} = {split}\n{indent}"
        for place, (draw, name) in enumerate(zip(own, subkeys, strict=True)):
            edits = (_edit(file, draw, (name,)),)
            if place == 0:
                edits = (Edit(begin, begin, (line,)), *edits)
            found[draw.index] = _reviewed(found[draw.index], KEYED, _OTHER_NUMBERS, edits)


def _leave(file: File, found: list[Decision]) -> None:
    """Says of draws that they are not given keys."""
    for index, reference in enumerate(file.references):
        known = look_up(reference)
        if known and found[index].state is State.SHIM and _is_stateful(known.row.name):
            found[index] = _reviewed(found[index], DRAWN, _NEEDS_KEY)


def _start(file: File, found: list[Decision], seeds: list[int]) -> Argument | None:
    """The seed that the program sets once, in a statement of its own, before anything is drawn."""
    if len(seeds) != 1 or b"tf2jax: ignore" in file.source.data or file.options.per_file:
        return None
    call = found[seeds[0]].span
    statement = file.names.parents.get(call)
    if not isinstance(call, ast.Call) or not isinstance(statement, ast.Expr):
        return None
    if not isinstance(file.names.parents.get(statement), ast.Module):
        return None
    layout = call_layout(file.source, call)
    single = len(layout.arguments) == 1 and not layout.comments
    argument = layout.arguments[0] if single else None
    return argument if argument and isinstance(argument.node, ast.Constant | ast.Name) else None


def _statement(file: File, draw: _Draw) -> ast.stmt | None:
    """The statement of the program itself in which a draw is computed exactly once."""
    for node in file.names.ancestors(draw.call):
        if not isinstance(node, _ONCE):
            return None
        if isinstance(node, ast.stmt):
            return node if _stands_alone(file, node) else None
    return None


def _stands_alone(file: File, statement: ast.stmt) -> bool:
    """Whether another statement may be put on a line before this one, outside of any function."""
    begin = file.source.span(statement)[0]
    line = file.source.data[file.source.starts[statement.lineno - 1] : begin]
    if line.strip(b" ") or file.source.data[begin : begin + 1] == b"(":
        return False
    return all(isinstance(node, _BLOCKS) for node in file.names.ancestors(statement))


def _names(file: File) -> tuple[str, str] | None:
    """What the key and what is split from it are called."""
    used = {*file.spelling.bound, *(name.id for name, _ in file.names.uses)}
    for key, subkey in (("key", "subkey"), ("random_key", "random_subkey")):
        if not any(name == key or name.startswith(subkey) for name in used):
            return key, subkey
    return None
