"""The rewriter's output is executed: every row, every form of the call.

The program runs in TensorFlow, its rewrite in JAX, and what they compute is compared, dtypes too.
What becomes JAX runs on all cases of the row. What becomes a function of `shims` with the same
arguments runs on the first ones only: the function itself is tested on all of them in tests/table.
"""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

from tests.harness.compare import differences
from tests.rewrite import call_sites
from tests.rewrite.limits import LIMITS
from tests.rewrite.running import as_jax_takes_it
from tests.table import cases, rows
from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.table import Native

BY_ROW = {row.name: [] for row in cases.operators() if row.inputs}
for _point in cases.POINTS:
    if cases.succeeds(_point):
        BY_ROW[_point.row.name].append(_point)
OF_SHIMS = 2


def computed(code, arrays, convert):
    """The arrays that a program computes, in order."""
    namespace = {name: convert(array) for name, array in arrays.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 64 bits that are not there, overflow that is meant
        exec(compile(code, "program", "exec"), namespace)
        result = as_jax_takes_it(namespace["y"])
        found = [result] if isinstance(result, jax.Array) else tf.nest.flatten(result)
        return [np.asarray(leaf) for leaf in found if leaf is not None]


def difference(point, program, after):
    """What sets the rewritten program apart, `""` if nothing does."""
    try:
        want = computed(program.code, program.arrays, tf.constant)
    except tf.errors.InvalidArgumentError:
        return ""  # on this processor TensorFlow has no kernel for it
    try:
        got = computed(after, program.arrays, jnp.asarray)
    except Exception as error:  # noqa: BLE001, any of them is a difference
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return differences(got, want, max(point.row.tolerance, 1e-6))


def findings(points):
    """`(case, before, state, difference)` of each form of each case that ran."""
    found, of_shims = [], 0
    for point in points:
        seen = set()
        for program in call_sites.programs(point):
            outcome = rewrite(program.code.encode())
            after, state = outcome.data.decode(), outcome.findings[0].state
            assert state is not State.MANUAL, f"{program.code}{outcome.findings[0].message}"
            of_shims += state is State.SHIM
            if after in seen or (state is State.SHIM and of_shims > 3 * OF_SHIMS):
                continue
            seen.add(after)
            text = program.code.partition("y = ")[2].strip()
            found.append((point.case, text, state, difference(point, program, after)))
    return found


def is_said(state, case):
    """Whether the row itself says that this may differ: a review, or a limit of the function."""
    if state is State.SHIM:
        return case.differs.startswith("value")
    return state is State.REVIEW


@pytest.mark.parametrize("name", rows.names(lambda row: isinstance(row.target, Native), every=6))
def test_equal(name):
    limits = LIMITS.get(name, {})
    wrong, met = [], set()
    for case, text, state, apart in findings(BY_ROW[name]):
        if apart and case.id in limits:
            met.add(case.id)
        elif apart and not is_said(state, case):
            wrong.append(f"{text}: {apart}")
    assert wrong == []
    assert met == set(limits), "these cases have come right: take them out of limits.py"


def test_limits_name_rows():
    assert sorted(set(LIMITS) - set(BY_ROW)) == []


def test_every_row_with_inputs_runs():
    assert [name for name, points in BY_ROW.items() if not points] == []


def test_the_comparison_can_fail():
    (point, *_) = BY_ROW["reduce_sum"]
    program = call_sites.programs(point)[0]
    wrong = "import jax.numpy as jnp\n\ny = jnp.mean(a0)\n"
    assert "differ" in difference(point, program, wrong)
    assert difference(point, program, wrong.replace("mean", "nothing")).startswith("AttributeError")
