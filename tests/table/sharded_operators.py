"""Run operators on sharded arrays in each lane: a program for a process with two devices.

Its arguments are a number of cases per operator, and the names of operators. It prints each case whose results are not
those of arrays on one device.
"""

from __future__ import annotations

import sys
import warnings

import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shims
from tests.harness.compare import differences
from tests.table import rows
from tf2jax_port.diff.parity import port_side

MESHES = {
    kind.name: jax.make_mesh((2,), ("d",), axis_types=(kind,))
    for kind in (AxisType.Auto, AxisType.Explicit)
}
AROUND = {
    "eager": lambda f: f,
    "function": shims.function,
    "dynamic": shims.dynamic,
    "jit": jax.jit,
    "jit of dynamic": lambda f: jax.jit(shims.dynamic(f)),
}


def spec_of(shape) -> P:
    """Distribute an array along its first axis of an even size."""
    even = [axis for axis, size in enumerate(shape) if size and size % 2 == 0]
    return P(*[None] * even[0], "d") if even else P()


def sharded(arrays, mesh):
    return jax.tree.map(lambda x: jax.device_put(x, NamedSharding(mesh, spec_of(x.shape))), arrays)


def within(mesh, f, arrays):
    """Call a function; if its results do not depend on the arrays, JAX asks for the mesh as a context."""
    try:
        return f(arrays)
    except ValueError as error:
        if "jax.set_mesh" not in str(error):
            raise
    with jax.set_mesh(mesh):
        return f(arrays)


def per_device(f):
    """Run a function on each of two devices, on all of its operands."""

    def body(arrays):
        varying = jax.tree.map(lambda x: jax.lax.pcast(x, "d", to="varying"), arrays)
        results = jax.tree.map(jax.numpy.asarray, f(varying))
        return jax.tree.map(lambda x: x[None], results)

    run = jax.jit(jax.shard_map(body, mesh=MESHES["Auto"], in_specs=P(), out_specs=P("d")))
    return lambda arrays: jax.tree.map(lambda x: x[1], run(arrays))


def lanes(f, arrays, bounded):
    """Yield each lane's name and what it computes."""
    for kind, mesh in MESHES.items():
        for name, around in AROUND.items():
            if bounded or "jit" not in name:
                yield (
                    f"{kind}, {name}",
                    lambda m=mesh, a=around: within(m, a(f), sharded(arrays, m)),
                )
    if bounded:
        yield "shard_map", lambda: per_device(shims.dynamic(f))(arrays)


def problems_of(point):
    arrays, _ = port_side.split(point)
    f, want = port_side.of_arrays(point), port_side.eager(point)
    for lane, run in lanes(f, arrays, not point.case.unbounded):
        try:
            found = [np.asarray(x) for x in port_side.flat(run())]
            problem = differences(found, want, max(4 * point.row.tolerance, 1e-6))
        except Exception as error:  # noqa: BLE001 - the test shows it
            problem = f"{type(error).__name__}: {str(error).strip()[:300]}"
        if problem:
            yield f"{point.id} ({lane}): {problem}"


def main():
    warnings.simplefilter("ignore", shims.errors.SpecializationWarning)
    count, wanted = int(sys.argv[1]), set(sys.argv[2:])
    keep = lambda p: rows.cases.succeeds(p) and p.case.arrays()
    operators = [row for row in rows.cases.operators() if row.name in wanted]
    points = [p for row in operators for p in rows.points_of(row, keep)[:count]]
    for point in points:
        for problem in problems_of(point):
            sys.stdout.write(problem.replace("\n", " | ") + "\n")
    sys.stdout.write(f"{len(points)} cases\n")


if __name__ == "__main__":
    main()
