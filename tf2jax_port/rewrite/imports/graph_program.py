"""Replace the import of a TensorFlow 1 program by `shims.compat.v1`, for `--target shims` and `--target graph`.

The tensors, variables and sessions of a graph must come from one library, so a file never has both graph and eager
code. For `shims`, a file of which `shims.compat.v1` lacks a name is treated like any other. For `graph`, the imports
change nevertheless, and the missing names must be replaced by hand.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterable, Iterator

from tf2jax_port.rewrite.findings.findings import GraphFit, State
from tf2jax_port.rewrite.findings.outside import is_computing
from tf2jax_port.rewrite.imports.changes import Brought, ImportNeeds, change_imports
from tf2jax_port.rewrite.knowledge.graph_names import builds_graph, has_import, has_name, is_eager
from tf2jax_port.rewrite.reading.resolve import Reference, is_tensorflow
from tf2jax_port.rewrite.reading.source import Source
from tf2jax_port.rewrite.sites.decision import Decision, File
from tf2jax_port.rewrite.sites.references import EARLY
from tf2jax_port.rewrite.writing.edits import Edit

CODE = "TJ405"
LEFT = "TJ336"
MESSAGE = "not changed: `shims.compat.v1` builds the graph and runs it"
LACKING = "`shims.compat.v1` builds the graph of this file, but does not have this name"
_HOME = "shims.compat.v1"
_MODULE = re.compile(rb"from[\s\\]+([\w.]+)[\s\\]+import\b")


@dataclasses.dataclass(frozen=True, slots=True)
class GraphProgram:
    """The plan to run a file on `shims.compat.v1`.

    Attributes:
      decisions: one per reference.
      edits: the edits of the import statements.
      swapped: the number of names that are no longer imported from TensorFlow.
    """

    decisions: tuple[Decision, ...]
    edits: tuple[Edit, ...] = ()
    swapped: int = 0


def graph_fit(references: Iterable[Reference]) -> GraphFit:
    """Return whether a file is written for a graph, may be part of a graph program, or is neither."""
    references = list(references)
    eager = [r for r in references if is_eager(r.path) or "compat.v2" in r.dotted[-1]]
    if eager or not references:
        return GraphFit("no", _names(eager))
    building = [r for r in references if builds_graph(r)]
    old = all(r.version == 1 for r in references)
    # A file that writes `tf.compat.v1.placeholder` says nothing about the files around it.
    spelled = any(getattr(n, "attr", "") == "compat" for r in building for n in r.chain)
    if building and old:
        return GraphFit("needed", _names(building), spreads=not spelled)
    possible = old or all(_may_run(reference) for reference in references)
    return GraphFit("possible" if possible and not spelled else "no")


def _may_run(reference: Reference) -> bool:
    """Return whether a name can be used in a graph program: `shims.compat.v1` has it, or it computes nothing."""
    known = has_name(reference.path) and not reference.ambiguous
    return known or not is_computing(f"tf.{reference.path}")


def _names(references: Iterable[Reference]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"tf.{reference.path}" for reference in references))


def as_graph_program(
    file: File, brought: list[Brought], *, keep_all: bool, partly: bool
) -> GraphProgram | None:
    """Return the plan to run a file on `shims.compat.v1`.

    Args:
      file: the file.
      brought: its imports of TensorFlow.
      keep_all: whether names that are never used stay imported, because other files may import them from this one.
      partly: whether the imports change although names are lacking; otherwise the result is `None` then.

    Returns:
      The plan, or `None` if `shims.compat.v1` lacks names of the file, or has none of them.
    """
    edits, left, swapped = _swap_imports(file, brought)
    changed = {edit.start for edit in edits}
    starts = [(b, file.source.span(b[0])[0]) for b in brought]
    rest = [b for b, start in starts if id(b[1]) in left and start not in changed]
    unused = change_imports(file, ImportNeeds([], file.references, [], rest, [], keep_all, 0))
    edits += unused.edits
    decisions = tuple(_decide(file, reference, left) for reference in file.references)
    handed = any(
        b.kind == "import" and not is_tensorflow(b.path)
        for reference in file.references
        for b in reference.bindings
    )
    unbound = any(not reference.bindings for reference in file.references)
    if not any(d.state is State.SHIM for d in decisions):
        return None  # nothing in it is part of a graph
    complete = all(d.state is State.SHIM for d in decisions) and not (handed or unbound)
    gone = swapped + unused.dropped
    return GraphProgram(decisions, tuple(edits), gone) if partly or complete else None


def as_left(file: File, why: str) -> GraphProgram:
    """Return the plan to leave a whole graph program to a person."""
    return GraphProgram(tuple(_left(reference, why) for reference in file.references))


def resumed(file: File, moved: frozenset[ast.AST]) -> GraphProgram:
    """Return the decisions about a file whose imports an earlier run has changed; missing names are left.

    Args:
      file: the file, whose imports of `shims.compat.v1` are read as imports of TensorFlow.
      moved: the names in these imports.
    """
    bindings = {id(b.node): b for reference in file.references for b in reference.bindings}
    left = {key for key, b in bindings.items() if b.kind == "import" and b.node not in moved}
    decisions = (_decide(file, reference, left) for reference in file.references)
    return GraphProgram(tuple(d for d in decisions if d.state is State.MANUAL))


def read_as_tensorflow(source: Source, tree: ast.Module) -> frozenset[ast.AST]:
    """Turn the imports of `shims.compat.v1` in a tree into imports of TensorFlow; return their names.

    A second run then finds the names that are lacking, and writes no eager code beside the graph.
    """
    if b"shims.compat" not in source.data:
        return frozenset()
    moved: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and _is_home(node.module or ""):
            node.module = f"tensorflow{(node.module or '').removeprefix('shims')}"
            moved.update(node.names)
        elif isinstance(node, ast.Import):
            for alias in filter(lambda a: _is_home(a.name), node.names):
                alias.name = f"tensorflow{alias.name.removeprefix('shims')}"
                moved.add(alias)
    return frozenset(moved)


def _is_home(module: str) -> bool:
    return f"{module}.".startswith((f"{_HOME}.", "shims.compat."))


def _decide(file: File, reference: Reference, left: set[int]) -> Decision:
    early = _undecided(file, reference)
    if early is not None:
        return early
    known = has_name(reference.path) and not any(id(b.node) in left for b in reference.bindings)
    if reference.ambiguous:
        name = ast.unparse(reference.chain[0])
        return _left(reference, f"`{name}` is also bound to another object", "TJ305")
    if not known:
        return _left(reference, LACKING)
    return Decision(State.SHIM, CODE, MESSAGE, _symbol(reference), reference.node)


def _undecided(file: File, reference: Reference) -> Decision | None:
    """Return the decision about a TensorFlow 0.x name whose arguments do not tell what it means."""
    why = file.undecided.get(file.source.span(reference.node)[0])
    return None if why is None else _left(reference, why + EARLY, "TJ337")


def _left(reference: Reference, why: str, code: str = LEFT) -> Decision:
    return Decision(State.MANUAL, code, why, _symbol(reference), reference.node)


def _symbol(reference: Reference) -> str:
    return f"tf.{reference.path}".rstrip(".")


# Imports.


def _swap_imports(file: File, brought: Iterable[Brought]) -> tuple[list[Edit], set[int], int]:
    """Return the edits that import from `shims.compat.v1`, the aliases that stay, and how many change."""
    edits: list[Edit] = []
    left: set[int] = set()
    aliases = list(brought)
    statements = {id(statement): statement for statement, _ in aliases}
    for statement in statements.values():
        if isinstance(statement, ast.Import):
            stay = [a for a in statement.names if is_tensorflow(a.name) and not has_import(a.name)]
            edits += _swap_modules(file.source, statement, stay)
        elif is_tensorflow(statement.module or "") and not statement.level:
            stay = [a for a in statement.names if not has_import(f"{statement.module}.{a.name}")]
            found = _swap_names(file, statement, stay) if len(stay) < len(statement.names) else []
            stay = stay if found else statement.names
            edits += found
        else:
            stay = []  # names that come through another module of the project
        left.update(map(id, stay))
    return edits, left, sum(id(alias) not in left for _, alias in aliases)


def _swap_modules(source: Source, statement: ast.Import, stay: list[ast.alias]) -> Iterator[Edit]:
    """Yield the edits of `import tensorflow as tf` and its kin.

    After an import of TensorFlow itself, a call of `disable_v2_behavior` follows.
    """
    for alias in statement.names:
        if not is_tensorflow(alias.name) or alias in stay:
            continue
        start = source.offset(alias.lineno, alias.col_offset)
        whole = alias.name == "tensorflow" or not alias.asname
        text = _HOME if whole else _moved(alias.name)
        bare = "" if alias.asname else " as tensorflow"
        yield Edit(start, start + len(alias.name), (f"{text}{bare}",))
        indent = _indent(source, statement)
        if whole and indent is not None:
            # TensorFlow 1 always builds graphs; `compat.v1` starts with the behavior of version 2.
            _, end = source.span(statement)
            name = alias.asname or "tensorflow"
            yield Edit(end, end, (f"{source.newline}{indent}{name}.disable_v2_behavior()",))


def _swap_names(file: File, statement: ast.ImportFrom, stay: list[ast.alias]) -> list[Edit]:
    """Return the edits of `from tensorflow.contrib import rnn`; none if it cannot be changed.

    Names that `shims.compat.v1` lacks get a statement of their own, if they are used.
    """
    source = file.source
    first, end = source.span(statement)
    module = statement.module or ""
    found = _MODULE.match(source.data, first, end)
    indent = _indent(source, statement)
    if found is None or (stay and (indent is None or b"#" in source.data[first:end])):
        return []
    if not stay:
        return [Edit(*found.span(1), (_moved(module),))]
    uses = {name.id for name, _ in file.names.uses}
    used = [alias for alias in stay if (alias.asname or alias.name) in uses]
    go = [alias for alias in statement.names if alias not in stay]
    lines = [(_moved(module), go), *([(module, used)] if used else [])]
    texts = (f"from {home} import {', '.join(map(ast.unparse, names))}" for home, names in lines)
    return [Edit(first, end, (f"{source.newline}{indent}".join(texts),))]


def _moved(module: str) -> str:
    """Return the module of `shims` for a module of TensorFlow."""
    rest = module.removeprefix("tensorflow").removeprefix(".compat.v1")
    return "shims.compat" if rest == ".compat" else f"{_HOME}{rest}"


def _indent(source: Source, statement: ast.stmt) -> str | None:
    """Return the white space before a statement, `None` if there is other text before it."""
    start = source.span(statement)[0]
    indent = source.data[source.data.rfind(b"\n", 0, start) + 1 : start].decode()
    return None if indent.strip() else indent
