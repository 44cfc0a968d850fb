"""What sizes can be: parts, multiples and differences of how many elements a selection has.

A size of its own is one thing for an operator, half of it or one less another: JAX asks of `n - 1`
whether it is at least 1, of `n // 2` how much it is. `SELECTIONS` choose, `CUTS` make an array of
another size of what is chosen, each a few calls of the table's operators. The name of a cut says how
many elements it has of a vector of `n`.
"""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np

from . import operators
from .growing import Growing
from .program import Call, Input, Program, Ref


class Written:
    """A program that is written call by call.

    Attributes:
      growing: the program.
      last: the name of the newest value.
    """

    def __init__(self, inputs: list[Input]) -> None:
        self.growing = Growing(inputs)
        self.last = ""
        self._names = (f"v{number}" for number in itertools.count())

    def __call__(self, name: str, results: int = 1, **arguments: object) -> Ref:
        """Adds a call; its first result.

        Raises:
          Exception: TensorFlow's, where it does not answer.
        """
        names = tuple(next(self._names) for _ in range(results))
        self.growing.add(Call(names, operators.named(name).row, tuple(arguments.items())))
        self.last = names[0]
        return Ref(names[0])


def _slice(do: Written, value: Ref, begin: int | None, end: int | None, step: int = 1) -> Ref:
    return do(
        "strided_slice",
        input_=value,
        begin=[begin or 0],
        end=[end or 0],
        strides=[step],
        begin_mask=int(begin is None),
        end_mask=int(end is None),
    )


def _counts(do: Written, value: Ref) -> Ref:
    """0, 1 or 2, as many as there are numbers; 0 for NaN."""
    above = (do("greater", x=value, y=np.asarray(each, np.float32)) for each in (0, 1))
    return do("add_n", inputs=tuple(do("cast", x=each, dtype="int32") for each in above))


def _of_size(do: Written, value: Ref, size: Ref) -> Ref:
    return do("slice", input_=value, begin=[0], size=(size,))


def _outer(do: Written, y: Ref) -> Ref:
    rows = do("expand_dims", input=y, axis=1)
    return do(
        "reshape",
        tensor=do("add", x=rows, y=do("expand_dims", input=y, axis=0)),
        shape=[-1],
    )


def _zero() -> np.ndarray:
    return np.asarray(0.0, np.float32)


SELECTIONS = {
    "masked": lambda do, x: do("boolean_mask", tensor=x, mask=do("greater_equal", x=x, y=_zero())),
    "distinct": lambda do, x: do("unique", 2, x=x),
    "found": lambda do, x: do(
        "gather",
        params=x,
        indices=do(
            "reshape", tensor=do("where", condition=do("greater", x=x, y=_zero())), shape=[-1]
        ),
    ),
    "repeated": lambda do, x: do("repeat", input=x, repeats=_counts(do, x)),
    "whole": lambda do, x: x,
}

CUTS = {
    "n - 1: without the first": lambda do, y: _slice(do, y, 1, None),
    "n - 1: without the last": lambda do, y: _slice(do, y, None, -1),
    "n - 2": lambda do, y: _slice(do, y, 1, -1),
    "(n + 1) // 2": lambda do, y: _slice(do, y, None, None, 2),
    "n // 2": lambda do, y: _of_size(
        do, y, do("math.floordiv", x=do("size", input=y), y=np.int32(2))
    ),
    "min(n, 2)": lambda do, y: _slice(do, y, -2, None),
    "max(n, 3)": lambda do, y: do(
        "pad",
        tensor=y,
        paddings=(
            do(
                "stack",
                values=(
                    np.int32(0),
                    do(
                        "maximum",
                        x=do("subtract", x=np.int32(3), y=do("size", input=y)),
                        y=np.int32(0),
                    ),
                ),
            ),
        ),
    ),
    "2 * n": lambda do, y: do("concat", values=(y, y), axis=0),
    "2 * n - 2": lambda do, y: _slice(do, do("tile", input=y, multiples=[2]), 1, -1),
    "n - 1: differences": lambda do, y: do(
        "subtract", x=_slice(do, y, 1, None), y=_slice(do, y, None, -1)
    ),
    "n * n": lambda do, y: _outer(do, y),
    "n + 2": lambda do, y: do("pad", tensor=y, paddings=[[1, 1]]),
    "2 * (n - 1): rows": lambda do, y: do("stack", values=(_slice(do, y, 1, None),) * 2, axis=0),
    "(n - 1) * 2: columns": lambda do, y: do(
        "stack", values=(_slice(do, y, None, -1),) * 2, axis=1
    ),
    "(n - 1) * (n - 1)": lambda do, y: _outer(do, _slice(do, y, 1, None)),
    "max(n, 1): counted": lambda do, y: do(
        "cast",
        x=do(
            "range",
            start=np.int32(0),
            limit=do("add", x=do("size", input=_slice(do, y, 1, None)), y=np.int32(1)),
            delta=np.int32(1),
        ),
        dtype="float32",
    ),
    "n * (n - 1)": lambda do, y: do(
        "multiply",
        x=do("expand_dims", input=y, axis=1),
        y=do("expand_dims", input=_slice(do, y, 1, None), axis=0),
    ),
    "data: some of n - 1": lambda do, y: _masked_again(do, _slice(do, y, None, -1)),
    "data: some, and n - 1": lambda do, y: do(
        "concat", values=(_masked_again(do, y), _slice(do, y, 1, None)), axis=0
    ),
}


def _masked_again(do: Written, value: Ref) -> Ref:
    some = do("greater", x=value, y=np.asarray(0.4, np.float32))
    return do("boolean_mask", tensor=value, mask=some)


def selecting(program: Program, count: int) -> Program:
    """The program on an `x` whose first `count` elements alone are positive.

    What is written for random numbers hardly ever selects nothing, or one element and no more.
    """
    return dataclasses.replace(
        program, inputs=tuple(_selected(each, count) for each in program.inputs)
    )


def _selected(given: Input, count: int) -> Input:
    if given.name != "x":
        return given
    value = np.where(np.isfinite(given.value), -np.abs(given.value) - 0.5, -1)
    value[:count] = 0.75
    return dataclasses.replace(given, value=value.astype(given.value.dtype))
