"""Add the imports that the new text needs, and drop the imports that are no longer used.

An import of TensorFlow is dropped only if every reference through it is gone, and only if it is directly in a
module or function: inside `try` or `if` it may test whether TensorFlow is installed. A `try` that only imports is
dropped as a whole.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from tf2jax_port.rewrite.imports.attempts import unneeded_attempts
from tf2jax_port.rewrite.reading.neighbors import Neighbors
from tf2jax_port.rewrite.reading.resolve import Reference, is_tensorflow
from tf2jax_port.rewrite.reading.scopes import Binding, Names
from tf2jax_port.rewrite.sites.decision import File
from tf2jax_port.rewrite.writing.edits import Edit

ImportStatement = ast.Import | ast.ImportFrom
Brought = tuple[ImportStatement, ast.alias]
_PRAGMAS = ("type:", "noqa", "pylint:", "pytype:", "isort:", "pragma:", "fmt:", "mypy:")


@dataclasses.dataclass(frozen=True, slots=True)
class ImportChange:
    """Edits of import statements, and the number of TensorFlow names that are no longer imported."""

    edits: tuple[Edit, ...]
    dropped: int


def tensorflow_imports(names: Names, neighbors: Neighbors) -> list[Brought]:
    """Return the imported names that refer to TensorFlow, in text order.

    They may come from TensorFlow itself, or through other modules of the project.
    """
    found = []
    for statement in names.imports:
        stem = ""
        if isinstance(statement, ast.ImportFrom):
            stem = "." * statement.level + (statement.module or "")
            stem += "." if statement.module else ""
        for alias in statement.names:
            module = stem + alias.name
            handed = None if is_tensorflow(module) else neighbors.export(module)
            if is_tensorflow(module) or (handed is not None and handed.dotted):
                found.append((statement, alias))
    return found


@dataclasses.dataclass(frozen=True, slots=True)
class ImportNeeds:
    """The facts from which the changes of a file's imports are planned.

    Attributes:
      gone: references that the rewrite removes.
      left: references that stay.
      aliases: assignments of a TensorFlow module to a name, as in `layers = tf.keras.layers`.
      brought: the names of TensorFlow that import statements bind.
      new: `(module, name)` of the imports to add.
      keep_all: whether every import stays, because other files may import the names from this one.
      first_use: offset of the first new text; new imports are placed above it.
    """

    gone: list[Reference]
    left: list[Reference]
    aliases: list[Reference]
    brought: list[Brought]
    new: list[tuple[str, str]]
    keep_all: bool
    first_use: int


def change_imports(file: File, needs: ImportNeeds) -> ImportChange:
    """Plan the edits of a file's import statements."""
    change = _Imports(file, needs.brought, needs.new)
    droppable = [] if needs.keep_all else change.droppable(needs.gone, needs.left, needs.aliases)
    attempts = [] if needs.keep_all else change.unneeded_attempts(needs.gone)
    return change.plan(droppable, attempts, needs.first_use)


def _bound_name(binding: Binding) -> str:
    node = binding.node
    if isinstance(node, ast.alias):
        return node.asname or node.name.partition(".")[0]
    return getattr(node, "id", "")


def _exported_names(names: Names) -> set[str]:
    """Return the names listed in `__all__`."""
    return {
        node.value
        for binding in names.module.bindings.get("__all__", [])
        if binding.value is not None
        for node in ast.walk(binding.value)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


class _Imports:
    """Plans the edits of the import statements of one file."""

    def __init__(self, file: File, brought: list[Brought], new: list[tuple[str, str]]) -> None:
        self.brought = brought
        self.neighbors = file.neighbors
        self.source = file.source
        self.ignored = file.ignored
        self.names = file.names
        self.new = [_import_line(module, name) for module, name in new]

    def droppable(
        self, gone: list[Reference], left: list[Reference], aliases: list[Reference]
    ) -> list[Binding]:
        """Return the imports of TensorFlow, and aliases of its modules, that are no longer used."""
        needed = {id(b.node) for reference in left for b in reference.bindings}
        used = {id(b.node): b for reference in gone for b in reference.bindings}
        needed |= self._used_otherwise(used, gone)
        exported = _exported_names(self.names)
        made = {id(target): alias for alias in aliases for target in self._targets(alias)}
        # The last alias first: it may be what an earlier one is kept for.
        for key, alias in reversed(made.items()):
            binding = used.get(key)
            if binding is None or not self._may_go(binding, exported) or key in needed:
                needed.add(key)
                needed.update(id(b.node) for b in alias.bindings)
            else:
                used.update({id(b.node): b for b in alias.bindings})
        unused = {key: b for key, b in self._never_used(bool(gone)) if key not in needed}
        gone_now = {**used, **unused}
        return [b for key, b in gone_now.items() if key not in needed and self._may_go(b, exported)]

    def _never_used(self, rewritten: bool) -> Iterator[tuple[int, Binding]]:
        """Yield the imported names of TensorFlow that the file never uses, without those kept by a pragma.

        A whole module may be imported for its effects, unless the file's other uses are rewritten. If other files
        import this one as a module, all names stay: what those files use changes when they are rewritten.
        """
        if self.neighbors.import_whole():
            return
        names = {name.id for name, _ in self.names.uses}
        idle = {
            alias
            for statement, alias in self.brought
            if (alias.asname or alias.name.partition(".")[0]) not in names
            and (rewritten or isinstance(statement, ast.ImportFrom))
            and not self._has_pragma(statement)
        }
        if idle:
            for scope in (self.names.module, *self.names.scopes.values()):
                for bindings in scope.bindings.values():
                    yield from ((id(b.node), b) for b in bindings if b.node in idle)

    def _has_pragma(self, statement: ast.stmt) -> bool:
        """Return whether a comment on the last line of a statement says that a tool must accept it."""
        end = self.source.span(statement)[1]
        rest = self.source.data[end : self.source.line_end(statement.end_lineno or 0)]
        return any(pragma.encode() in rest for pragma in _PRAGMAS)

    def _used_otherwise(self, used: dict[int, Binding], gone: list[Reference]) -> set[int]:
        """Return the imported project modules of which the file uses more than TensorFlow names.

        An example is `compat` in `compat.tf` and `compat.run`. The modules are given as the ids of the nodes that bind them.
        """
        own = {key: b for key, b in used.items() if not is_tensorflow(b.path) and b.path}
        if not own:
            return set()
        roots = {reference.root for reference in gone}
        others = {name.id for name, _ in self.names.uses if name not in roots}
        return {key for key, binding in own.items() if _bound_name(binding) in others}

    def unneeded_attempts(self, gone: list[Reference]) -> list[ast.Try]:
        """Return the `try` statements that only import what is no longer used."""
        if not gone or self.neighbors.import_whole():
            return []
        exported = _exported_names(self.names)
        roots = {reference.root for reference in gone}
        found = unneeded_attempts(
            self.names, roots, lambda name: name in exported or self.neighbors.takes(name)
        )
        used = {root.id for root in roots if isinstance(root, ast.Name)}
        return [
            attempt
            for attempt in found
            if not any(self._is_protected(s, used) for s in ast.walk(attempt))
        ]

    def _is_protected(self, node: ast.AST, used: set[str]) -> bool:
        """Return whether a comment keeps an import; one for other tools does if no name of it was used."""
        if not isinstance(node, ast.Import | ast.ImportFrom):
            return False
        idle = all((a.asname or a.name.partition(".")[0]) not in used for a in node.names)
        return self.ignored.covers(node, "TJ") or (idle and self._has_pragma(node))

    def _targets(self, alias: Reference) -> list[ast.expr]:
        statement = self.names.parents[alias.node]
        assert isinstance(statement, ast.Assign)
        return statement.targets

    def _may_go(self, binding: Binding, exported: set[str]) -> bool:
        """Return whether an import may be dropped.

        It may not if it is conditional, exported, used by another module, protected by an ignore comment, or made by a
        call such as `pytest.importorskip("tensorflow")`.
        """
        statement = binding.statement
        called = isinstance(binding.value, ast.Call)  # `importorskip` does more than import
        if statement is not None and self.ignored.covers(statement, "TJ"):
            return False
        alone = statement is not None and self._stands_alone(statement)
        name = _bound_name(binding)
        return alone and not called and name not in exported and not self.neighbors.takes(name)

    def plan(
        self, bindings: list[Binding], attempts: list[ast.Try], first_use: int
    ) -> ImportChange:
        """Plan the edits that drop imports and add the new ones."""
        by_statement: dict[ast.stmt, set[ast.AST]] = {}
        for binding in bindings:
            assert binding.statement is not None
            by_statement.setdefault(binding.statement, set()).add(binding.node)
        anchor = self._anchor(first_use)
        edits: list[Edit] = []
        placed = not self.new
        dropped = 0
        for statement, nodes in by_statement.items():
            dropped += sum(isinstance(node, ast.alias) for node in nodes)
            here = statement is anchor and not placed
            placed = placed or here
            edits += self._drop_names(statement, nodes, self.new if here else [])
        for attempt in attempts:
            outer = isinstance(self.names.parents[attempt], ast.Module)
            here = (
                outer and anchor is None and self.source.span(attempt)[0] < first_use and not placed
            )
            placed = placed or here
            dropped += sum(alias in ast.walk(attempt) for _, alias in self.brought)
            edits.append(self._replace_statement(attempt, self.new if here else []))
        if not placed:
            edits.append(self._insert_imports(anchor))
        return ImportChange(tuple(edits), dropped)

    def _stands_alone(self, statement: ast.stmt) -> bool:
        parent = self.names.parents[statement]
        return isinstance(parent, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef)

    # Dropping.

    def _drop_names(self, statement: ast.stmt, nodes: set[ast.AST], new: list[str]) -> list[Edit]:
        """Return the edits that drop imported names from a statement and add new imports."""
        if isinstance(statement, ImportStatement):
            kept = [alias for alias in statement.names if alias not in nodes]
            if kept:
                edits = self._without_aliases(statement, nodes)
                return [*edits, self._insert_at(statement)] if new else edits
        return [self._replace_statement(statement, new)]

    def _without_aliases(self, statement: ImportStatement, nodes: set[ast.AST]) -> list[Edit]:
        """Return the edits that drop some, but not all, names from an import statement."""
        spans = [self._alias_span(alias) for alias in statement.names]
        last = max(i for i, alias in enumerate(statement.names) if alias not in nodes)
        edits = []
        for index, alias in enumerate(statement.names[:last]):
            if alias in nodes:
                start, end = spans[index][0], spans[index + 1][0]
                comment = self.source.data.find(b"#", spans[index][1], end)
                if comment >= 0:
                    end = self.source.data.index(b",", spans[index][1]) + 1
                edits.append(Edit(start, end))
        if last + 1 < len(spans):
            edits.append(Edit(spans[last][1], spans[-1][1]))
        return edits

    def _alias_span(self, alias: ast.alias) -> tuple[int, int]:
        start = self.source.offset(alias.lineno, alias.col_offset)
        return start, self.source.offset(alias.end_lineno or 0, alias.end_col_offset or 0)

    def _replace_statement(self, statement: ast.stmt, new: list[str]) -> Edit:
        """Return the edit that replaces a statement by new imports or `pass`, or removes it."""
        start, end = self.source.span(statement)
        if self._shares_line(statement):
            return Edit(start, end, ("; ".join(new) or "pass",))
        if new:
            indent = " " * statement.col_offset
            return Edit(start, end, (f"{self.source.newline}{indent}".join(new),))
        if len(self._siblings(statement)) == 1 and statement.col_offset:
            return Edit(start, end, ("pass",))
        line = self.source.starts[statement.lineno - 1]
        last = statement.end_lineno or 0
        rest = self.source.data[end : self.source.line_end(last)].strip()
        if rest and not rest.lstrip(b"# ").decode().startswith(_PRAGMAS):
            return Edit(
                start,
                end + len(self.source.data[end:]) - len(self.source.data[end:].lstrip(b" \t")),
            )
        following = (
            self.source.starts[last] if last < len(self.source.starts) else len(self.source.data)
        )
        return Edit(line, following)

    def _siblings(self, statement: ast.stmt) -> list[ast.stmt]:
        parent = self.names.parents[statement]
        body = getattr(parent, "body", [])
        return body if statement in body else []

    def _shares_line(self, statement: ast.stmt) -> bool:
        """Return whether there is other code on the lines of a statement."""
        line = self.source.starts[statement.lineno - 1]
        start, end = self.source.span(statement)
        after = self.source.data[end : self.source.line_end(statement.end_lineno or 0)].strip()
        return bool(self.source.data[line:start].strip()) or after.startswith(b";")

    # Adding.

    def _anchor(self, first_use: int) -> ast.stmt | None:
        """Return the first module-level import of TensorFlow that precedes all new text, if any.

        The new imports are placed there.
        """
        for statement, _ in self.brought:
            outer = isinstance(self.names.parents[statement], ast.Module)
            if outer and self.source.span(statement)[0] < first_use:
                return statement
        return None

    def _insert_imports(self, anchor: ast.stmt | None) -> Edit:
        """Return the edit that inserts the new imports, after `anchor` if it is given."""
        if anchor is not None:
            return self._insert_at(anchor)
        newline = self.source.newline
        module = next(n for n in self.names.parents.values() if isinstance(n, ast.Module))
        head = _last_head_statement(module)
        if head is not None and self._shares_line(head):
            end = self.source.span(head)[1]
            return Edit(end, end, ("; " + "; ".join(self.new),))
        if head is not None:
            return self._insert_at(head)
        first = module.body[0]
        line = min([first.lineno, *(d.lineno for d in getattr(first, "decorator_list", ()))])
        place = self.source.starts[line - 1]
        return Edit(place, place, (newline.join(self.new) + newline,))

    def _insert_at(self, statement: ast.stmt) -> Edit:
        """Return the edit that inserts the new imports after a statement, or before it on a shared line."""
        if self._shares_line(statement):
            place = self.source.span(statement)[0]
            return Edit(place, place, ("; ".join(self.new) + "; ",))
        place = self.source.line_end(statement.end_lineno or 0)
        newline = self.source.newline
        return Edit(place, place, (newline + newline.join(self.new),))


def _last_head_statement(module: ast.Module) -> ast.stmt | None:
    """Return the last statement among a module's docstring and `__future__` imports, if any."""
    head = None
    for index, statement in enumerate(module.body):
        docstring = index == 0 and ast.get_docstring(module, clean=False) is not None
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not (docstring or future):
            return head
        head = statement
    return head


def _import_line(module: str, name: str) -> str:
    if module == name:
        return f"import {module}"
    if module.startswith("absl."):  # whose modules are imported from it everywhere
        last = module.removeprefix("absl.")
        return f"from absl import {last}" + (f" as {name}" if name != last else "")
    return f"import {module} as {name}"
