"""Compute with arrays of explicit meshes, whose types hold their shardings, as XLA would place them."""

from __future__ import annotations

import functools

import jax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

from shims._src.platform import jax_private as jp


def explicit_mesh(arrays):
    """Return the mesh of the first array whose type has an explicit sharding, or `None`."""
    for x in arrays:
        if type(x) is jp.ArrayImpl and type(x.sharding) is SingleDeviceSharding:
            continue  # the usual case, without the call below
        if jp.is_plain(x):
            continue
        sharding = getattr(getattr(x, "aval", None), "sharding", None)
        if sharding is not None and sharding.mesh.explicit_axes:
            return sharding.mesh
    return None


def with_automatic_axes(call, arrays):
    """Return `call(arrays)`, computed without explicit shardings: XLA chooses them.

    Neither masking rules nor operators that are made of several operations follow shardings in types. Arrays
    of the results have explicit shardings again. Those of concrete arrays are what XLA chose; a result that
    is on one device is replicated. In a program that is being traced, a result has the sharding of the first
    sharded operand for the leading axes in which their sizes agree, and is replicated along the others.
    """
    leaves = jax.tree.leaves(arrays)
    mesh = explicit_mesh(leaves)
    if mesh is None:
        return call(arrays)
    concrete = [x.sharding.mesh for x in leaves if _is_concrete_on(x, mesh)]
    if concrete and jp.ambient_is_eager() and not any(map(jp.is_tracer, leaves)):
        return _placed_by_xla(call, arrays, concrete[0])
    return _resharded(call, arrays, mesh)


def _is_concrete_on(x, mesh) -> bool:
    return (
        type(x) is jp.ArrayImpl
        and getattr(x.sharding, "mesh", None) is not None
        and (x.sharding.mesh.abstract_mesh == mesh)
    )


@functools.lru_cache(maxsize=64)
def _automatic(mesh: Mesh) -> Mesh:
    """Return a mesh of the same devices whose explicit axes are automatic."""
    kinds = [AxisType.Auto if k == AxisType.Explicit else k for k in mesh.axis_types]
    return Mesh(mesh.devices, mesh.axis_names, axis_types=tuple(kinds))


def _placed_by_xla(call, arrays, mesh: Mesh):
    """Call a function with concrete arrays; no element moves where a type changes."""
    automatic = _automatic(mesh)

    def enter(x):
        if explicit_mesh((x,)) is None:
            return x
        return jax.device_put(x, NamedSharding(_automatic(x.sharding.mesh), x.sharding.spec))

    def leave(x):
        if not isinstance(x, jax.Array) or jp.is_tracer(x):
            return x
        is_placed = isinstance(x.sharding, NamedSharding) and x.sharding.mesh == automatic
        spec = x.sharding.spec if is_placed else PartitionSpec()
        return jax.device_put(x, NamedSharding(mesh, spec))

    if jax.sharding.get_abstract_mesh() == automatic.abstract_mesh:
        return call(jax.tree.map(enter, arrays))  # what calls this expects automatic axes
    with jax.sharding.use_abstract_mesh(automatic.abstract_mesh):
        # `Padded` results encode their sizes when they are flattened, which must happen in here.
        result = jax.tree.map(lambda x: x, call(jax.tree.map(enter, arrays)))
    with jax.sharding.use_abstract_mesh(mesh.abstract_mesh):
        return jax.tree.map(leave, result)


def _resharded(call, arrays, mesh):
    """Call a function in a program that is being traced."""
    kinds = dict.fromkeys(mesh.explicit_axes, AxisType.Auto)
    operands = [x for x in jax.tree.leaves(arrays) if explicit_mesh((x,)) is not None]
    with jax.sharding.use_abstract_mesh(mesh.update_axis_types(kinds)):
        entered = jax.tree.map(lambda x: jax.sharding.reshard(x, PartitionSpec()), arrays)
        result = jax.tree.map(lambda x: x, call(entered))
    with jax.sharding.use_abstract_mesh(mesh):
        return jax.tree.map(lambda x: jax.sharding.reshard(x, _spec_like(x, operands)), result)


def _spec_like(x, operands) -> PartitionSpec:
    """Return the sharding of the first sharded operand for the leading axes of equal sizes."""
    for operand in operands:
        parts: list = []
        for size, other, part in zip(x.shape, operand.shape, jax.typeof(operand).sharding.spec):
            if size is not other and size != other:
                break
            parts.append(part)
        if any(parts):
            return PartitionSpec(*parts)
    return PartitionSpec()
