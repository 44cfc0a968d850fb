"""The rows of the programs table, and the inputs that all of them share."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

ROWS = 6

MASKS = {
    "full": np.ones(ROWS, bool),
    "some": np.array([False, True, True, False, True, False]),
    "others": np.array([True, False, False, True, False, True]),
    "one": np.array([False, False, False, True, False, False]),
    "zero": np.zeros(ROWS, bool),
}


# Shapes of unknown-size programs, and sizes at which two unknown dimensions meet or do not.
VECTOR = ((None,),)
MATRIX = ((None, 5),)
BATCH = ((None, 5), (None,))
PAIR = ((None,), (None,))
UNEQUAL = ((3, 3), (4, 2), (5, 5), (1, 4), (4, 1), (0, 3), (0, 0), (1, 1), (2, 0))


class Refused:
    """Plain JAX raises on an empty array; the top level raises too, and `jit` promises nothing."""


@dataclass(frozen=True)
class Masked:
    """A plain function of one array of exact size, here the rows of `x` that a mask selects.

    Attributes:
      f: the program; its name is the row's name.
      shape: the shape of `x`; the mask has `ROWS` elements and selects along axis 0.
      integers: `x` holds small integers instead of normals.
      empty: what the program gives for no rows at all. `None` means what plain JAX gives; a
        callable gives TensorFlow's documented value where plain JAX raises; `Refused` where both
        do.
      assumes: cases in which JAX's reasoning about sizes (one is not one, or is not zero) is wrong:
        a foreign `jit` may give an error value instead of the answer; the top level traces again
        and is right.
      tolerance: relative to the largest magnitude of the reference.
      gradient: whether the program is differentiated.
      refusal: it may raise one of the documented errors, for this reason, instead of answering.
    """

    f: Callable
    shape: tuple[int, ...] = (ROWS, 5)
    integers: bool = False
    empty: object = None
    assumes: tuple[str, ...] = ()
    tolerance: float = 2e-5
    gradient: bool = True
    refusal: str = ""

    @property
    def name(self) -> str:
        return self.f.__name__

    def x(self) -> np.ndarray:
        rng = generator(self.name)
        if self.integers:
            return rng.integers(0, 4, self.shape).astype(np.int32)
        return rng.normal(size=self.shape).astype(np.float32)


@dataclass(frozen=True)
class Selecting:
    """A function `f(tf, *inputs)` that makes its own data-dependent sizes.

    The reference is the same function run eagerly on exact arrays, with plain NumPy selections in
    the place of `tf`, unless the row brings its own.

    Attributes:
      f: the program; its name is the row's name.
      reference: `f` over exact arrays, written as Python loops, where `f` traces its own body.
      inputs: from a generator to cases: name -> arguments, all of the same shapes and dtypes.
      refused_cases: cases that plain JAX refuses on exact arrays.
      unbounded: nothing bounds the size, so that only the top level, which can grow, has an answer.
      refusal: it may raise one of the documented errors, for this reason, instead of answering.
    """

    f: Callable
    inputs: Callable[[np.random.Generator], dict[str, tuple]]
    reference: Callable | None = None
    tolerance: float = 2e-5
    gradient: bool = True
    refused_cases: tuple[str, ...] = ()
    unbounded: bool = False
    refusal: str = ""

    @property
    def name(self) -> str:
        return self.f.__name__

    def cases(self) -> dict[str, tuple]:
        return self.inputs(generator(self.name))


@dataclass(frozen=True)
class Sized:
    """A plain function of arrays whose sizes are unknown until the call.

    Attributes:
      f: the program; its name is the row's name.
      specs: one shape a parameter, with `None` for an unknown dimension.
      sizes: the values that the unknown dimensions take, all of them alike in one call; a tuple
        gives one value for each unknown dimension in order.
      integers: positions of the parameters that hold small integers.
      specializes: the size has to become a constant, which is announced by one warning.
    """

    f: Callable
    specs: tuple[tuple[int | str | None, ...], ...]
    sizes: tuple = (0, 1, 2, 4, 5, 8)
    integers: tuple[int, ...] = ()
    tolerance: float = 2e-5
    gradient: bool = True
    specializes: bool = False

    @property
    def name(self) -> str:
        return self.f.__name__

    def arguments(self, size: int | tuple[int, ...]) -> tuple[np.ndarray, ...]:
        rng = generator(self.name)
        values = [size] * 16 if isinstance(size, int) else list(size)
        arrays = []
        for position, spec in enumerate(self.specs):
            shape = tuple(values.pop(0) if d is None else d for d in spec)
            if position in self.integers:
                arrays.append(rng.integers(0, 3, shape).astype(np.int32))
            else:
                arrays.append(rng.normal(size=shape).astype(np.float32))
        return tuple(arrays)


@dataclass(frozen=True)
class Ported:
    """TensorFlow code, written once as a function of the module `tf`.

    Attributes:
      f: the program; its name is the row's name.
      inputs: `(generator, n, kind)` to arguments; `n` sizes the unknown dimension, `kind` is a key
        of `MASKS` that says how much is selected.
      sizes: the sizes at which it runs; within one size all kinds share shapes.
      unbounded: nothing bounds one of its sizes, so that a foreign `jit` refuses it.
      control_flow: Python control flow on tensors decides; JAX's transformations call the program
        unconverted, so that it is differentiated from outside only.
    """

    f: Callable
    inputs: Callable
    kinds: tuple[str, ...] = ("full", "some", "others", "one", "zero")
    sizes: tuple[int, ...] = (6, 1, 9)
    tolerance: float = 2e-5
    gradient: bool = True
    unbounded: bool = False
    control_flow: bool = False

    @property
    def name(self) -> str:
        return self.f.__name__

    def arguments(self, n: int, kind: str) -> tuple:
        return self.inputs(generator(f"{self.name}{n}"), n, kind)


def generator(name: str) -> np.random.Generator:
    """A generator seeded by a row's name, so that a row's inputs never depend on other rows."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def mask(n: int, kind: str) -> np.ndarray:
    """A mask of `n` elements of one of the kinds of `MASKS`."""
    if kind == "one":
        return np.arange(n) == n // 2
    return np.resize(MASKS[kind], n)
