"""Define the options of a run."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import Literal

from tf2jax_port.paths.patterns import Pattern, is_matched

TargetName = Literal["jax", "shims"]
RandomName = Literal["tensorflow", "keys"]
OptimizersName = Literal["keras", "optax"]
_ALL = ("TJ",)


@dataclasses.dataclass(frozen=True, slots=True)
class FileIgnores:
    """Diagnostics to ignore in the files below a folder that match patterns."""

    base: pathlib.Path
    patterns: tuple[Pattern, ...]
    codes: tuple[str, ...]

    def meets(self, file: pathlib.Path) -> bool:
        """Return whether a file, or a folder that contains it, matches."""
        if not file.is_relative_to(self.base):
            return False
        parts = file.relative_to(self.base).parts
        paths = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
        return any(is_matched(self.patterns, p, is_folder=p != paths[-1]) for p in paths)


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """The options of a run, the same for every file; passed whole to worker processes.

    Attributes:
      target: `jax`: operators become JAX's; `shims`: they become their namesakes in `shims`.
      exact: call `shims` where JAX's spelling differs from TensorFlow in a corner case.
      safe_only: write nothing that could differ; implies `exact`.
      select: prefixes of the diagnostics whose references are rewritten.
      ignore: prefixes of the diagnostics whose references are not rewritten.
      doctests: rewrite examples in docstrings too.
      random: `tensorflow`: TensorFlow's numbers, from `shims.random`; `keys`: `jax.random` and other numbers
        where a key is available.
      optimizers: `keras`: TensorFlow's optimizers become those of Keras 3; `optax`: those of Optax where all
        their uses are visible.
      per_file: further diagnostics to ignore, in some files.
    """

    target: TargetName = "jax"
    exact: bool = False
    safe_only: bool = False
    select: tuple[str, ...] = _ALL
    ignore: tuple[str, ...] = ()
    doctests: bool = False
    random: RandomName = "tensorflow"
    optimizers: OptimizersName = "keras"
    per_file: tuple[FileIgnores, ...] = ()

    @property
    def takes_exact(self) -> bool:
        """Whether TensorFlow's behavior in corner cases is kept where possible."""
        return self.exact or self.safe_only

    def selects(self, code: str) -> bool:
        """Return whether references with a diagnostic are rewritten; the longest prefix decides."""
        if not self.ignore and self.select == _ALL:
            return True
        selected = max((len(s) for s in self.select if code.startswith(s)), default=-1)
        ignored = max((len(s) for s in self.ignore if code.startswith(s)), default=-1)
        return selected > ignored

    def for_file(self, file: pathlib.Path) -> Options:
        """Return the options for one file."""
        if not self.per_file:
            return self
        absolute = file.absolute()
        more = [code for each in self.per_file if each.meets(absolute) for code in each.codes]
        return dataclasses.replace(self, ignore=(*self.ignore, *more), per_file=())
