"""Imports from `tensorflow.keras` that can come from `keras` instead, so that the code below stays.

`from tensorflow.keras.layers import Dense` becomes `from keras.layers import Dense` where every name
that the statement brings is one of Keras 3, and every use of it is understood.
"""

from __future__ import annotations

import ast
import dataclasses
import re

from tf2jax_port.rewrite.edits import Edit, Span
from tf2jax_port.rewrite.ignoring import Ignored
from tf2jax_port.rewrite.keras_names import MODULES
from tf2jax_port.rewrite.keras_rows import find_row
from tf2jax_port.rewrite.keras_sites import is_of_keras
from tf2jax_port.rewrite.knowledge import look_up
from tf2jax_port.rewrite.optimizer_sites import WRITTEN
from tf2jax_port.rewrite.resolve import Reference, is_tensorflow, tensorflow_path
from tf2jax_port.rewrite.sites import Decision, File
from tf2jax_port.rewrite.spelling import Spelling
from tf2jax_port.table import Shim

ImportStatement = ast.Import | ast.ImportFrom
_MODULE = re.compile(rb"from\s+([\w.]+)")


@dataclasses.dataclass(frozen=True, slots=True)
class Moved:
    """Imports that come from Keras itself now.

    Attributes:
      edits: of the import statements.
      kept: the references that need no change, because their import changes.
      names: how many names the statements bring.
      module: the name of the file for `keras` itself, `""` where no statement brings one.
    """

    edits: tuple[Edit, ...] = ()
    kept: frozenset[Reference] = frozenset()
    names: int = 0
    module: str = ""

    def spelling(self, spelling: Spelling) -> Spelling:
        """The file's names for modules, once it imports Keras."""
        if not self.module or "keras" in spelling.present:
            return spelling
        return dataclasses.replace(
            spelling,
            chosen={**spelling.chosen, "keras": self.module},
            present=spelling.present | {"keras"},
        )

    def decisions(self, file: File, decisions: list[Decision]) -> list[Decision]:
        """The decisions, without the edit of the name where it stays."""
        return [
            _with_name(file, reference, decision) if reference in self.kept else decision
            for reference, decision in zip(file.references, decisions, strict=True)
        ]


def _with_name(file: File, reference: Reference, decision: Decision) -> Decision:
    known = look_up(reference)
    assert known is not None
    start, end = file.source.span(known.reference.node)
    others = [edit for edit in decision.edits if (edit.start, edit.end) != (start, end)]
    stays = Edit(start, end, (Span(start, end),))
    written = file.source.data[start:end].decode()
    changed = file.spelling.text(known.row.target.function)  # type: ignore[union-attr]
    message = decision.message.replace(f"`{changed}`", f"`{written}` of `keras`")
    return dataclasses.replace(decision, edits=(stays, *others), message=message)


def move_imports(file: File, decisions: list[Decision], ignored: Ignored) -> Moved:
    """Which imports of Keras can be moved; those that a comment forbids to touch stay."""
    uses: dict[int, list[tuple[Reference, Decision]]] = {}
    for reference, decision in zip(file.references, decisions, strict=True):
        for binding in reference.bindings:
            uses.setdefault(id(binding.node), []).append((reference, decision))
    moved = Moved()
    for statement in file.names.imports:
        if not ignored.covers(statement, "TJ"):
            moved = _joined(moved, _move(file, statement, uses))
    return moved


def _joined(first: Moved, second: Moved) -> Moved:
    return Moved(
        (*first.edits, *second.edits),
        first.kept | second.kept,
        first.names + second.names,
        first.module or second.module,
    )


def _move(
    file: File, statement: ImportStatement, uses: dict[int, list[tuple[Reference, Decision]]]
) -> Moved:
    """The move of one statement, an empty one where it must stay."""
    if isinstance(statement, ast.ImportFrom):
        inside = f"{statement.module}."
        if statement.level or not is_tensorflow(statement.module or ""):
            return Moved()
        aliases = [(alias, inside + alias.name) for alias in statement.names]
    else:
        aliases = [(a, a.name) for a in statement.names if a.asname and is_tensorflow(a.name)]
    kept: set[Reference] = set()
    for alias, dotted in aliases:
        found = uses.get(id(alias), [])
        if not _exists(dotted) or not all(_is_understood(r, d) for r, d in found):
            return Moved()
        kept |= {r for r, decision in found if decision.code not in WRITTEN and _is_plain(r)}
    if not kept:
        return Moved()
    module = ""
    if file.names.parents[statement].__class__ is ast.Module:
        module = next(
            (a.asname or a.name for a, d in aliases if tensorflow_path(d)[0] == "keras"), ""
        )
    edits = _edits(file, statement, aliases)
    return Moved(edits, frozenset(kept), len(aliases), module) if edits else Moved()


def _exists(dotted: str) -> bool:
    """Whether Keras 3 has what an import brings, under the same name."""
    path, version = tensorflow_path(dotted)
    if path == "keras" or path.removeprefix("keras.") in MODULES:
        return path.startswith("keras")
    row = find_row(path, version)
    return row is not None and isinstance(row.target, Shim) and row.target.function == path


def _is_understood(reference: Reference, decision: Decision) -> bool:
    return bool(decision.edits) and len(reference.bindings) == 1 and not reference.ambiguous


def _is_plain(reference: Reference) -> bool:
    """Whether the name of Keras 3 is TensorFlow's, without `tf.` in front."""
    known = look_up(reference)
    if known is None or not is_of_keras(known):
        return False
    assert isinstance(known.row.target, Shim)
    return known.row.target.function == known.reference.path


def _edits(
    file: File, statement: ImportStatement, aliases: list[tuple[ast.alias, str]]
) -> tuple[Edit, ...]:
    source = file.source
    start, end = source.span(statement)
    if isinstance(statement, ast.Import):
        edits = []
        for alias, dotted in aliases:
            place = source.offset(alias.lineno, alias.col_offset)
            path = tensorflow_path(dotted)[0]
            edits.append(Edit(place, place + len(alias.name), (path,)))
        return tuple(edits)
    module = tensorflow_path(statement.module or "")[0]
    if module:
        found = _MODULE.match(source.data, start, end)
        if found is None or found.group(1).decode() != statement.module:
            return ()
        return (Edit(*found.span(1), (module,)),)
    names = [f"keras as {alias.asname}" if alias.asname else "keras" for alias, _ in aliases]
    if b"#" in source.data[start:end]:
        return ()
    return (Edit(start, end, (f"import {', '.join(names)}",)),)
