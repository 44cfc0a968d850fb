"""Import from `keras` instead of `tensorflow.keras`, so that the code that uses the names stays.

`from tensorflow.keras.layers import Dense` becomes `from keras.layers import Dense` if Keras 3 has every name that
the statement imports and every use of them is supported.
"""

from __future__ import annotations

import ast
import dataclasses
import re

from tf2jax_port.rewrite.knowledge.keras_rows import find_row
from tf2jax_port.rewrite.knowledge.known import look_up
from tf2jax_port.rewrite.names.keras_names import MODULES
from tf2jax_port.rewrite.optimizers.sites import WRITTEN
from tf2jax_port.rewrite.reading.resolve import Reference, is_tensorflow, tensorflow_path
from tf2jax_port.rewrite.sites.decision import Decision, Draft, File, MovedImports
from tf2jax_port.rewrite.sites.keras import is_of_keras
from tf2jax_port.rewrite.writing.edits import Edit, Span
from tf2jax_port.rewrite.writing.spelling import Spelling
from tf2jax_port.table import Shim

ImportStatement = ast.Import | ast.ImportFrom
_MODULE = re.compile(rb"from\s+([\w.]+)")


def _keep_written_name(file: File, reference: Reference, decision: Decision) -> Decision:
    known = look_up(reference)
    assert known is not None
    start, end = file.source.span(known.reference.node)
    others = [edit for edit in decision.edits if (edit.start, edit.end) != (start, end)]
    stays = Edit(start, end, (Span(start, end),))
    written = file.source.data[start:end].decode()
    changed = file.spelling.text(known.row.target.function)  # type: ignore[union-attr]
    message = decision.message.replace(f"`{changed}`", f"`{written}` of `keras`")
    return dataclasses.replace(decision, edits=(stays, *others), message=message)


def move_imports(draft: Draft) -> Draft:
    """Change imports from `tensorflow.keras` to `keras` if possible and no comment forbids it."""
    file = draft.file
    if file.is_shared:
        return draft
    uses: dict[int, list[tuple[Reference, Decision]]] = {}
    for reference, decision in draft.decisions.items():
        for binding in reference.bindings:
            uses.setdefault(id(binding.node), []).append((reference, decision))
    moved = MovedImports()
    for statement in file.names.imports:
        if not file.ignored.covers(statement, "TJ"):
            moved = _join_moves(moved, _move(file, statement, uses))
    if moved.module:
        file = dataclasses.replace(file, spelling=_spelling_with_keras(file, moved.module))
    return dataclasses.replace(draft, file=file, moved=moved)


def _spelling_with_keras(file: File, module: str) -> Spelling:
    """Return the file's names for modules, including the name of `keras` after the import changes."""
    spelling = file.spelling
    if "keras" in spelling.present:
        return spelling
    return dataclasses.replace(
        spelling,
        chosen={**spelling.chosen, "keras": module},
        present=spelling.present | {"keras"},
    )


def keep_names(draft: Draft) -> Draft:
    """Drop the edits of names for which changing the import is enough."""
    kept = {
        reference: _keep_written_name(draft.file, reference, decision)
        for reference, decision in draft.decisions.items()
        if reference in draft.moved.kept
    }
    return draft.with_decisions({**draft.decisions, **kept})


def _join_moves(first: MovedImports, second: MovedImports) -> MovedImports:
    return MovedImports(
        (*first.edits, *second.edits),
        first.kept | second.kept,
        first.names + second.names,
        first.module or second.module,
    )


def _move(
    file: File, statement: ImportStatement, uses: dict[int, list[tuple[Reference, Decision]]]
) -> MovedImports:
    """Plan the change of one import statement to `keras`; an empty plan if it must stay."""
    if isinstance(statement, ast.ImportFrom):
        inside = f"{statement.module}."
        if statement.level or not is_tensorflow(statement.module or ""):
            return MovedImports()
        aliases = [(alias, inside + alias.name) for alias in statement.names]
    else:
        aliases = [(a, a.name) for a in statement.names if a.asname and is_tensorflow(a.name)]
    kept: set[Reference] = set()
    for alias, dotted in aliases:
        found = uses.get(id(alias), [])
        if not _exists(dotted) or not all(_is_understood(r, d) for r, d in found):
            return MovedImports()
        kept |= {r for r, decision in found if decision.code not in WRITTEN and _is_plain(r)}
    if not kept:
        return MovedImports()
    module = ""
    if file.names.parents[statement].__class__ is ast.Module:
        module = next(
            (a.asname or a.name for a, d in aliases if tensorflow_path(d)[0] == "keras"), ""
        )
    edits = _edits(file, statement, aliases)
    return MovedImports(edits, frozenset(kept), len(aliases), module) if edits else MovedImports()


def _exists(dotted: str) -> bool:
    """Return whether Keras 3 has a counterpart of `tf.keras.X` that is called `keras.X` too."""
    path, version = tensorflow_path(dotted)
    if path == "keras" or path.removeprefix("keras.") in MODULES:
        return path.startswith("keras")
    row = find_row(path, version)
    return row is not None and isinstance(row.target, Shim) and row.target.function == path


def _is_understood(reference: Reference, decision: Decision) -> bool:
    return bool(decision.edits) and len(reference.bindings) == 1 and not reference.ambiguous


def _is_plain(reference: Reference) -> bool:
    """Return whether an object has the same name in Keras 3 as below `tf.`."""
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
