"""Replace the import of a TensorFlow 1 program by `shims.compat.v1`, for `--target shims`.

The tensors, variables and sessions of a graph must come from one library. If `shims.compat.v1` has every name that
the program uses, only the imports change. If it lacks one, the file is treated like any other, and the names that
need a graph are left to a person.
"""

from __future__ import annotations

import ast
import dataclasses
import functools

from tf2jax_port.rewrite.data import read_data
from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.knowledge.surroundings import needs_graph
from tf2jax_port.rewrite.reading.resolve import Reference, is_module
from tf2jax_port.rewrite.reading.scopes import Binding
from tf2jax_port.rewrite.sites.decision import Decision, File
from tf2jax_port.rewrite.writing.edits import Edit

CODE = "TJ405"
MESSAGE = "stays as it is: `shims.compat.v1` builds the graph and runs it"
_WHOLE = ("tensorflow", "tensorflow.compat.v1")


@dataclasses.dataclass(frozen=True, slots=True)
class GraphProgram:
    """The plan to run a file on `shims.compat.v1`: a decision per reference, and the import edits."""

    decisions: tuple[Decision, ...]
    imports: tuple[Edit, ...]


def as_graph_program(file: File) -> GraphProgram | None:
    """Return the plan to run a TensorFlow 1 program on `shims.compat.v1`, `None` for other files."""
    references = file.references
    if not any(r.version == 1 and needs_graph(r.path) for r in references):
        return None
    if not all(map(_is_supported, references)):
        return None
    bindings = {id(b.node): b for reference in references for b in reference.bindings}
    if not all(map(_is_whole_import, bindings.values())):
        return None
    edits = tuple(edit for b in bindings.values() for edit in _swap_binding(file, b))
    decisions = tuple(
        Decision(State.SHIM, CODE, MESSAGE, f"tf.{r.path}".rstrip("."), r.node) for r in references
    )
    return GraphProgram(decisions, edits)


def _is_supported(reference: Reference) -> bool:
    """Return whether `shims.compat.v1` has the object that a reference names."""
    if reference.version != 1 or reference.ambiguous or not reference.bindings:
        return False
    parts = reference.path.split(".")
    return is_module(reference.path) or any(
        ".".join(parts[:n]) in _graph_names() for n in range(len(parts), 0, -1)
    )


def _is_whole_import(binding: Binding) -> bool:
    """Return whether an import binds a name to TensorFlow or to its `compat.v1`.

    The supported statements are `import tensorflow as tf`, `import tensorflow.compat.v1 as tf1` and
    `from tensorflow.compat import v1`.
    """
    statement, alias = binding.statement, binding.node
    if not isinstance(alias, ast.alias) or binding.path not in _WHOLE:
        return False
    if isinstance(statement, ast.Import):
        return alias.name == binding.path and (alias.asname is not None or "." not in alias.name)
    return (
        isinstance(statement, ast.ImportFrom)
        and statement.module == "tensorflow.compat"
        and len(statement.names) == 1
        and not statement.level
    )


@functools.cache
def _graph_names() -> frozenset[str]:
    """Return the names of `shims.compat.v1`."""
    return frozenset(read_data("graph_names")["names"])


def _swap_binding(file: File, binding: Binding) -> tuple[Edit, ...]:
    """Return the edits that import `shims.compat.v1` instead of TensorFlow.

    For `import tensorflow as tf`, a call of `disable_v2_behavior` follows.
    """
    alias, statement = binding.node, binding.statement
    assert isinstance(alias, ast.alias)
    assert isinstance(statement, (ast.Import, ast.ImportFrom))
    start = file.source.offset(alias.lineno, alias.col_offset)
    if isinstance(statement, ast.ImportFrom):
        first, end = file.source.span(statement)
        text = file.source.data[first:end].replace(b"tensorflow.compat", b"shims.compat", 1)
        return (Edit(first, end, (text.decode(),)),)
    here = "shims.compat.v1" if alias.asname else f"shims.compat.v1 as {alias.name}"
    swap = Edit(start, start + len(alias.name), (here,))
    if binding.path != "tensorflow":
        return (swap,)
    # TensorFlow 1 always builds graphs; `compat.v1` starts with the behavior of version 2.
    _, end = file.source.span(statement)
    line = file.source.data.rfind(b"\n", 0, file.source.span(statement)[0]) + 1
    indent = file.source.data[line : file.source.span(statement)[0]].decode()
    if indent.strip():
        return (swap,)
    name = alias.asname or alias.name
    return (swap, Edit(end, end, (f"\n{indent}{name}.disable_v2_behavior()",)))
