"""Replace the import of TensorFlow for `--target shims`: `import shims as tf`.

This works if every name used through the import exists in `shims` and takes the same arguments. Otherwise each
name is replaced separately.
"""

from __future__ import annotations

import ast
import dataclasses

from tf2jax_port.rewrite.reading.scopes import Binding
from tf2jax_port.rewrite.sites.decision import Decisions, File
from tf2jax_port.rewrite.writing.edits import Edit


@dataclasses.dataclass(frozen=True, slots=True)
class Swap:
    """The edits that import `shims` as `tf`, and the edits of names that this does not cover.

    `swapped` is the number of changed imports.
    """

    imports: tuple[Edit, ...]
    names: tuple[Edit, ...]
    swapped: int


def swap_import(file: File, decisions: Decisions) -> Swap | None:
    """Return the edits that import `shims` under TensorFlow's name, `None` if some use forbids it."""
    bindings = {id(b.node): b for reference in file.references for b in reference.bindings}
    if not bindings or not all(map(_is_whole_import, bindings.values())):
        return None
    if not all(reference.bindings for reference in file.references):
        return None  # a name without a visible binding: `from project import *`
    if not all(decision.edits for decision in decisions.values()):
        return None
    if not any(decision.plain for decision in decisions.values()):
        return None
    names = tuple(edit for d in decisions.values() if not d.plain for edit in d.edits)
    imports = tuple(_swap_binding(file, binding) for binding in bindings.values())
    return Swap(imports, names, len(imports))


def _is_whole_import(binding: Binding) -> bool:
    """Return whether an import is `import tensorflow as tf` or `import tensorflow.compat.v2 as tf`."""
    whole = binding.path in ("tensorflow", "tensorflow.compat.v2")
    plain = isinstance(binding.node, ast.alias) and isinstance(binding.statement, ast.Import)
    return whole and plain and binding.path == getattr(binding.node, "name", "")


def _swap_binding(file: File, binding: Binding) -> Edit:
    """Return the edit that replaces an imported module by `shims`."""
    alias = binding.node
    assert isinstance(alias, ast.alias)
    start = file.source.offset(alias.lineno, alias.col_offset)
    end = start + len(alias.name)
    return Edit(start, end, ("shims" if alias.asname else f"shims as {alias.name}",))
