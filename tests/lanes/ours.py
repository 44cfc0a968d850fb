"""What `shims` gives for a case, in each of the ways in which it is called."""

from __future__ import annotations

import functools
import warnings

import jax
import jax.numpy as jnp
import numpy as np

import shims
from tests.table.test_poison import FILLINGS

from .case import Case
from .reference import loss

CAPACITY = 8


def _is_padded(value) -> bool:
    return isinstance(value, shims.Padded)


def exact(tree):
    """Padded values cut to their true sizes."""
    cut = lambda v: v.unpad() if _is_padded(v) else v
    return jax.tree.map(cut, tree, is_leaf=_is_padded)


def parts(value) -> list:
    """The arrays behind a result, in the order of TensorFlow's."""
    if value is None:
        return []
    if isinstance(value, (tuple, list)):
        return [part for each in value for part in parts(each)]
    if isinstance(value, dict):
        return [part for key in sorted(value) for part in parts(value[key])]
    if isinstance(value, shims.RaggedTensor):
        return [value.flat_values, *value.nested_row_splits]
    if isinstance(value, shims.SparseTensor):
        return [value.indices, value.values, value.dense_shape]
    if isinstance(value, shims.IndexedSlices):
        return [value.indices, value.values]
    return [value]


def outputs(case: Case, arrays) -> list:
    """The arrays that the program gives."""
    return parts(case.program(shims, *map(jnp.asarray, arrays)))


def differentiated(case: Case):
    """`f(*arrays)`: results, and the derivatives of `loss` where there are any."""
    places = case.floats() if not case.why_not("gradient") and not case.no_gradient else ()

    def run(*arrays):
        def total(*floats):
            given = list(arrays)
            for place, value in zip(places, floats, strict=True):
                given[place] = value
            results = parts(case.program(shims, *given))
            target = loss(shims, results)
            return (jnp.zeros(()) if target is None else target), results

        floats = [arrays[i] for i in places]
        if not floats:
            return total()[1], ()
        positions = tuple(range(len(places)))
        (_, results), slopes = jax.value_and_grad(total, positions, has_aux=True)(*floats)
        return results, slopes

    return run


@functools.cache
def function(case: Case) -> list[tuple[list, tuple]]:
    """Results and derivatives of every call of one function, which does not know the sizes."""
    arrays = case.calls()[0]
    specs = [shims.TensorSpec(s, a.dtype) for s, a in zip(case.signature(), arrays, strict=True)]
    run = shims.function(differentiated(case), specs, autograph=False, buckets=CAPACITY)
    with warnings.catch_warnings():
        # Some operators need a size as a constant; that costs time, not numbers.
        warnings.simplefilter("ignore", shims.errors.SpecializationWarning)
        return [run(*arrays) for arrays in case.calls()]


def taped(case: Case) -> list[list]:
    """The derivatives of `loss` that a tape finds, for every call."""
    found = []
    for arrays in case.calls():
        given = [shims.constant(a) for a in arrays]
        sources = [given[i] for i in case.floats()]
        with shims.GradientTape() as tape:
            tape.watch(sources)
            target = loss(shims, parts(case.program(shims, *given)))
        slopes = [None] * len(sources) if target is None else tape.gradient(target, sources)
        found.append([None if g is None else shims.convert_to_tensor(g) for g in slopes])
    return found


def mapped(case: Case, variants) -> list[list]:
    """`jax.vmap` over the floating-point arrays: the results of each of the variants."""
    places, first = case.floats(), case.calls()[0]

    def of_floats(*floats):
        given = list(map(jnp.asarray, first))
        for place, value in zip(places, floats, strict=True):
            given[place] = value
        return parts(case.program(shims, *given))

    batch = [np.stack(rows) for rows in zip(*variants, strict=True)]
    results = jax.vmap(of_floats)(*batch)
    row = lambda i: jax.tree.map(lambda leaf: leaf[i], results)
    return [exact(row(i)) for i in range(len(variants))]


def poisoned(case: Case):
    """Results and derivatives over padded arrays, by the number of the filling."""
    run = jax.jit(shims.dynamic(differentiated(case)))
    shapes = case.signature()

    def filled(number):
        given = zip(case.calls()[0], shapes, strict=True)
        return run(*(_padded(array, shape, number) for array, shape in given))

    return filled


def _padded(array, shape, number):
    axes = [axis for axis, size in enumerate(shape) if size is None]
    if not axes:
        return jnp.asarray(array)
    fill = np.asarray(FILLINGS[array.dtype.kind][number]).astype(array.dtype)
    widths = [(0, CAPACITY - size if axis in axes else 0) for axis, size in enumerate(array.shape)]
    values = jnp.asarray(np.pad(array, widths, constant_values=fill))
    return shims.Padded(values, {axis: jnp.int32(array.shape[axis]) for axis in axes})
