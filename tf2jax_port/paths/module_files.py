"""Which file a module is in, looked for as Python does: from the folders of a project."""

from __future__ import annotations

import os


class ModuleFiles:
    """Finds modules; each folder is listed once.

    A package is named by its `__init__.py`, a folder of modules without one by itself.

    Args:
      roots: the folders that were named; nothing above them is looked at, but for the package that
        they may be part of.
    """

    def __init__(self, roots: frozenset[str]) -> None:
        self.roots = roots
        self.listed: dict[str, frozenset[str]] = {}
        self.found: dict[tuple[str, str], tuple[str, list[str]] | None] = {}
        self.paths: dict[str, tuple[str, ...]] = {}

    def find(self, folder: str, path: str) -> tuple[str, list[str]] | None:
        """The module that an import begins with, and the names that are left of its path.

        Args:
          folder: where the file is that imports.
          path: what, with leading dots where it is relative.
        """
        key = (folder, path)
        if key not in self.found:
            self.found[key] = self._find(*key)
        return self.found[key]

    def _find(self, importer: str, path: str) -> tuple[str, list[str]] | None:
        name = path.lstrip(".")
        level = len(path) - len(name)
        parts = name.split(".") if name else []
        if level:
            folder = _up(importer, level - 1)
            package = self._package(folder)
            return None if package is None else (package, parts)
        for folder in self._search_path(importer):
            found = self._in_folder(folder, parts[0])
            if found is not None:
                return found, parts[1:]
        return None

    def inside(self, module: str, name: str) -> str | None:
        """The submodule of a package, `None` where it has none of that name."""
        if module.endswith("__init__.py"):
            return self._in_folder(_folder(module), name)
        return None if module.endswith(".py") else self._in_folder(module, name)

    def _in_folder(self, folder: str, name: str) -> str | None:
        held = self._list(folder)
        if name in held:
            package = self._package(os.path.join(folder, name))
            if package is not None:
                return package
        return os.path.join(folder, f"{name}.py") if f"{name}.py" in held else None

    def _package(self, folder: str) -> str | None:
        held = self._list(folder)
        if "__init__.py" in held:
            return os.path.join(folder, "__init__.py")
        return (folder or ".") if any(entry.endswith(".py") for entry in held) else None

    def _search_path(self, folder: str) -> tuple[str, ...]:
        """The folder itself and those above it up to the one that was named, and `src` in them."""
        if folder not in self.paths:
            found: list[str] = []
            place = folder
            while True:
                found.append(place)
                if "src" in self._list(place):
                    found.append(os.path.join(place, "src"))
                above = _up(place, 1)
                outermost = place in self.roots and "__init__.py" not in self._list(place)
                if outermost or above == place:
                    break
                place = above
            self.paths[folder] = tuple(found)
        return self.paths[folder]

    def _list(self, folder: str) -> frozenset[str]:
        if folder not in self.listed:
            try:
                self.listed[folder] = frozenset(os.listdir(folder or "."))
            except OSError:
                self.listed[folder] = frozenset()
        return self.listed[folder]


def _folder(file: str) -> str:
    return os.path.dirname(file)


def _up(folder: str, levels: int) -> str:
    """A folder some levels up; relative paths stay relative where they can."""
    for _ in range(levels):
        if os.path.basename(folder) in ("", ".", ".."):
            folder = os.path.dirname(os.path.abspath(folder or "."))
        else:
            folder = os.path.dirname(folder)
    return folder
