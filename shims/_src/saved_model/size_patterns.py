"""Enumerate for which sizes programs are saved, and find the program for the sizes of a call.

A program is traced for unknown sizes that are all different. If that fails, as the sum of two vectors of
unknown lengths does, it is traced for equal sizes, for sizes of 1 and for the sizes of variables. If
the program depends on a decision, such as `n == 1`, another one is traced for the sizes that decide
otherwise.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from shims._src.saved_model.saved_functions import Program, Shapes, Size
from shims._src.types.tensor_spec import TensorSpec

# The largest number of combinations of ranks for arguments of unknown rank.
_MOST_RANKS = 30
_HIGHEST_RANK = 5
# The largest number of unknown sizes with programs for empty operands.
_MOST_EMPTY = 2


def first_patterns(specs: Sequence[TensorSpec]) -> Iterator[Shapes]:
    """Yield the shapes of operands in which all unknown sizes are different, for each combination of ranks."""
    free = sum(s.shape.rank is None for s in specs)
    highest = _HIGHEST_RANK
    while free and highest and (highest + 1) ** free > _MOST_RANKS:
        highest -= 1
    for ranks in itertools.product(range(highest + 1), repeat=free):
        left, numbers = iter(ranks), itertools.count()
        shapes = []
        for spec in specs:
            sizes = [None] * next(left) if spec.shape.rank is None else list(spec.shape)
            shapes.append(tuple(_own_name(d, numbers) for d in sizes))
        yield tuple(shapes)


def _own_name(size, numbers) -> Size:
    if isinstance(size, str):
        return f"s_{size}"
    return f"n{next(numbers)}" if size is None else int(size)


def names_in(shapes: Shapes) -> list[str]:
    """Return the names of unknown sizes, in the order in which they occur."""
    return list(dict.fromkeys(d for shape in shapes for d in shape if isinstance(d, str)))


def replaced(shapes: Shapes, changes: dict[str, Size]) -> Shapes:
    """Return shapes in which other sizes stand for some names."""
    return tuple(tuple(changes.get(d, d) for d in s) for s in shapes)  # type: ignore[arg-type]


def worthwhile(shapes: Shapes, excluded) -> list[tuple[str, Size]]:
    """Return the values of unknown sizes for which another program is stored.

    Args:
      shapes: the shapes of the operands of a program.
      excluded: the values for which that is not valid. Empty operands have programs only if few sizes are unknown.
    """
    has_many = len(names_in(shapes)) > _MOST_EMPTY
    return [(name, size) for name, size in excluded if not (has_many and size == 0)]


def relaxations(shapes: Shapes, known: Sequence[int]) -> Iterator[tuple[Shapes, bool]]:
    """Yield shapes to try where a program cannot be traced, and whether a size is 1 in them.

    Args:
      shapes: the shapes for which it cannot be traced.
      known: sizes that may stand for an unknown one, such as those of variables.
    """
    aligned: dict[str, Size] = {}
    first: dict[int, str] = {}
    for shape in shapes:
        for back, size in enumerate(reversed(shape)):
            if isinstance(size, str):
                aligned[size] = first.setdefault(back, size)
    if any(a != b for a, b in aligned.items()):
        yield replaced(shapes, aligned), False
    names = names_in(shapes)
    for one, other in itertools.combinations(names, 2):
        yield replaced(shapes, {other: one}), False
    for name in names:
        yield replaced(shapes, {name: 1}), True
        for size in known:
            yield replaced(shapes, {name: size}), False


def program_for(programs: Sequence[Program], sizes: Sequence[tuple[Size, ...]]) -> Program | None:
    """Return the program for operands of these shapes, or `None`; names stand for any size."""
    for program in programs:
        values = _values_of_names(program.shapes, sizes)
        if values is not None and not any(_may_be(values, *pair) for pair in program.excluded):
            return program
    return None


def _may_be(values: dict[str, Size], name: str, other: Size) -> bool:
    """Return whether two sizes may be equal, one of which has a name in a program."""
    one, two = values[name], other if isinstance(other, int) else values[other]
    return one == two or isinstance(one, str) or isinstance(two, str)


def _values_of_names(shapes: Shapes, sizes) -> dict[str, Size] | None:
    values: dict[str, Size] = {}
    for shape, given in zip(shapes, sizes, strict=True):
        if len(shape) != len(given):
            return None
        for size, number in zip(shape, given, strict=True):
            known = values.setdefault(size, number) if isinstance(size, str) else size
            if known != number:
                return None
    return values
