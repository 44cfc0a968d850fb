"""Write key parameters, key arguments, and the lines that create and split keys."""

from __future__ import annotations

import ast
import bisect
import dataclasses
import io
import tokenize
from collections.abc import Iterable, Iterator

from tf2jax_port.rewrite.random.places import Comprehension, Unit, block_of, first_line, leading
from tf2jax_port.rewrite.reading.layout import call_layout
from tf2jax_port.rewrite.reading.scopes import Function
from tf2jax_port.rewrite.sites.decision import File
from tf2jax_port.rewrite.writing.edits import Edit

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_NAMES = (("key", "subkey"), ("random_key", "random_subkey"), ("jax_key", "jax_subkey"))
_NUMBERS = ("i", "index", "draw_index")


@dataclasses.dataclass(frozen=True, slots=True)
class KeyNames:
    """The variable names that the rewriter adds to a file: of keys, of subkeys, and of an index in a comprehension."""

    key: str
    subkey: str
    number: str

    def subkeys(self, count: int) -> list[str]:
        """Return the names `subkey, subkey_2, ...`."""
        return [self.subkey if n == 0 else f"{self.subkey}_{n + 1}" for n in range(count)]


def choose_names(file: File) -> KeyNames | None:
    """Return variable names for keys that the file does not use, `None` if all candidates are taken.

    Strings count as used names if the file passes `**` arguments, which may turn them into keywords.
    """
    used = {*file.spelling.bound, *(name.id for name, _ in file.names.uses)}
    if any(isinstance(n, ast.keyword) and n.arg is None for n in file.names.parents):
        strings = (n.value for n in file.names.parents if isinstance(n, ast.Constant))
        used |= {text for text in strings if isinstance(text, str)}
        used |= {n.arg for n in file.names.parents if isinstance(n, ast.keyword) and n.arg}
    for key, subkey in _NAMES:
        taken = any(name == key or name.startswith(subkey) for name in used)
        number = next((n for n in _NUMBERS if n not in used), None)
        if not taken and number is not None:
            return KeyNames(key, subkey, number)
    return None


# Parameters and arguments.


def parameter_edit(file: File, function: FunctionNode, key: str) -> Edit | None:
    """Return the edit that adds a keyword-only parameter, `None` if the text cannot be parsed."""
    written = _Parameters.read(file, function)
    if written is None:
        return None
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    own = [a for a in named if a.arg not in ("self", "cls")]
    typed = bool(own) and all(a.annotation is not None for a in own)
    new = f"{key}: {file.spelling.text('jax.Array')}" if typed else key
    star = [] if arguments.vararg or arguments.kwonlyargs else ["*"]
    if arguments.kwarg is not None:
        return Edit(written.double, written.double, (", ".join([*star, new, ""]),))
    text = ", ".join([*star, new])
    if written.last == written.opened:
        return Edit(written.opened, written.opened, (text,))
    if not written.comma:
        return Edit(written.last, written.last, (f", {text}",))
    if not written.hanging:
        return Edit(written.last, written.last, (f" {text}",))
    data, source = file.source.data, file.source
    line = bisect.bisect_right(source.starts, written.last - 1)
    start = source.starts[line - 1]
    indent = data[start : len(data) - len(data[start:].lstrip(b" \t"))].decode()
    place = source.line_end(line)
    return Edit(place, place, ("".join(f"{source.newline}{indent}{t}," for t in [*star, new]),))


@dataclasses.dataclass(slots=True)
class _Parameters:
    """The layout of a parameter list in the text, as offsets.

    Attributes:
      opened: just after the opening parenthesis.
      last: the end of the last token before the closing parenthesis.
      comma: whether that token is a comma.
      hanging: whether the closing parenthesis is on a later line.
      double: the start of `**`.
    """

    opened: int = -1
    last: int = -1
    comma: bool = False
    hanging: bool = False
    double: int = -1

    @classmethod
    def read(cls, file: File, function: FunctionNode) -> _Parameters | None:
        """Return the layout of a function's parameters, `None` if the text cannot be tokenized."""
        start, end = file.source.span(function)[0], file.source.span(function)[1]
        if b"\r" in file.source.data[start:end].replace(b"\r\n", b""):
            return None
        text = file.source.data[start:end].decode()
        found = cls()
        try:
            return found if found._scan(_tokens(text, start)) else None
        except (tokenize.TokenError, SyntaxError):
            return None

    def _scan(self, tokens: Iterator[tuple[tokenize.TokenInfo, int, int]]) -> bool:
        depth, row = 0, 0
        for token, start, end in tokens:
            text = token.string
            if token.type in (tokenize.NL, tokenize.COMMENT):
                continue
            if text in ("(", "[", "{"):
                depth += 1
                if text == "(" and depth == 1 and self.opened < 0:
                    self.opened = end
            elif text in (")", "]", "}"):
                depth -= 1
                if depth == 0 and self.opened >= 0:
                    self.hanging = token.start[0] > row
                    return True
            elif text == "**" and depth == 1 and (self.comma or self.last == self.opened):
                self.double = start
            if self.opened >= 0:
                self.last, self.comma, row = end, text == "," and depth == 1, token.end[0]
        return False


def _tokens(text: str, offset: int) -> Iterator[tuple[tokenize.TokenInfo, int, int]]:
    """Yield the tokens of a text with the byte offsets of their start and end in the file."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def place(position: tuple[int, int]) -> int:
        return offset + len(text[: starts[position[0] - 1] + position[1]].encode())

    for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        yield token, place(token.start), place(token.end)


def argument_edit(file: File, call: ast.Call, key: str, value: str) -> Edit:
    """Return the edit that appends `key=value` to the arguments of a call."""
    layout = call_layout(file.source, call)
    if not layout.arguments:
        return Edit(layout.opened + 1, layout.opened + 1, (f"{key}={value}",))
    place = max(argument.end for argument in layout.arguments)
    return Edit(place, place, (f", {key}={value}",))


# Elements of comprehensions.


def numbered(file: File, node: Comprehension, names: KeyNames) -> tuple[str, list[Edit]]:
    """Return the index variable of a comprehension's loop, and the edits that add it.

    A loop over `range(n)` needs no edit, since its variable is the index; other loops get `enumerate`.
    """
    source, loop = file.source, node.generators[0]
    counts = (
        isinstance(loop.iter, ast.Call)
        and isinstance(loop.iter.func, ast.Name)
        and loop.iter.func.id == "range"
        and file.spelling.allows(["range"])
        and len(loop.iter.args) == 1
        and not isinstance(loop.iter.args[0], ast.Starred)
    )
    if counts and isinstance(loop.target, ast.Name):
        read = any(isinstance(n, ast.Name) and n.id == "_" for n in _inside(node))
        if loop.target.id != "_" or read:
            return loop.target.id, []
        return names.number, [Edit(*source.span(loop.target), (names.number,))]
    start, end = source.span(loop.target)
    before, behind = source.span(loop.iter)
    tied = not isinstance(loop.target, ast.Name | ast.List)
    return names.number, [
        Edit(start, start, (f"{names.number}, " + "(" * tied,)),
        *([Edit(end, end, (")",))] if tied else []),
        Edit(before, before, ("enumerate(",)),
        Edit(behind, behind, (")",)),
    ]


def _inside(node: Comprehension) -> Iterator[ast.AST]:
    """Yield the syntax nodes of a comprehension's element and conditions, without its target."""
    parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
    for part in (*parts, *node.generators[0].ifs):
        yield from ast.walk(part)


# Lines.


class Lines:
    """Collects new lines to insert before statements, in order."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.texts: dict[ast.stmt, list[str]] = {}

    def add(self, statement: ast.stmt, text: str) -> None:
        """Add a line before a statement, which must be the first on its line."""
        self.texts.setdefault(statement, []).append(text)

    def edits(self) -> list[Edit]:
        """Return the edits that insert the lines, one for each statement."""
        source, found = self.file.source, []
        for statement, texts in self.texts.items():
            start = source.starts[first_line(statement) - 1]
            rest = source.data[start:]
            indent = rest[: len(rest) - len(rest.lstrip(b" \t\f"))].decode()
            text = "".join(f"{indent}{line}{source.newline}" for line in texts)
            found.append(Edit(start, start, (text,)))
        return found


def first_statement(file: File, unit: Unit, items: Iterable[ast.stmt]) -> ast.stmt:
    """Return the statement before which a key is created: outside of loops and before all `items`.

    Args:
      file: the file.
      unit: the function, or the module.
      items: statements within it that use the key.
    """
    items = list(items)
    chains = [[item, *file.names.ancestors(item)] for item in items]
    block: list[ast.stmt] = unit.body
    while True:
        holders = [next(s for s in block if s in chain) for chain in chains]
        first = min(holders, key=lambda s: (s.lineno, s.col_offset))
        if any(h is not first for h in holders) or first in items or not _may_hold(first):
            break
        inner = [_block_with(first, chain) for chain in chains]
        if any(b is None or b is not inner[0] for b in inner) or inner[0] is None:
            break
        block = inner[0]
    return leading(file, first)


def _may_hold(statement: ast.stmt) -> bool:
    """Return whether a statement runs its body at most once: `if` or `with`."""
    return isinstance(statement, ast.If | ast.With | ast.AsyncWith)


def _block_with(statement: ast.stmt, chain: list[ast.AST]) -> list[ast.stmt] | None:
    """Return the block of a compound statement that contains the next node of a chain of ancestors."""
    place = chain.index(statement)
    part = chain[place - 1]
    return (block_of(statement, part) or None) if isinstance(part, ast.stmt) else None


def is_in_loop(file: File, unit: Unit, statement: ast.stmt) -> bool:
    """Return whether a statement may run more than once in one call of a function."""
    for outer in file.names.ancestors(statement):
        if outer is unit:
            return False
        if isinstance(outer, ast.For | ast.AsyncFor | ast.While | Function):
            return True
    return True
