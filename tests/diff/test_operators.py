"""How close faithful ports are, over sizes, scales and seeds; docs/diff.md has the figures."""

from __future__ import annotations

import numpy as np
import pytest

from tf2jax_port.diff.judge.judge import judge
from tf2jax_port.diff.observing.observer import Observer
from tf2jax_port.diff.values.arguments import bind

from .operators import OPERATORS, Operator

SIZES = ((8, 8), (1, 1), (3, 17))
SCALES = (1e-3, 1.0, 10.0)
SEEDS = (0, 1, 2)


def inputs(operator: Operator):
    settings = [(size, scale, seed) for size in SIZES for scale in SCALES for seed in SEEDS]
    for number, (size, scale, seed) in enumerate(settings):
        rng = np.random.default_rng([seed, number])
        shape = (max(size[0], 2),) * 2 if operator.square else size
        arrays = [scale * rng.normal(size=shape) for _ in range(operator.arguments)]
        yield bind(number, tuple(a.astype(np.float32) for a in arrays), operator.old)


@pytest.mark.long
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.id)
def test_nobody_is_blamed_for_rounding(operator: Operator, record_property):
    observer = Observer(operator.old, operator.new, seed=0, x64=False)
    ratios = []
    for case in inputs(operator):
        for finding in judge(observer.observe(case)):
            ratios.append(finding.comparison.closeness.ratio)
            where = f"case {case.index}, {finding.lane}, {finding.quantity.title}"
            assert finding.outcome == "equal", f"{where}: {finding.comparison}"
    record_property("median R", float(np.median(ratios)))
    assert len(ratios) == len(SIZES) * len(SCALES) * len(SEEDS) * 2 * (1 + 2 * operator.arguments)
