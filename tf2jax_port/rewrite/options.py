"""What a person may ask of a run."""

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
    """Diagnostics that are left alone in the files that patterns below a folder meet."""

    base: pathlib.Path
    patterns: tuple[Pattern, ...]
    codes: tuple[str, ...]

    def meets(self, file: pathlib.Path) -> bool:
        """Whether a file, or a folder that it is in, is met."""
        if not file.is_relative_to(self.base):
            return False
        parts = file.relative_to(self.base).parts
        paths = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
        return any(is_matched(self.patterns, p, is_folder=p != paths[-1]) for p in paths)


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """The same for every file of a run; goes to worker processes as a whole.

    Attributes:
      target: `jax`: each operator becomes JAX's; `shims`: each becomes its namesake in `shims`.
      exact: where JAX's spelling differs from TensorFlow in a corner, `shims` is called instead.
      safe_only: nothing is written that could differ; implies `exact`.
      select: beginnings of the diagnostics whose references are rewritten.
      ignore: beginnings of the diagnostics whose references are left alone.
      doctests: examples in docstrings are rewritten too.
      random: `tensorflow`: TensorFlow's numbers, from `shims.random`; `keys`: `jax.random` and other
        numbers where a key can be had.
      optimizers: `keras`: TensorFlow's optimizers become those of Keras 3; `optax`: those of Optax
        where all that is done with them can be seen.
      per_file: more to ignore, in some files.
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
        """Whether TensorFlow's corners are kept where they can be."""
        return self.exact or self.safe_only

    def selects(self, code: str) -> bool:
        """Whether references with a diagnostic are rewritten: the longest beginning decides."""
        if not self.ignore and self.select == _ALL:
            return True
        selected = max((len(s) for s in self.select if code.startswith(s)), default=-1)
        ignored = max((len(s) for s in self.ignore if code.startswith(s)), default=-1)
        return selected > ignored

    def for_file(self, file: pathlib.Path) -> Options:
        """What was asked for of one file."""
        if not self.per_file:
            return self
        absolute = file.absolute()
        more = [code for each in self.per_file if each.meets(absolute) for code in each.codes]
        return dataclasses.replace(self, ignore=(*self.ignore, *more), per_file=())
