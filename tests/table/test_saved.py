"""A saved program of unknown sizes gives the numbers of the operator at every size, or an error."""

import jax
import numpy as np
import pytest

import shims
from shims._src.errors import internal
from shims._src.saved_model.exported_functions import export_concrete
from shims._src.saved_model.running import run
from shims._src.saved_model.size_patterns import program_for
from tests.harness.compare import differences
from tf2jax_port.diff.parity import port_side

from . import rows
from .test_symbolic import is_traceable, unknown_axes

MOST = 2  # cases of one row
NOT_COMPARED = ("bitcast",)  # JAX does not refine its shapes: every call is an error


def saved(point):
    """The operator as a saved function of its arrays, with named unknown sizes; `None` if it cannot be saved."""
    arrays, _ = port_side.split(point)
    shapes = {n: list(a.shape) for n, a in arrays.items() if not isinstance(a, list)}
    for name, axis in unknown_axes(point):
        shapes[name][axis] = f"n{shapes[name][axis]}"
    names = list(dict(unknown_axes(point)))
    of_arrays = port_side.of_arrays(point)

    def call(*unknown):
        return jax.tree.leaves(of_arrays({**arrays, **dict(zip(names, unknown, strict=True))}))

    specs = [shims.TensorSpec(shapes[n], arrays[n].dtype) for n in names]
    function = shims.function(call, specs, autograph=False)
    try:
        return names, call, export_concrete(function, None, tuple(specs), {})
    except (ValueError, TypeError, NotImplementedError, shims.errors.OpError) as error:
        internal.raise_if_internal(error)
        return None


def resized(point, names, count):
    """The arrays with other unknown sizes: the first `count` entries, or all without the last `-count`."""
    arrays, _ = port_side.split(point)
    found = {n: np.asarray(arrays[n]) for n in names}
    for name, axis in unknown_axes(point):
        found[name] = np.take(found[name], range(arrays[name].shape[axis])[:count], axis)
    return [found[n] for n in names]


def problem(call, concrete, operands) -> str:
    if program_for(concrete.programs, [x.shape for x in operands]) is None:
        return ""  # such a call is refused
    try:
        expected = [np.asarray(x) for x in call(*operands)]
    except Exception:  # noqa: BLE001 - then the saved program fails, too
        expected = None
    try:
        got = [np.asarray(x) for x in jax.tree.leaves(run(concrete, operands))]
    except (ValueError, shims.errors.OpError) as error:
        return "" if expected is None else f"{error}"[:300]
    if expected is None:
        return "the operator refuses what the saved program computes"
    return differences(got, expected, 1e-5)


def _has_numbers(row) -> bool:
    return not row.fresh and "random" not in row.name and row.name not in NOT_COMPARED


@pytest.mark.long
@pytest.mark.parametrize("row", rows.parameters(_has_numbers))
def test_saved(row):
    problems = {}
    for point in rows.points_of(row, is_traceable)[:MOST]:
        made = saved(point)
        if made is None:
            continue
        names, call, concrete = made
        for count in (None, 1, 0, -1):
            operands = resized(point, names, count)
            problems[f"{point.case.id}[:{count}]"] = problem(call, concrete, operands)
    rows.report(problems)
