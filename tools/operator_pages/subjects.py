"""Find the names of TensorFlow that the reference describes, with their table rows and objects of `shims`."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
import types
import warnings
from collections.abc import Iterator
from typing import Any

import shims
from shims._src.v1.names import names as graph_names
from tf2jax_port.rewrite import State
from tf2jax_port.rewrite.knowledge import keras_rows
from tf2jax_port.rewrite.knowledge import known as knowledge
from tf2jax_port.rewrite.knowledge.keras_gone import REASONS
from tf2jax_port.rewrite.names.keras_names import BACKEND, LEFT_OVER, PARAMS, RENAMED
from tf2jax_port.rewrite.names.tf_names import V1_ALIASES
from tf2jax_port.table import ROWS, Row, Shim, keras
from tools import where
from tools.operator_pages import rewriting

TENSORFLOW_PAGE = re.compile(r"https://www\.tensorflow\.org/api_docs/python/tf/(\S+)")
# Namespaces that other entries describe, and those of other libraries.
_ELSEWHERE = (
    *("compat", "keras", "optax", "v1"),
    *("initializers", "losses", "metrics", "optimizers"),
)


@dataclasses.dataclass(frozen=True)
class Subject:
    """A TensorFlow object that has an entry.

    Attributes:
      name: its name without `tf.`; names that only TensorFlow 1 has begin with `v1.` or `contrib.`.
      aliases: its other names.
      row: its table row, `None` if it has none.
      value: the object of `shims`, `None` if there is none.
    """

    name: str
    aliases: tuple[str, ...] = ()
    row: Row | None = None
    value: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        """All names, as programs spell them."""
        return tuple(dict.fromkeys(map(spell, (self.name, *self.aliases))))

    @property
    def documentation(self) -> str:
        """The docstring, empty if the object is not documented in `shims`."""
        return documentation(self.value)

    @property
    def has_row_of_table(self) -> bool:
        """Whether the name is an operator of the table."""
        return id(self.row) in _operators()


def spell(name: str) -> str:
    """Spell a name as programs do: `tf.compat.v1.to_float` for `v1.to_float`."""
    return f"tf.compat.{name}" if name.startswith("v1.") else f"tf.{name}"


def documentation(value: Any) -> str:
    """Return the docstring of a function or class of `shims`, empty for all other objects."""
    is_documented = isinstance(value, type) or inspect.isroutine(value)
    home = getattr(value, "__module__", "") or ""
    return (inspect.getdoc(value) or "") if is_documented and home.startswith("shims") else ""


@functools.cache
def subjects() -> tuple[Subject, ...]:
    """Return the subjects of all entries, in the order of their names."""
    found = [*_of_rows(), *_of_facades(), *_of_graphs(), *_of_keras()]
    first: dict[str, Subject] = {}
    for subject in found:
        first.setdefault(spell(subject.name), subject)
    return tuple(sorted(first.values(), key=lambda s: (s.name.lower(), s.name)))


@functools.cache
def _operators() -> frozenset[int]:
    return frozenset(map(id, ROWS))


def _of_rows() -> Iterator[Subject]:
    """Yield the rows of the table, with the names that TensorFlow 1 has for them."""
    rows = {row.name: row for row in knowledge.rows().values()}
    old: dict[str, list[str]] = {}
    for alias, name in V1_ALIASES.items():
        old.setdefault(name, []).append(f"v1.{alias}")
    for row in rows.values():
        found = where.find_object(where.Name(row.name.removeprefix("v1."), 2, row).facade)
        known = {spell(name) for name in row.names}
        aliases = [a for name in row.names for a in old.get(name, ()) if spell(a) not in known]
        yield Subject(row.name, (*row.aliases, *aliases), row, found)


def _of_facades() -> Iterator[Subject]:
    """Yield the other names of TensorFlow 2 that `shims` has; names of the same object share an entry."""
    rows = knowledge.rows()
    found: dict[int, list[tuple[str, Any]]] = {}
    for name, value in _walk(shims, ""):
        if name not in rows and _is_tensorflows(name, value):
            found.setdefault(id(value), []).append((name, value))
    for places in found.values():
        (name, value), *others = sorted(places, key=lambda p: (p[0].count("."), p[0]))
        yield Subject(name, tuple(other for other, _ in others), None, value)


def _walk(module: types.ModuleType, before: str) -> Iterator[tuple[str, Any]]:
    for name in sorted(getattr(module, "__all__", None) or dir(module)):
        value = getattr(module, name, None)
        if name.startswith("_") or value is None or (not before and name in _ELSEWHERE):
            continue
        full = f"{before}{name}"
        if isinstance(value, types.ModuleType):
            if value.__name__ == f"shims.{full}":
                yield from _walk(value, f"{full}.")
        elif documentation(value):
            yield full, value


def _is_tensorflows(name: str, value: Any) -> bool:
    """Return whether TensorFlow has a name, not only `shims`."""
    written = rewriting.of_name(spell(name))
    if written is None or written.code == "TJ301":
        return False
    is_named = TENSORFLOW_PAGE.search(documentation(value)) is not None
    return is_named or written.state in (State.SHIM, State.KEPT)


def _of_graphs() -> Iterator[Subject]:
    """Yield the TensorFlow 1 names whose objects in `shims.compat.v1` are not those of TensorFlow 2."""
    found: dict[str, list[tuple[str, Any]]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in graph_names.every_name():
            value = graph_names.resolve(name)
            text = documentation(value)
            page = TENSORFLOW_PAGE.search(text)
            if text and (page is None or "compat/v1/" in page[1] or name.startswith("contrib.")):
                found.setdefault(text, []).append((name, value))
    described = {documentation(subject.value) for subject in _of_rows()}
    for text, places in found.items():
        if text in described:
            continue
        named = sorted(places, key=_rank)
        (name, value), *others = ((_version_1(place), value) for place, value in named)
        yield Subject(name, tuple(other for other, _ in others), knowledge.rows().get(name), value)


def _rank(place: tuple[str, Any]) -> tuple[bool, bool, int, str]:
    """Return the sort key of a name of an object: the name of its definition comes first, outside of contrib."""
    name, value = place
    is_renamed = name.rpartition(".")[2] != getattr(value, "__name__", "")
    return name.startswith("contrib."), is_renamed, name.count("."), name


def _version_1(name: str) -> str:
    return name if name.startswith("contrib.") else f"v1.{name}"


def _of_keras() -> Iterator[Subject]:
    """Yield the names of `tf.keras` whose counterpart is not the same name of Keras 3."""
    names = (*PARAMS, *RENAMED, *LEFT_OVER, *(f"backend.{n}" for n in BACKEND), *dict(REASONS))
    listed = {f"keras.{name}" for name in names} | {row.name for row in keras.ROWS}
    for name in sorted(name for name in listed if name.startswith("keras.")):
        row = keras_rows.find_row(name, 2)
        if row is None:
            continue
        moved = isinstance(row.target, Shim) and row.target.function != name
        if row.differs or moved or not isinstance(row.target, Shim):
            yield Subject(name, (), row)
