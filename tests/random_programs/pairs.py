"""Every producer of sizes before every other operator: programs made by rule, not by chance.

A chance to meet a given pair of operators comes once in hours of random programs. Here each operator
whose result has a size of its own, or that moves and spreads what it is given, makes an array, and all
operators that can are called on it, a few to a program. Then two of them in a row, and what would see
their padding: sums, extremes, orders. Last every operator on arrays of every kind of size.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np

from . import operators, sizes
from .growing import Growing
from .operators import Operator
from .program import Input, Program, Ref
from .strategy import Step

PER_PROGRAM = 6
TRIES = 12  # picks of arguments before a pair counts as impossible
# Beside the rows that are `fresh`: what moves, spreads, joins and orders.
STRUCTURAL = (
    *("tile", "broadcast_to", "meshgrid", "pad", "concat", "stack", "reshape", "transpose"),
    *("gather", "gather_nd", "scatter_nd", "tensor_scatter_nd_update", "slice", "strided_slice"),
    *("reverse", "roll", "sort", "math.top_k", "cumsum", "one_hot", "expand_dims", "squeeze"),
    *("fill", "zeros", "ones", "linspace", "eye", "reduce_sum", "reduce_max", "split", "unstack"),
    *("matmul", "shape", "size", "math.segment_sum", "math.unsorted_segment_sum", "where"),
)

# What gives another answer where padding is taken for elements.
SUMMARIES = (
    *("reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_mean", "reduce_any"),
    *("reduce_all", "reduce_logsumexp", "math.reduce_std", "math.count_nonzero", "norm", "argmax"),
    *("argmin", "sort", "argsort", "cumsum", "math.cumprod", "reverse", "math.top_k", "unique"),
    *("matmul", "einsum", "tensordot", "nn.softmax", "nn.l2_normalize", "nn.moments", "size"),
    *("math.segment_sum", "math.unsorted_segment_max", "math.bincount", "concat", "stack"),
    *("gather", "boolean_mask", "reshape", "transpose", "roll", "linalg.trace", "searchsorted"),
)


def producers() -> tuple[Operator, ...]:
    """The operators that come first."""
    return tuple(
        each
        for each in operators.everything()
        if each.row.fresh or set(each.row.names) & set(STRUCTURAL)
    )


def inputs(chance: random.Random, *, odd: bool) -> list[Input]:
    """A vector, a matrix and numbers that can be positions, all of unknown sizes."""
    numbers = [0.5, -1.0, 2.0, 0.3, -0.7, 1.0, 3.0, 0.0]
    if odd:
        numbers += [float("nan"), float("inf"), float("-inf"), -0.0]
    rows = chance.choice((3, 4, 5))
    shapes = {"x": (rows,), "y": (rows, 3)}
    found = [
        Input(
            name,
            np.asarray(chance.choices(numbers, k=int(np.prod(shape))), np.float32).reshape(shape),
            tuple(True for _ in shape),
        )
        for name, shape in shapes.items()
    ]
    # As the sizes of an array they are few: nothing bounds them, and each starts with room for 16.
    places = np.asarray(chance.choices(range(rows), k=min(rows, 3)), np.int32)
    return [*found, Input("i", places, (True,))]


def programs(seed: int, part: int, parts: int) -> Iterator[Program]:
    """One part of all programs; another seed gives other numbers and arguments."""
    for number, first in enumerate(producers()):
        chance = random.Random(f"{seed} {part} {first.row.name}")
        others = list(operators.everything())
        random.Random(f"{seed} {number}").shuffle(others)
        left = others[part::parts]
        while left:
            made, left = _after((first,), left, chance)
            if made is not None:
                yield made


def chains(seed: int, part: int, parts: int) -> Iterator[Program]:
    """One part of the programs of two producers in a row, each with some summaries."""
    pairs = list(itertools.product(producers(), repeat=2))
    random.Random(seed).shuffle(pairs)
    summaries = [each for each in operators.everything() if set(each.row.names) & set(SUMMARIES)]
    for first, second in pairs[part::parts]:
        chance = random.Random(f"{seed} {first.row.name} {second.row.name}")
        made, _ = _after((first, second), chance.sample(summaries, 2 * PER_PROGRAM), chance)
        if made is not None:
            yield made


def of_sizes(seed: int, part: int, parts: int) -> Iterator[Program]:
    """One part of the programs that call every operator on an array of every kind of size."""
    kinds = [*itertools.product(sizes.SELECTIONS, sizes.CUTS)]
    random.Random(seed).shuffle(kinds)
    for selection, cut in kinds[part::parts]:
        chance = random.Random(f"{seed} {selection} {cut}")
        left = list(operators.everything())
        chance.shuffle(left)
        while left:
            given = inputs(chance, odd=chance.random() < 0.2)
            written = sizes.Written(given)
            sizes.CUTS[cut](written, sizes.SELECTIONS[selection](written, Ref("x")))
            last = (written.last,)
            last += _as_numbers(written.growing, chance, last)
            made, left = _on(given, written.growing, last, left, chance)
            if made is not None:
                yield made


def _after(
    firsts: tuple[Operator, ...], others: list[Operator], chance: random.Random
) -> tuple[Program | None, list[Operator]]:
    """A program that begins with `firsts`, each on the one before, and what had no turn of `others`."""
    given = inputs(chance, odd=chance.random() < 0.5)
    growing, made = Growing(given), None
    for first in firsts:
        if not _grown(growing, first, chance, made):
            return None, others[PER_PROGRAM:]
        made = growing.calls[-1].results
        made += _as_numbers(growing, chance, made)
    return _on(given, growing, made, others, chance)


def _as_numbers(growing: Growing, chance: random.Random, made: tuple[str, ...]) -> tuple[str, ...]:
    """Values cast, since most operators want numbers of some dtype."""
    return (
        growing.calls[-1].results if _grown(growing, operators.named("cast"), chance, made) else ()
    )


def _on(
    given: list[Input],
    growing: Growing,
    made: tuple[str, ...],
    others: list[Operator],
    chance: random.Random,
) -> tuple[Program | None, list[Operator]]:
    """A program with some of `others` on the values `made`, and those that had no turn."""
    left, taken = [*others], 0
    while left and taken < PER_PROGRAM:
        taken += _grown(growing, left.pop(0), chance, made)
    return (Program(tuple(given), tuple(growing.calls)) if taken else None), left


def _grown(
    growing: Growing,
    operator: Operator,
    chance: random.Random,
    among: tuple[str, ...] | None = None,
) -> bool:
    """Whether a call of the operator could be added, on some of the values `among`."""
    before = len(growing.calls)
    for _ in range(TRIES):
        picks = tuple(chance.choices(range(12), k=6))
        growing.take(Step(operator, chance.choice(operator.cases), picks, may_raise=False), among)
        if len(growing.calls) > before:
            return True
    return False
