"""Provide the methods of variables that assign rows and slices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from shims._src.array import gather, scatter
from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.variables.variable_scatter import combined_rows, divide_rows, multiply_rows

_ROWS: dict[str, Callable] = {
    "Update": scatter.tensor_scatter_nd_update,
    "Add": scatter.tensor_scatter_nd_add,
    "Sub": scatter.tensor_scatter_nd_sub,
    "Mul": multiply_rows,
    "Div": divide_rows,
    "Min": scatter.tensor_scatter_nd_min,
    "Max": scatter.tensor_scatter_nd_max,
}


class Scattering:
    """A mixin with the methods of a variable that gather or assign rows and slices.

    A class that inherits it must define `update`, which adds an assignment to the graph.
    """

    update: Callable
    is_resource: bool
    dtype: Any

    def sparse_read(self, indices, name=None):
        """Gather the rows with the given indices, as `gather` does."""
        return operation_of(gather.gather, (self, indices), {}, public="gather", name=name)

    def gather_nd(self, indices, name=None):
        """Gather elements or slices with the given indices, as `gather_nd` does."""
        return operation_of(gather.gather_nd, (self, indices), {}, public="gather_nd", name=name)

    def scatter_update(self, sparse_delta, use_locking=False, name=None):
        """Replace the rows given by `IndexedSlices`; return the new value of the variable."""
        return self._of_slices("Update", sparse_delta, name)

    def scatter_add(self, sparse_delta, use_locking=False, name=None):
        """Add the rows of `IndexedSlices` to the variable; return its new value."""
        return self._of_slices("Add", sparse_delta, name)

    def scatter_sub(self, sparse_delta, use_locking=False, name=None):
        """Subtract the rows of `IndexedSlices` from the variable; return its new value."""
        return self._of_slices("Sub", sparse_delta, name)

    def scatter_mul(self, sparse_delta, use_locking=False, name=None):
        """Multiply rows of the variable by those of `IndexedSlices`; return its new value."""
        return self._of_slices("Mul", sparse_delta, name)

    def scatter_div(self, sparse_delta, use_locking=False, name=None):
        """Divide rows of the variable by those of `IndexedSlices`; return its new value."""
        return self._of_slices("Div", sparse_delta, name)

    def scatter_min(self, sparse_delta, use_locking=False, name=None):
        """Set rows to the minimum of the old rows and those of `IndexedSlices`; return the new value."""
        return self._of_slices("Min", sparse_delta, name)

    def scatter_max(self, sparse_delta, use_locking=False, name=None):
        """Set rows to the maximum of the old rows and those of `IndexedSlices`; return the new value."""
        return self._of_slices("Max", sparse_delta, name)

    def scatter_nd_update(self, indices, updates, name=None):
        """Replace the slices at `indices` by `updates`; return the new value of the variable."""
        return self._of_coordinates("Update", indices, updates, name)

    def scatter_nd_add(self, indices, updates, name=None):
        """Add `updates` to the slices at `indices`; return the new value of the variable."""
        return self._of_coordinates("Add", indices, updates, name)

    def scatter_nd_sub(self, indices, updates, name=None):
        """Subtract `updates` from the slices at `indices`; return the new value of the variable."""
        return self._of_coordinates("Sub", indices, updates, name)

    def _of_slices(self, kind, sparse_delta, name):
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
        return self._of_rows(kind, sparse_delta.indices, sparse_delta.values, name)

    def _of_rows(self, kind, indices, updates, name):
        combine = _ROWS[kind]

        def changed(value, i, u):
            return combined_rows(combine, value, i, u)

        return self._scatter(f"Scatter{kind}", changed, indices, updates, name)

    def _of_coordinates(self, kind, indices, updates, name):
        combine = _ROWS[kind]
        return self._scatter(f"ScatterNd{kind}", combine, indices, updates, name)

    def _scatter(self, type_, f, indices, updates, name):
        type_ = f"Resource{type_}" if self.is_resource else type_

        def changed(value, i, u):
            return f(value, jnp.asarray(i), jnp.asarray(u))

        kinds = [None, self.dtype]
        return self.update(type_, name, changed, indices, updates, dtypes=kinds).outputs[0]
