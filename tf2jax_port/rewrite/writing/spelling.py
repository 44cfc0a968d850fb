"""Choose a file's names for `jax`, `jnp`, `np` and `shims`, reusing the names it imports."""

from __future__ import annotations

import builtins
import dataclasses
import re
from collections.abc import Iterable

from tf2jax_port.rewrite.reading.scopes import Names, Scope
from tf2jax_port.rewrite.writing.edits import Edit

# The name that expressions of the table use, and the module that it means.
MODULES = {
    "jax": "jax",
    "jnp": "jax.numpy",
    "logging": "logging",
    "math": "math",
    "lax": "jax.lax",
    "keras": "keras",
    "np": "numpy",
    "shims": "shims",
    "app": "absl.app",
    "flags": "absl.flags",
}
_LEADING_NAME = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(?=\s*\.)")


def bound_names(names: Names) -> dict[str, int]:
    """Return a dict from each name to the number of scopes of the file that bind it."""
    counts: dict[str, int] = {}
    for scope in (names.module, *names.scopes.values()):
        for name in scope.bindings:
            counts[name] = counts.get(name, 0) + 1
    return counts


@dataclasses.dataclass(frozen=True, slots=True)
class Spelling:
    """The names that a file uses for the modules that new text needs.

    Attributes:
      chosen: a dict from the usual name of a module (`jnp`) to the file's name for it.
      present: the usual names of the modules that the file already imports.
      bound: every name that the file binds.
    """

    chosen: dict[str, str]
    present: frozenset[str]
    bound: frozenset[str]
    _written: dict[str, str] = dataclasses.field(
        init=False, default_factory=dict, repr=False, compare=False
    )

    def text(self, text: str) -> str:
        """Replace the usual module names in new text by the file's names for these modules."""
        written = self._written.get(text)
        if written is None:
            own = self.chosen
            written = _LEADING_NAME.sub(lambda m: own.get(m.group(1), m.group(1)), text)
            self._written[text] = written
        return written

    def allows(self, names: Iterable[str]) -> bool:
        """Return whether an expression may use builtins or modules by these names: nothing shadows them."""
        return all(
            name in self.chosen or (hasattr(builtins, name) and name not in self.bound)
            for name in names
        )

    def missing(self, edits: Iterable[Edit]) -> list[tuple[str, str]]:
        """Return `(module, name)` of each import that the edits need and the file lacks."""
        texts = {piece for edit in edits for piece in edit.pieces if isinstance(piece, str)}
        used = {name for text in texts for name in _LEADING_NAME.findall(text)}
        return [
            (module, self.chosen[name])
            for name, module in MODULES.items()
            if self.chosen[name] in used and name not in self.present
        ]


def choose_spelling(names: Names) -> Spelling:
    """Choose a name for each module: the one that the file imports, the usual one or an unused one."""
    bound = bound_names(names)
    chosen, present = {}, set()
    for usual, module in MODULES.items():
        own = _imported_as(names.module, module, bound)
        if own is not None:
            present.add(usual)
            chosen[usual] = own
        else:
            chosen[usual] = _free_name(usual, bound)
    return Spelling(chosen, frozenset(present), frozenset(bound))


def _imported_as(module: Scope, path: str, bound: dict[str, int]) -> str | None:
    """Return the name under which the file imports a module, if it is bound only once."""
    for name, bindings in module.bindings.items():
        binding = bindings[0]
        if len(bindings) == 1 and bound[name] == 1 and binding.path == path:
            statement = binding.statement
            if statement is not None and statement.col_offset == 0:
                return name
    return None


def _free_name(usual: str, bound: dict[str, int]) -> str:
    """Return the usual name of a module, or a variant of it if the file binds that name."""
    for name in (usual, f"{usual}_", f"jax_{usual}", f"jax_{usual}_"):
        if name not in bound:
            return name
    number = next(n for n in range(2, len(bound) + 3) if f"{usual}_{n}" not in bound)
    return f"{usual}_{number}"
