"""Provide `SparseTensor`: values and coordinates as a pytree of three arrays."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.array.shapes import sizes_of
from shims._src.platform import jax_private as jp
from shims._src.sizes import numbering, primitives
from shims._src.sparse import operators
from shims._src.tracing import text_operands
from shims._src.types.composite import Composite, OperatorCall
from shims._src.types.dtypes import canonical_dtype
from shims._src.types.tensor_shape import TensorShape


@jax.tree_util.register_pytree_node_class
class SparseTensor(Composite):
    """A tensor stored as values at coordinates; all other elements are 0.

    Args:
      indices: integers `[n, rank]`, in row-major order for the operators that require it.
      values: `[n]`.
      dense_shape: integers `[rank]`.

    Raises:
      ValueError: the shapes of the three arrays are inconsistent.

    Differs from TensorFlow:
      A pytree of JAX arrays. Coordinates are int32 unless `jax_enable_x64` is on. Strings are
      kept on the host.

    Under jit:
      Inside `shims.function` the number of values may be data-dependent; returned tensors are cut
      to their valid size.

    Example:
      >>> import shims
      >>> s = shims.SparseTensor([[0, 1], [1, 0]], [5, 7], [2, 2])
      >>> print(shims.sparse.to_dense(s))
      [[0 5]
       [7 0]]

    https://www.tensorflow.org/api_docs/python/tf/sparse/SparseTensor
    """

    __slots__ = ("_dense_shape", "_indices", "_values")
    __module__ = "shims"

    def __init__(self, indices, values, dense_shape):
        self._indices: Any = coordinates("indices", indices)
        self._values: Any = text_operands.elements(values)
        self._dense_shape: Any = coordinates("dense_shape", dense_shape)
        self._check()

    def _check(self):
        i, v, d = self._indices, self._values, self._dense_shape
        if i.ndim == 1 and is_known(i.shape[0]) and i.shape[0] == 0 and d.ndim == 1:
            self._indices = i = i.reshape((0, d.shape[0]))
        ranks = (i.ndim, v.ndim, d.ndim) == (2, 1, 1)
        if (
            not ranks
            or _sizes_differ(i.shape[1], d.shape[0])
            or _sizes_differ(i.shape[0], v.shape[0])
        ):
            raise ValueError(
                "SparseTensor: the shapes do not match.\n  Required: indices [n, rank], values [n], dense_shape "
                f"[rank]\n  Received: indices {describe(i)}, values {describe(v)}, dense_shape {describe(d)}"
            )
        self._values = primitives.unify_axis(v, 0, i.shape[0], label="SparseTensor")

    def tree_flatten(self):
        """Flatten for JAX: the three arrays are children."""
        return (self._indices, self._values, self._dense_shape), None

    @classmethod
    def tree_unflatten(cls, _, children):
        """Rebuild the tensor from its children, checking only that symbolic sizes are equal."""
        indices, values, dense_shape = children
        if jp.is_tracer(indices) and jp.is_tracer(values) and indices.ndim and values.ndim:
            rows = indices.shape[0]
            if jp.is_symbolic(rows) or jp.is_symbolic(values.shape[0]):
                values = primitives.unify_axis(values, 0, rows, label="SparseTensor")
        return unchecked(indices, values, dense_shape)

    @property
    def indices(self):
        """The coordinates `[n, rank]`."""
        return self._indices

    @property
    def values(self):
        """The values `[n]`."""
        return self._values

    @property
    def dense_shape(self):
        """The shape as a vector."""
        return self._dense_shape

    @property
    def dtype(self):
        """The dtype of the values."""
        return text_operands.dtype_of(self._values)

    @property
    def shape(self) -> TensorShape:
        """The static shape, as far as it is known."""
        d = self._dense_shape
        if _is_of_graph(d):
            return d.graph._constant_value_as_shape(d)
        if not jp.is_tracer(d):
            return TensorShape(np.asarray(d).tolist())
        sizes = [numbering.symbolic_value(d[i]) for i in range(d.shape[0])]
        return TensorShape([s if s is not None and is_known(s) else None for s in sizes])

    def get_shape(self) -> TensorShape:
        """Return `shape`."""
        return self.shape

    def __shims_call__(self, call: OperatorCall):
        return operators.call_operator(self, call)

    def with_values(self, new_values) -> SparseTensor:
        """Return a tensor with the same coordinates and new values."""
        if _is_of_graph(self._indices):
            return unchecked(self._indices, new_values, self._dense_shape)
        return SparseTensor(self._indices, new_values, self._dense_shape)

    # ---- of a layer of Keras ---------------------------------------------------------------------

    @property  # type: ignore[misc]  # an instance is one of JAX's class for others, as a mock is
    def __class__(self) -> type:
        """Pass for a sparse tensor of JAX where Keras asks, whose layers take no others."""
        known = sys.modules.get("jax.experimental.sparse") if "keras" in sys.modules else None
        return SparseTensor if known is None else known.JAXSparse

    def __reduce__(self):
        """Pickle by the parts, as the protocol for instances compares `__class__` with the type."""
        return unchecked, (self._indices, self._values, self._dense_shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return rank_of(self)

    def astype(self, dtype) -> SparseTensor:
        """Return a tensor with the same coordinates, and the values in a different dtype."""
        return self.with_values(self._values.astype(dtype))

    # ---- of a graph ------------------------------------------------------------------------------

    @property
    def op(self):
        """The graph operation that produces the values."""
        return self._values.op

    @property
    def graph(self):
        """The graph of the values."""
        return self._values.graph

    def eval(self, feed_dict=None, session=None):
        """Evaluate the tensor in a session, by default the default session."""
        return self.graph._session_for(session, "evaluate tensor").run(self, feed_dict)

    def set_shape(self, shape) -> None:
        """Refine the static shape, in a graph."""
        attributes = self._dense_shape.op.attributes
        attributes["shapes"] = {self._dense_shape.value_index: self.shape.merge_with(shape)}

    def _add_call(self, f, other, name: str):
        """Add the operation `f(self, other)` to the graph."""
        return self.graph._add_call(f, (self, other), {}, public=name, name=name)

    # ---- operators -------------------------------------------------------------------------------

    def __mul__(self, other):
        if _is_of_graph(self._values):
            return self._add_call(SparseTensor.__mul__, other, "SparseDenseCwiseMul")
        return self.with_values(self._values * beside(self, other))

    def __truediv__(self, other):
        from shims._src.elementwise.quotients import truediv

        if _is_of_graph(self._values):
            return self._add_call(SparseTensor.__truediv__, other, "SparseDenseCwiseDiv")
        return self.with_values(truediv(self._values, beside(self, other)))

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices}, values={self._values}, "
            f"dense_shape={self._dense_shape})"
        )


def _is_of_graph(part) -> bool:
    """Return whether a component is a graph tensor, which only a session evaluates."""
    return hasattr(part, "graph")


def _sizes_differ(a, b) -> bool:
    return is_known(a) and is_known(b) and a != b


def unchecked(indices, values, dense_shape) -> SparseTensor:
    """Build a sparse tensor from parts that are known to be consistent, without checks."""
    out = object.__new__(SparseTensor)
    out._indices, out._values, out._dense_shape = indices, values, dense_shape
    return out


def coordinates(name: str, value):
    """Convert coordinates to an integer array; Python numbers become int64, or int32 without x64."""
    if not isinstance(value, jax.Array) and not _has_tracer(value):
        plain = np.asarray(value)
        plain = plain.astype(np.int64) if plain.size == 0 else plain
        if plain.dtype.kind not in "iu":
            raise TypeError(
                f"SparseTensor: `{name}` must contain integers, not {plain.dtype.name}."
            )
        # It stays a constant under a trace, so that it can be used as a size.
        with jax.ensure_compile_time_eval():
            return jnp.asarray(plain.astype(canonical_dtype(np.int64)))
    value = operand(value)
    if not jnp.issubdtype(value.dtype, jnp.integer):
        raise TypeError(f"SparseTensor: `{name}` must contain integers, not {value.dtype.name}.")
    return value.astype(canonical_dtype(np.int64))


def _has_tracer(value) -> bool:
    return any(isinstance(x, jax.Array) or jp.is_symbolic(x) for x in jax.tree.leaves(value))


def of_constants(*arrays):
    """Return a context that evaluates eagerly, even inside a trace, if no argument is traced."""
    if any(map(jp.is_tracer, jax.tree.leaves(arrays))):
        return contextlib.nullcontext()
    return jax.ensure_compile_time_eval()


def is_sparse(value) -> bool:
    """Return whether a value is a `SparseTensor`."""
    return isinstance(value, SparseTensor)


def dims(function: str, sp: SparseTensor) -> tuple:
    """Return the dense shape as a tuple of numbers and symbolic sizes."""
    return sizes_of(function, sp.dense_shape)


def rank_of(sp: SparseTensor) -> int:
    """Return the number of axes of a sparse tensor."""
    return sp.dense_shape.shape[0]


def columns(sp: SparseTensor) -> list:
    """Return the coordinates of the entries as a list with one vector per axis."""
    return [sp.indices[:, i] for i in range(rank_of(sp))]


def sizes_as_vector(sp: SparseTensor, array):
    """Return the sizes of an array as a vector in the dtype of coordinates."""
    sizes = [primitives.as_size(d) for d in array.shape]
    dtype = sp.dense_shape.dtype
    return jnp.stack(sizes).astype(dtype) if sizes else jnp.zeros((0,), dtype)


def beside(sp: SparseTensor, other):
    """Gather the elements of an array, broadcast to a sparse tensor, at the tensor's coordinates."""
    other = operand(other, sp.dtype)
    if other.ndim > rank_of(sp):
        raise checks.invalid("SparseTensor", "the array has more axes than the sparse tensor.")
    given = sizes_as_vector(sp, other)
    checks.check_data(
        (given != sp.dense_shape[rank_of(sp) - other.ndim :]) & (given != 1),
        "SparseTensor",
        "an array does not broadcast to the sparse tensor.",
        required="sizes that are either 1 or equal to the sizes of the sparse tensor",
        received=describe(other),
    )
    place = columns(sp)[rank_of(sp) - other.ndim :]
    place = [
        jnp.zeros_like(p) if is_known(d) and d == 1 else p
        for p, d in zip(place, other.shape, strict=True)
    ]
    return other.at[tuple(place)].get(mode="clip") if place else other
