"""Convert the values of a Python generator to the declared specs."""

from __future__ import annotations

from typing import Any

import numpy as np

from shims._src.data import elements, specs, structures
from shims._src.ragged.spec import RaggedTensorSpec
from shims._src.sparse.spec import SparseTensorSpec
from shims._src.types.tensor_shape import TensorShape
from shims._src.types.tensor_spec import TensorSpec


def conformed(value, spec) -> Any:
    """Convert a value to an element of the declared structure, dtypes and shapes.

    Raises:
      TypeError: the value has a different structure, or a part of it another dtype or shape.
    """
    if not structures.is_container(spec):
        return _component(value, spec)
    if isinstance(spec, tuple) and isinstance(value, list):
        value = tuple(value)
    if not structures.is_container(value) or len(structures.children(value)) != len(
        structures.children(spec)
    ):
        raise TypeError(
            "`generator` yielded an element that did not match the expected structure. The expected "
            f"structure was {structures.map_leaves(_kind, spec)}, but the yielded element was {value}."
        )
    pairs = zip(structures.children(value), structures.children(spec), strict=True)
    return structures.rebuild(spec, [conformed(v, s) for v, s in pairs])


def _component(value, spec) -> Any:
    if isinstance(spec, (RaggedTensorSpec, SparseTensorSpec)):
        found = elements.component_of(value)
        if not spec.is_compatible_with(found):
            raise TypeError(f"`generator` yielded {value!r}, which does not match {spec}.")
        return found
    try:
        found = elements.component_of(value, spec.dtype)
        if found.dtype != spec.dtype:
            found = elements.component_of(np.asarray(found).astype(spec.dtype))
    except (TypeError, ValueError):
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected type. The "
            f"expected type was {specs.dtype_text(spec.dtype)}, but the yielded element was {value}."
        ) from None
    if not spec.shape.is_compatible_with(tuple(np.shape(found))):
        raise TypeError(
            f"`generator` yielded an element of shape {np.shape(found)} where an element of shape "
            f"{spec.shape} was expected."
        )
    return found


def _kind(spec) -> Any:
    return getattr(spec, "dtype", spec)


def declared(output_types, output_shapes) -> Any:
    """Return the specs for structures of dtypes and of shapes."""
    if output_shapes is None:
        return structures.map_leaves(lambda d: TensorSpec(None, d), output_types)
    return _with_shapes(output_types, output_shapes)


def _with_shapes(types, shapes) -> Any:
    if not structures.is_container(types):
        return TensorSpec(TensorShape(shapes), types)
    pairs = zip(structures.children(types), structures.children(shapes), strict=True)
    return structures.rebuild(types, [_with_shapes(t, s) for t, s in pairs])
