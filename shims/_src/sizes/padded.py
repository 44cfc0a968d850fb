"""Define `Padded`: an array with padding and its true sizes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax.typing import ArrayLike

from shims._src.errors import errors
from shims._src.platform import jax_private as jp

OK, ASSUMPTION, INVALID = 0, -1, -2


@jax.tree_util.register_pytree_node_class
class Padded:
    """A value whose true size is known only while the program runs.

    A shims operator with a data-dependent result returns one inside an enclosing `jax.jit`, `grad` or
    `vmap`, and so does `shims.function(unpad=False)`. It is a pytree: it passes through `jit`, `vmap`,
    `grad`, `scan` carries, `device_put` and pickling. JAX functions reject it, so that none reads the
    padding by mistake; shims operators and functions wrapped in `shims.dynamic` accept it.

    Attributes:
      values: array `[capacity, ...]`; along each dynamic axis the true entries come first.
      sizes: `{axis: int32 scalar}`, the number of valid entries.
      status: int32 scalar; 0 without an error, a positive number when the data needed that many
        entries, a negative one when the operands were invalid. `unpad` turns it into an error.

    Differs from TensorFlow: TensorFlow has no such value; its tensors have exact sizes.
    Under `vmap` a mapped `Padded` has one size per row.

    >>> import jax, jax.numpy as jnp, shims
    >>> f = jax.jit(lambda x: shims.boolean_mask(x, x > 0))
    >>> f(jnp.array([1., -2., 3.])).unpad()
    Array([1., 3.], dtype=float32)
    """

    __module__ = "shims"

    def __init__(
        self, values: Any, sizes: Mapping[int, jax.Array], status: jax.Array | int = 0
    ) -> None:
        self.values = values
        # Axes count from the end, so that a leading axis added by `vmap` changes nothing.
        rank = jnp.ndim(values)
        self._axes = tuple(a - rank if a >= 0 else a for a in sizes)
        self._sizes = tuple(sizes.values())
        self.status: Any = status

    @classmethod
    def pad(cls, x: ArrayLike, capacity: int, *, axis: int = 0, fill: ArrayLike = 0) -> Padded:
        """Pad `x` to `capacity` entries along `axis`.

        Args:
          x: array.
          capacity: at least the size of `x` along `axis`.
          axis: the axis that becomes dynamic.
          fill: the value of the padding; no result depends on it.

        Raises:
          CapacityError: `x` has more than `capacity` entries.
        """
        x = np.asarray(x)
        size = x.shape[axis]
        if size > capacity:
            raise errors.CapacityError(
                errors.message(
                    "Padded.pad",
                    "`x` does not fit.",
                    required=f"at most {capacity} entries along axis {axis}",
                    received=f"{size}",
                )
            )
        widths = [(0, capacity - size if i == axis % x.ndim else 0) for i in range(x.ndim)]
        with np.errstate(all="ignore"):
            filler = np.asarray(fill).astype(x.dtype)
        values = np.pad(x, widths, constant_values=filler)
        return cls(jnp.asarray(values), {axis % x.ndim: jnp.int32(size)}, jnp.int32(OK))

    @property
    def sizes(self) -> dict[int, jax.Array]:
        """The number of valid entries per dynamic axis: `{axis: int32 scalar}`."""
        rank = jnp.ndim(self.values)
        return {a + rank: s for a, s in zip(self._axes, self._sizes, strict=True)}

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the entries."""
        return self.values.dtype

    @property
    def ndim(self) -> int:
        """The rank."""
        return jnp.ndim(self.values)

    def valid(self, axis: int = 0) -> jax.Array:
        """Return the validity mask along `axis`, a bool vector `[capacity]`."""
        axis = axis % self.ndim
        return jnp.arange(self.values.shape[axis]) < self.sizes[axis]

    @jp.moving_data
    def unpad(self) -> Any:
        """Return the valid entries as an exact array (a list of arrays under a `vmap` axis).

        Raises:
          CapacityError: the data needed more entries than the capacity.
          InvalidArgumentError: operands of the computation were invalid.
        """
        check_status(self.status, self.values)
        sizes = [np.asarray(s) for s in self._sizes]
        if any(s.ndim for s in sizes):
            rows = range(self.values.shape[0])
            return [self._row(i).unpad() for i in rows]
        values = np.asarray(self.values)
        index = [slice(None)] * values.ndim
        for axis, size in zip(self._axes, sizes, strict=True):
            index[axis] = slice(int(size))
        return jp.array_from_host(values[tuple(index)])

    def _row(self, i: int) -> Padded:
        sizes = {
            a: s[i] if jnp.ndim(s) else s for a, s in zip(self._axes, self._sizes, strict=True)
        }
        status = self.status[i] if jnp.ndim(self.status) else self.status
        return Padded(self.values[i], sizes, status)

    def _refuse(self) -> NoReturn:
        """Raise an error, because the caller would read the padding as data."""
        raise errors.PaddedUseError(
            errors.message(
                "Padded",
                "a padded value was given to a JAX function, which would read its padding.",
                received=repr(self),
                do="use the shims operator of that name (`shims.reduce_sum(x)`), or wrap the whole "
                "computation: `shims.dynamic(f)(x)`",
            )
        )

    def __jax_array__(self) -> NoReturn:
        """Reject the conversion, with which `jax.numpy` would read the padding."""
        self._refuse()

    def __array__(self, *args: object, **kwargs: object) -> NoReturn:
        """Reject the conversion, with which NumPy would read the padding."""
        self._refuse()

    __iter__ = None

    def __len__(self) -> int:
        self._refuse()

    if TYPE_CHECKING:  # bound with the operators, in padded_operators.py

        def __getitem__(self, index: Any) -> Any:
            """Index the valid entries."""

    def __repr__(self) -> str:
        sizes = ", ".join(f"axis {a}: {_format_size(s)}" for a, s in self.sizes.items())
        shape = "x".join(map(str, jnp.shape(self.values)))
        return f"Padded({self.values.dtype.name}[{shape}], {sizes})"

    def tree_flatten(self) -> tuple[tuple[Any, ...], tuple[int, ...]]:
        """Return the arrays as children and the dynamic axes as static data."""
        return (self.values, self._sizes, self.status), self._axes

    @classmethod
    def tree_unflatten(cls, axes: tuple[int, ...], children: tuple[Any, ...]) -> Padded:
        """Create a value from the dynamic axes and the arrays."""
        self = object.__new__(cls)
        self.values, self._sizes, self.status = children
        self._axes = axes
        return self


# `jax.export` stores the structure of results in the exported program.
export.register_pytree_node_serialization(
    Padded,
    serialized_name="shims.Padded",
    serialize_auxdata=lambda axes: json.dumps(axes).encode(),
    deserialize_auxdata=lambda text: tuple(json.loads(text)),
)


def _format_size(size: Any) -> str:
    return "traced" if isinstance(size, jax.core.Tracer) else str(np.asarray(size))


def check_status(status: Any, values: Any = None) -> None:
    """Raise the error that a status code stands for, if any."""
    codes = np.asarray(status)
    if not codes.any():
        return
    worst = int(codes.min()) if codes.min() < 0 else int(codes.max())
    if worst > 0:
        room = "" if values is None else f"{max(jnp.shape(values), default=0)}"
        raise errors.CapacityError(
            errors.message(
                "Padded",
                "the data needed more entries than there is room for; the values are not valid.",
                required=f"room for {worst} entries",
                received=f"{room} entries" if room else "",
                do=f"raise the bound to {worst}, or call through `shims.function`, which grows",
            )
        )
    problem = (
        "operands of this computation were invalid (sizes that had to agree do not)."
        if worst == INVALID
        else "an assumption about a data-dependent size does not hold for this data."
    )
    raise errors.InvalidArgumentError(
        errors.message(
            "Padded",
            problem,
            do="call the function through `shims.function` at the top level, which names the "
            "operands or traces again",
        )
    )


def _refuse_abstract(padded: Padded) -> NoReturn:
    padded._refuse()


jp.register_type(Padded, _refuse_abstract)
