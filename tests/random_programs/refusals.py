"""What TensorFlow refuses of selections, and of selections of nothing: programs that end in an error."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from . import operators
from .growing import Growing
from .operators import Operator
from .program import Call, Input, Program, Ref
from .strategy import Step

TRIES = 24  # picks of arguments
MOST = 3  # refusals of one operator
NUMBERS = {"x": (3,), "y": (3, 2), "z": (3, 2, 4, 1), "w": (3, 3, 2)}


def programs(seed: int, kept: list[bool], part: int, parts: int) -> Iterator[Program]:
    """Selections, and one operator that TensorFlow refuses to apply to them.

    Args:
      seed: of the arguments.
      kept: which of three rows are selected.
      part: which of the parts to give.
      parts: how many parts there are.
    """
    for operator in operators.everything()[part::parts]:
        chance = random.Random(f"{seed} {kept} {operator.row.name}")
        found: dict[str, Program] = {}
        for _ in range(TRIES):
            program = _refused(operator, kept, chance)
            if program is not None and len(found) < MOST:
                found.setdefault(str(program.calls[-1].arguments), program)
        yield from found.values()


def _refused(operator: Operator, kept: list[bool], chance: random.Random) -> Program | None:
    """One call that TensorFlow refuses; `None` where it does not."""
    given = _inputs()
    growing = Growing(given)
    select = operators.named("boolean_mask")
    for each in given:
        arguments = (("tensor", Ref(each.name)), ("mask", np.array(kept)))
        growing.add(Call((f"some_{each.name}",), select.row, arguments))
    selected = tuple(call.results[0] for call in growing.calls)
    picks = tuple(chance.choices(range(12), k=6))
    growing.take(Step(operator, chance.choice(operator.cases), picks, may_raise=True), selected)
    if not growing.has_raised:
        return None
    last = growing.calls[-1]
    used = [call for call in growing.calls[:-1] if set(call.results) & set(last.refs())]
    names = {name for call in used for name in call.refs()}
    return Program(tuple(i for i in given if i.name in names), (*used, last))


def _inputs() -> list[Input]:
    numbers = np.resize(np.float32([0.5, 1, 2, 3]), 100)
    found = [
        Input(name, numbers[: int(np.prod(shape))].reshape(shape), (True,) * len(shape))
        for name, shape in NUMBERS.items()
    ]
    found.append(Input("i", np.int32([0, 1, 2]), (True,)))
    return [*found, Input("b", np.array([True, False, True]), (True,))]
