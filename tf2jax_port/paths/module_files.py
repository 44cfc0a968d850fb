"""Find the file of an imported module among the folders of a project, as Python would."""

from __future__ import annotations

import os


class ModuleFiles:
    """Finds the files of modules; the contents of folders are cached.

    A package is represented by its `__init__.py`, a namespace package by its folder.

    Args:
      roots: the folders that were named; folders above them are searched only if a root is part of a
        package.
    """

    def __init__(self, roots: frozenset[str]) -> None:
        self.roots = roots
        self.listed: dict[str, frozenset[str]] = {}
        self.found: dict[tuple[str, str], tuple[str, list[str]] | None] = {}
        self.paths: dict[str, tuple[str, ...]] = {}

    def find(self, folder: str, path: str) -> tuple[str, list[str]] | None:
        """Return the file of the module that an import path begins with, and the rest of the path.

        Args:
          folder: the folder of the importing file.
          path: the import path, with leading dots if it is relative.
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
        """Return the file of a package's submodule; `None` if there is none of that name."""
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
        """Return the folders to search: `folder`, its parents up to the named one, and each one's `src`."""
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
    """Return the folder `levels` above; a relative path stays relative if possible."""
    for _ in range(levels):
        if os.path.basename(folder) in ("", ".", ".."):
            folder = os.path.dirname(os.path.abspath(folder or "."))
        else:
            folder = os.path.dirname(folder)
    return folder
