"""Define the options of a run."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import Literal

from tf2jax_port.paths.patterns import Pattern, is_matched

TargetName = Literal["jax", "shims", "graph", "auto"]
TARGETS: tuple[TargetName, ...] = ("jax", "shims", "graph")
RandomName = Literal["tensorflow", "keys"]
OptimizersName = Literal["keras", "optax"]
DataName = Literal["tensorflow", "shims"]
_ALL = ("TJ",)


@dataclasses.dataclass(frozen=True, slots=True)
class FileIgnores:
    """Diagnostics that are ignored in the files below `base` that match one of the patterns."""

    base: pathlib.Path
    patterns: tuple[Pattern, ...]
    codes: tuple[str, ...]

    def meets(self, file: pathlib.Path) -> bool:
        """Return whether a file, or a folder that contains it, matches one of the patterns."""
        if not file.is_relative_to(self.base):
            return False
        parts = file.relative_to(self.base).parts
        paths = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
        return any(is_matched(self.patterns, p, is_folder=p != paths[-1]) for p in paths)


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """The options of a run of the rewriter, the same for every file.

    Attributes:
      target: `jax` to replace operators by those of JAX, `shims` to replace them by those of the same name in `shims`,
        `graph` to run programs of TensorFlow 1 on `shims.compat.v1`, `auto` for the target that suits
        each file.
      exact: whether to call `shims` if JAX's function differs from TensorFlow's in a corner case.
      safe_only: whether to make only changes that cannot alter results; implies `exact`.
      select: prefixes of the diagnostics whose references are rewritten.
      ignore: prefixes of the diagnostics whose references are not rewritten.
      doctests: whether to rewrite examples in docstrings too.
      random: `tensorflow` for TensorFlow's random numbers, from `shims.random`; `keys` for `jax.random` with other
        numbers, where a key is available.
      optimizers: `keras` to replace optimizers by those of Keras 3; `optax` to replace them by those of Optax if all
        of their uses are visible.
      data: `tensorflow` to keep `tf.data`, records, pictures and strings; `shims` to replace them by those of `shims`
        in files of which it has every such name.
      per_file: further diagnostics to ignore in some files.
    """

    target: TargetName = "jax"
    exact: bool = False
    safe_only: bool = False
    select: tuple[str, ...] = _ALL
    ignore: tuple[str, ...] = ()
    doctests: bool = False
    random: RandomName = "tensorflow"
    optimizers: OptimizersName = "keras"
    data: DataName = "tensorflow"
    per_file: tuple[FileIgnores, ...] = ()

    @property
    def takes_exact(self) -> bool:
        """Whether to keep TensorFlow's behavior in corner cases if possible."""
        return self.exact or self.safe_only

    def selects(self, code: str) -> bool:
        """Return whether references with a diagnostic are rewritten; the longest matching prefix decides."""
        if not self.ignore and self.select == _ALL:
            return True
        selected = max((len(s) for s in self.select if code.startswith(s)), default=-1)
        ignored = max((len(s) for s in self.ignore if code.startswith(s)), default=-1)
        return selected > ignored

    def for_file(self, file: pathlib.Path) -> Options:
        """Return the options for one file, with the diagnostics to ignore in it."""
        if not self.per_file:
            return self
        absolute = file.absolute()
        more = [code for each in self.per_file if each.meets(absolute) for code in each.codes]
        return dataclasses.replace(self, ignore=(*self.ignore, *more), per_file=())
