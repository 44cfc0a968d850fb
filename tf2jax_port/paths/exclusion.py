"""Decide which files and folders are skipped, by the user's patterns and by `.gitignore`."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from collections.abc import Iterable

from tf2jax_port.paths.patterns import Pattern, is_matched, parse_patterns

# Folders without the project's own source: hidden ones, caches, installed or built files.
DEFAULT = (
    ".*/",
    "__pycache__/",
    "__pypackages__/",
    "_build/",
    "buck-out/",
    "build/",
    "dist/",
    "node_modules/",
    "site-packages/",
)


@dataclasses.dataclass(frozen=True, slots=True)
class Exclusion:
    """The patterns and settings that determine which files are skipped.

    Attributes:
      patterns: lists of patterns, each with the folder that it belongs to.
      gitignore: whether `.gitignore` files count.
      force: whether files that were named explicitly can be skipped too.
    """

    patterns: tuple[tuple[pathlib.Path, tuple[Pattern, ...]], ...] = ()
    gitignore: bool = True
    force: bool = False

    @classmethod
    def of(
        cls,
        lists: Iterable[tuple[pathlib.Path, Iterable[str]]],
        *,
        gitignore: bool = True,
        force: bool = False,
    ) -> Exclusion:
        """Build an exclusion from lists of patterns, each with the folder that it is relative to."""
        parsed = tuple(
            (pathlib.Path(os.path.abspath(base)), parse_patterns(lines)) for base, lines in lists
        )
        return cls(parsed, gitignore, force)

    @classmethod
    def usual(cls) -> Exclusion:
        """Return the default exclusion."""
        return cls.of([(pathlib.Path.cwd(), DEFAULT)])

    def below(self, root: pathlib.Path) -> Below:
        """Return the exclusions for a walk of one folder that was named on the command line."""
        return Below(self, pathlib.Path(os.path.abspath(root)))

    def has_named(self, file: pathlib.Path) -> bool:
        """Return whether an explicitly named file is skipped; only with `force`."""
        if not self.force:
            return False
        path = pathlib.Path(os.path.abspath(file))
        bases = [base for base, _ in self.patterns if path.is_relative_to(base)]
        base = max(bases, key=lambda b: len(b.parts), default=path.parent)
        asked = self.below(base)
        parts = path.relative_to(base).parts
        folders = [base.joinpath(*parts[:n]) for n in range(1, len(parts))]
        for folder in folders:
            asked.enter(folder.parent)
            if asked.passes_over(folder, is_folder=True):
                return True
        asked.enter(path.parent)
        return asked.passes_over(path, is_folder=False)


class Below:
    """The exclusions that apply during the walk of one folder.

    A folder must be entered before its subfolders.
    """

    def __init__(self, exclusion: Exclusion, root: pathlib.Path) -> None:
        self.exclusion = exclusion
        self.root = root
        self.patterns = [_List(str(base), each) for base, each in exclusion.patterns if each]
        self.ignored: list[_List] = []  # outer folders first
        self.entered: set[str] = set()
        if exclusion.gitignore:
            self._read_above()

    def enter(self, folder: pathlib.Path) -> None:
        """Read the `.gitignore` of a folder; call this before checking its contents."""
        name = os.path.abspath(folder)
        if self.exclusion.gitignore and name not in self.entered:
            self.entered.add(name)
            self._add(name)

    def passes_over(self, path: pathlib.Path, *, is_folder: bool) -> bool:
        """Return whether to skip a file or folder; its parent folders must not be skipped themselves."""
        name = os.path.abspath(path)
        if any(each.says(name, is_folder) for each in self.patterns):
            return True
        return self._is_ignored(name, is_folder)

    def _add(self, folder: str) -> None:
        patterns = _gitignore(folder)
        if patterns:
            self.ignored.append(_List(folder, patterns))

    def _is_ignored(self, path: str, is_folder: bool) -> bool:
        said = None
        for each in self.ignored:  # the innermost file has the last word
            if path.startswith(each.prefix):
                here = each.says(path, is_folder)
                said = said if here is None else here
        return bool(said)

    def _read_above(self) -> None:
        """Read the `.gitignore` files from the repository's root down to this folder.

        They do not apply if the folder itself is ignored, since it was named explicitly.
        """
        chain = [self.root, *self.root.parents]
        top = next((n for n, folder in enumerate(chain) if (folder / ".git").exists()), 0)
        for folder in reversed(chain[1 : top + 1]):
            self._add(str(folder))
        if any(self._is_ignored(str(folder), is_folder=True) for folder in chain[:top]):
            self.ignored = []


class _List:
    """The patterns of one folder, which is kept as a string for speed."""

    def __init__(self, base: str, patterns: tuple[Pattern, ...]) -> None:
        self.prefix = os.path.join(base, "")
        self.patterns = patterns

    def says(self, path: str, is_folder: bool) -> bool | None:
        """Return whether the patterns match a path.

        `False` means that the last matching pattern is negated, `None` that no pattern matches. A path
        outside of the folder can match only a pattern without a slash.
        """
        inside = path[len(self.prefix) :] if path.startswith(self.prefix) else path.lstrip(os.sep)
        return is_matched(self.patterns, inside.replace(os.sep, "/"), is_folder=is_folder)


def _gitignore(folder: str) -> tuple[Pattern, ...]:
    try:
        with open(
            os.path.join(folder, ".gitignore"), encoding="utf-8", errors="surrogateescape"
        ) as file:
            return parse_patterns(file)
    except OSError:
        return ()
