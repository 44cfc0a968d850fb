"""Every operator traces over arrays whose sizes are symbols."""

import jax
import pytest
from jax import export

from tf2jax_port.diff.parity import port_side

from . import cases, rows


def unknown_axes(point) -> tuple[tuple[str, int], ...]:
    """The axes that become symbols: see `Case.pad`."""
    if point.case.pad is not None:
        return point.case.pad
    arrays, _ = port_side.split(point)
    ranked = {n: a for n, a in arrays.items() if not isinstance(a, list) and a.ndim}
    if not ranked:
        return ()
    size = next(iter(ranked.values())).shape[0]
    return tuple((n, 0) for n, a in ranked.items() if a.shape[0] == size)


def is_traceable(point) -> bool:
    """Sizes 0 and 1 are constants in a trace, so that they are not asked for here."""
    if not cases.succeeds(point):
        return False
    arrays, _ = port_side.split(point)
    sizes = {arrays[n].shape[axis] for n, axis in unknown_axes(point)}
    return bool(sizes) and not sizes & {0, 1}


def symbolic(point):
    """The array arguments as shapes with one symbol per size."""
    arrays, _ = port_side.split(point)
    shapes = {n: list(a.shape) for n, a in arrays.items() if not isinstance(a, list)}
    scope = export.SymbolicScope()
    for name, axis in unknown_axes(point):
        (shapes[name][axis],) = export.symbolic_shape(f"n{shapes[name][axis]}", scope=scope)
    unknown = dict(unknown_axes(point))
    return {n: jax.ShapeDtypeStruct(tuple(shapes[n]), arrays[n].dtype) for n in unknown}


@pytest.mark.parametrize(
    "row", rows.parameters(lambda r: not r.fresh and any(map(is_traceable, rows.points_of(r))))
)
def test_symbolic_sizes(row):
    problems = {}
    for point in rows.points_of(row, is_traceable):
        try:
            arrays, _ = port_side.split(point)
            function = port_side.of_arrays(point)
            jax.make_jaxpr(lambda unknown, f=function, a=arrays: f({**a, **unknown}))(
                symbolic(point)
            )
        except Exception as error:  # noqa: BLE001 - all cases are reported together
            problems[point.case.id] = f"{type(error).__name__}: {error}"[:500]
    rows.report(problems)
