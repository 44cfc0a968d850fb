"""Resolve TensorFlow names that a project's modules re-export: `from .utils import tf`.

Nothing is run. A module is parsed only when another one imports a name from it that may be TensorFlow's,
judging by a text search.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import re
import stat
from collections.abc import Iterable, Iterator

from tf2jax_port.files.code_base import LARGEST
from tf2jax_port.files.import_text import Imported, imports_in
from tf2jax_port.files.passed_lists import lists_passed_in
from tf2jax_port.paths.module_files import ModuleFiles
from tf2jax_port.rewrite.reading.neighbors import Export
from tf2jax_port.rewrite.reading.resolve import is_tensorflow, module_members
from tf2jax_port.rewrite.reading.scopes import resolve_scopes
from tf2jax_port.rewrite.reading.source import UnreadableError, decode, parse

_ALIAS = re.compile(rb"\b(\w+)[ \t]*(?::[^=\n]*)?=[ \t]*(\w+)[ \t]*(?:[.\r\n#;]|$)")
_ASSIGNED = re.compile(
    rb"=[ \t]*(\w+)[ \t]*(?:[.\r\n#;]|$)"
)  # the end of an alias, which is much faster to find
_MADE_BY_CALL = re.compile(rb"(\w+)[ \t]*=[^\n=]*(?:import_module|__import__|importorskip)\(")
_HELD = 4_000_000  # the most bytes of text that are cached
_IMPORTING_CALLS = (b"import_module(", b"__import__(", b"importorskip(")


@dataclasses.dataclass(frozen=True, slots=True)
class Members:
    """The names that a module defines at its top level, resolved to TensorFlow names.

    Attributes:
      names: for each name the TensorFlow name that it refers to, or the import path of another module of the
        project, or `None` if it is neither.
      stars: the modules of its star imports.
    """

    names: dict[str, Export | str | None]
    stars: tuple[str, ...] = ()


class Project:
    """The modules of a project, which are read when needed.

    Args:
      roots: the folders that were named.
    """

    def __init__(self, roots: Iterable[str]) -> None:
        self.files = ModuleFiles(frozenset(roots))
        self.members: dict[str, Members] = {}
        self.open: set[str] = set()
        self.followed: set[tuple[str, str]] = set()
        self.exports: dict[tuple[str, str], Export | None] = {}
        self.possible: dict[str, frozenset[str]] = {}
        self.imported: dict[str, tuple[int, tuple[Imported, ...]]] = {}
        self.located: dict[tuple[str, str, str], tuple[str, str] | None] = {}

    def imports(self, file: str, raw: bytes) -> tuple[Imported, ...]:
        """Return the imports in a file's text; cached."""
        known = self.imported.get(file)
        if known is None or known[0] != len(raw):
            known = self.imported[file] = (len(raw), tuple(imports_in(raw)))
        return known[1]

    def export(self, folder: str, path: str) -> Export | None:
        """Return the TensorFlow name that an import path refers to, for a file in `folder`.

        Return `None` if it refers to neither a TensorFlow name nor a module of the project.
        """
        key = (folder, path)
        if key in self.exports:
            return self.exports[key]
        place = self.files.find(folder, path)
        found = None if place is None else self._follow(*place)
        if not self.followed and not self.open:  # otherwise a cycle may have hidden an export
            self.exports[key] = found
        return found

    def _follow(self, module: str, names: list[str]) -> Export | None:
        """Return the TensorFlow name that an attribute of a module refers to."""
        if not names:
            return Export("")
        step = (module, names[0])  # without further attributes, which a cycle adds in each round
        if step in self.followed:  # an import cycle
            return None
        self.followed.add(step)
        found = self._attribute(module, names)
        self.followed.discard(step)
        return found

    def _attribute(self, module: str, names: list[str]) -> Export | None:
        name, behind = names[0], names[1:]
        members = self._members(module)
        found = members.names.get(name)
        if isinstance(found, str):
            return self.export(os.path.dirname(module), ".".join([found, *behind]))
        if found is not None:
            return Export(".".join([found.dotted, *behind]), found.ambiguous)
        if name in members.names:
            return None
        for star in members.stars:
            path = ".".join([star, *names]) if star.strip(".") else star + ".".join(names)
            own = is_tensorflow(star)
            brought = Export(path) if own else self.export(os.path.dirname(module), path)
            if brought is not None:
                return brought
        inner = self.files.inside(module, name)
        return None if inner is None else self._follow(inner, behind)

    def _members(self, module: str) -> Members:
        if module in self.open:  # an import cycle
            return Members(_plain_imports(self.imports(module, _read(module))))
        if module not in self.members:
            self.open.add(module)
            self.members[module] = self._read_members(module)
            self.open.discard(module)
        return self.members[module]

    def _read_members(self, module: str) -> Members:
        raw = _read(module)
        if not self.concerns(module, raw):
            return Members({})
        try:
            names = resolve_scopes(parse(decode(raw)))
        except (UnreadableError, RecursionError):
            return Members({})
        stars = tuple("." * star.level + (star.module or "") for star in names.stars)
        return Members(module_members(names, SeenFrom(self, module)), stars)

    # Decide by text search which files to parse; false positives are harmless.

    def concerns(self, file: str, raw: bytes) -> bool:
        """Return whether a file may use TensorFlow, directly or through names of other modules."""
        if b"tensorflow" in raw:
            return True
        return any(self._may_bring(file, raw, each) for each in self.imports(file, raw))

    def _may_bring(self, file: str, raw: bytes, imported: Imported) -> bool:
        place = self.locate(os.path.dirname(file), imported)
        if place is None:
            return False
        module, name = place
        possible = self._possible(module)
        if name == "":
            return any(_has_attribute(raw, each) for each in possible)
        return bool(possible) if name == "*" else name in possible or "*" in possible

    def locate(self, folder: str, imported: Imported) -> tuple[str, str] | None:
        """Return the module of the project that an import refers to, and the imported name."""
        key = (folder, imported.path, imported.name)
        if key not in self.located:
            self.located[key] = self._locate(folder, imported)
        return self.located[key]

    def _locate(self, folder: str, imported: Imported) -> tuple[str, str] | None:
        found = self.files.find(folder, imported.path)
        if found is None:
            return None
        module, rest = found
        names = rest if imported.name in ("", "*") else [*rest, imported.name]
        for index, name in enumerate(names):
            inner = self.files.inside(module, name)
            if inner is None:
                return (module, name) if index == len(names) - 1 else None
            module = inner
        return module, "*" if imported.name == "*" else ""

    def _possible(self, module: str) -> frozenset[str]:
        """Return the names of a module that may be TensorFlow's; `*` stands for any name."""
        if module not in self.possible:
            raw = _read(module)
            plain = frozenset(_plain_imports(self.imports(module, raw)))
            self.possible[module] = plain  # preliminary, in case of an import cycle
            self.possible[module] = self._names_in(module, raw, plain)
        return self.possible[module]

    def _names_in(self, module: str, raw: bytes, plain: frozenset[str]) -> frozenset[str]:
        found = set(plain)
        folder = os.path.dirname(module)
        for imported in self.imports(module, raw):
            if is_tensorflow(imported.path):
                found.add(imported.bound)
                continue
            place = self.locate(folder, imported)
            behind = self._possible(place[0]) if place is not None else frozenset()
            if place is not None and behind:
                if place[1] == "*":
                    found |= behind
                elif place[1] == "" or place[1] in behind or "*" in behind:
                    found.add(imported.bound)
        if b"tensorflow" in raw and any(call in raw for call in _IMPORTING_CALLS):
            found.update(name.decode() for name in _MADE_BY_CALL.findall(raw))
        return frozenset(_with_aliases(raw, found)) if found else frozenset()


class SeenFrom:
    """The modules of a project as one of its files can import them."""

    def __init__(self, project: Project, file: str, taken: Taken | None = None) -> None:
        self.project = project
        self.file = file
        self.folder = os.path.dirname(file)
        self.taken = taken

    def export(self, path: str) -> Export | None:
        """Return the TensorFlow name that an import path of this file refers to."""
        return self.project.export(self.folder, path)

    def takes(self, name: str) -> bool:
        """Return whether another module imports a name from this file."""
        return self.taken is not None and self.taken.has(self.file, name)

    def import_whole(self) -> bool:
        """Return whether another module imports this file as a module, and may use any of its names."""
        return self.taken is not None and self.file in self.taken.wholes

    def concern(self, raw: bytes) -> bool:
        """Return whether this file may use TensorFlow, directly or through names of other modules."""
        return self.project.concerns(self.file, raw)

    def passes_list(self, function: str, argument: int | str) -> bool:
        """Return whether a file of the run calls a function of this name with a list as the argument."""
        return self.taken is not None and (function, argument) in self.taken.lists

    def mentions(self, name: str) -> bool:
        """Return `False`: unlike in a notebook, there is no text around the program that may use a name."""
        return False


class Taken:
    """The names and the functions of lists that files of a run use of each other; the rewriter keeps the names.

    Args:
      project: finds modules.
      files: all files of the run.
    """

    def __init__(self, project: Project, files: Iterable[str]) -> None:
        self.names: dict[str, set[str]] = {}
        self.wholes: dict[str, list[str]] = {}
        self.answers: dict[tuple[str, str], bool] = {}
        self.texts: dict[str, bytes] = {}
        self.held = 0
        self.lists: set[tuple[str, int | str]] = set()  # functions and arguments given lists
        self.imports: list[tuple[str, str]] = []  # files, and the files that they import
        for file in files:
            folder, raw = os.path.dirname(file), _read(file)
            if b"tensorflow" in raw:
                self.lists.update(lists_passed_in(raw))
            for imported in project.imports(file, raw):
                place = project.locate(folder, imported)
                if place is None or place[0] == file:
                    continue
                module, name = place
                self.imports.append((file, module))
                if name:
                    self.names.setdefault(module, set()).add(name)
                else:
                    self.wholes.setdefault(module, []).append(file)

    def has(self, module: str, name: str) -> bool:
        """Return whether a file uses a name of a module: by an import, a star import or as an attribute."""
        key = (module, name)
        if key not in self.answers:
            self.answers[key] = self._has(module, name)
        return self.answers[key]

    def _has(self, module: str, name: str) -> bool:
        names = self.names.get(module, set())
        if name in names or "*" in names:
            return True
        return any(_has_attribute(self._text(file), name) for file in self.wholes.get(module, ()))

    def _text(self, file: str) -> bytes:
        """Return the content of a file, cached up to a limit."""
        text = self.texts.get(file)
        if text is None:
            text = _read(file)
            if self.held + len(text) > _HELD:
                self.texts, self.held = {}, 0
            self.texts[file] = text
            self.held += len(text)
        return text


def _plain_imports(imports: Iterable[Imported]) -> dict[str, Export | str | None]:
    """Return a dict from local names to the TensorFlow names that a text imports directly."""
    found: dict[str, Export | str | None] = {}
    for imported in imports:
        if is_tensorflow(imported.path) and imported.name != "*":
            whole = not imported.name and imported.bound == "tensorflow"
            dotted = ".".join(filter(None, (imported.path, imported.name)))
            found[imported.bound] = Export("tensorflow" if whole else dotted)
    return found


def _with_aliases(raw: bytes, names: set[str]) -> Iterator[str]:
    """Yield names and the names assigned from them: `layers` for `layers = tf.keras.layers`."""
    places: dict[bytes, list[int]] = {}
    for found in _ASSIGNED.finditer(raw):
        places.setdefault(found[1], []).append(found.start())
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        yield name
        for new in _aliases_of(raw, name.encode(), places):
            if new not in names:
                names.add(new)
                waiting.append(new)


def _aliases_of(raw: bytes, name: bytes, places: dict[bytes, list[int]]) -> Iterator[str]:
    """Yield the names to which `name` or its attributes are assigned at the given positions."""
    for place in places.get(name, ()):
        start = raw.rfind(b"\n", 0, place) + 1
        end = raw.find(b"\n", place) + 1 or len(raw)
        for new, old in _ALIAS.findall(raw, start, end):
            if old == name:
                yield new.decode()


def _has_attribute(raw: bytes, name: str) -> bool:
    """Return whether a text contains `.name`, and thus may access an attribute of that name."""
    if name == "*":
        return True
    return name.encode() in raw and _attribute(name).search(raw) is not None


@functools.cache
def _attribute(name: str) -> re.Pattern[bytes]:
    return re.compile(rb"\.\s*%s\b" % re.escape(name.encode()))


def _read(module: str) -> bytes:
    """Return the content of a module; empty for folders, links, pipes and unreadable files."""
    if not module.endswith((".py", ".ipynb")):
        return b""
    try:
        if not stat.S_ISREG(os.lstat(module).st_mode):  # opening a pipe would block
            return b""
        with open(module, "rb") as file:
            return file.read(LARGEST)
    except OSError:
        return b""
