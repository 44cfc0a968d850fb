"""Define `Padded`: an array with padding, together with its sizes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax.typing import ArrayLike

from shims._src.errors import errors
from shims._src.platform import accelerators, device_arrays
from shims._src.platform import jax_private as jp
from shims._src.platform.derived import Derived
from shims._src.sizes import failure_codes, padded_leaves, refused_reductions, size_code
from shims._src.sizes.carried_sizes import carry

OK, LOST = 0, -3


@jax.tree_util.register_pytree_node_class
class Padded:
    """An array with padding, whose size without the padding is known only while the program runs.

    Inside an enclosing `jax.jit`, `grad` or `vmap`, operators of `shims` return results with data-dependent sizes as
    `Padded` values. `shims.function(unpad=False)` also returns `Padded` values. A `Padded` is a pytree, so it can be
    used with `jit`, `vmap`, `grad`, `scan` carries, `device_put` and pickle. JAX functions reject a `Padded`, so that
    no function reads the padding by mistake. Operators of `shims`, and functions wrapped in `shims.dynamic`, accept
    a `Padded`.

    The leaves of a `Padded` are `values` and a code of the sizes (`size_code.py`). If several `Padded` values have the
    same size, optimizers, averaging and `jax.tree.map` may add and scale their leaves, and compute norms of their
    leaves. Arithmetic on leaves of different sizes raises an error, and so do reductions that would count padding,
    such as means. After any other arithmetic on the leaves, the size is lost, and `unpad` and the operators raise
    `PaddedUseError`. `x.size` of a leaf counts the padding. `jnp.all` and `jnp.any` of a leaf read the padding, which
    is 0; use these two functions only for tests such as `isfinite`.

    Attributes:
      values: array `[capacity, ...]`; along each axis with padding, the valid entries come first.

    Differs from TensorFlow: TensorFlow has no such class, because TensorFlow's tensors contain no
    padding. Under `vmap`, each row of a mapped `Padded` has its own size.

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
        self._numbers = Derived((*sizes.values(), status))
        self._code = Derived()
        # What the entries were computed from in the same trace; see `error_values.py`.
        self.sources: tuple[Any, ...] = ()

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
                    "`x` is larger than the capacity.",
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
        """The number of valid entries along each axis with padding: `{axis: int32 scalar}`."""
        rank = jnp.ndim(self.values)
        return {a + rank: s for a, s in zip(self._axes, self._read(), strict=False)}

    @property
    def status(self) -> Any:
        """An int32 scalar that encodes the error that `unpad` raises.

        The status is 0 if there is no error. If the needed size is larger than the capacity, the status is the
        needed size. If operands were invalid, the status is negative.
        """
        return self._read()[-1]

    def carried_values(self) -> Any:
        """Return `values`, such that their gradient in an enclosing trace is a `Padded` with valid sizes."""
        code = self._code.given
        is_traced = jp.is_tracer(self.values) and jp.is_tracer(code)
        if not is_traced or not jnp.issubdtype(self.dtype, jnp.inexact):
            return self.values
        return carry(self.values, code, len(self._axes) + 1)

    def _read(self) -> tuple[Any, ...]:
        """Return the sizes and the status, decoded if necessary."""
        return self._numbers.get(lambda: _decoded(self._code.given, len(self._axes) + 1))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the entries."""
        return self.values.dtype

    @property
    def ndim(self) -> int:
        """The rank."""
        return jnp.ndim(self.values)

    def valid(self, axis: int = 0) -> jax.Array:
        """Return the validity mask along `axis`, which is a bool vector `[capacity]`."""
        axis = axis % self.ndim
        return jnp.arange(self.values.shape[axis]) < self.sizes[axis]

    def check_is_one_value(self) -> None:
        """Raise an error if the value has one size per row of a `vmap`, since no operation accepts such a value."""
        if not any(map(np.ndim, self._read())):
            return
        raise errors.PaddedUseError(
            errors.message(
                "Padded",
                "a padded value whose rows have different sizes is used as one array.",
                received=repr(self),
                do="map over the rows with `jax.vmap(shims.dynamic(f))(x)`, or use `x.unpad()` outside of `jit`, "
                "which returns a list of the rows without padding",
            )
        )

    @jp.moving_data
    def unpad(self) -> Any:
        """Return the valid entries as an array without padding, or as a list of arrays if `vmap` has added an axis.

        Raises:
          CapacityError: the result needs more entries than the capacity.
          InvalidArgumentError: an operand of the computation was invalid.
          PaddedUseError: the sizes were lost, or the value is traced.
        """
        if any(map(jp.is_tracer, (self.values, *self._read()))):
            self._refuse_value("Padded.unpad")
        *sizes, status = map(np.asarray, self._read())
        check_status(status, self.values)
        if any(s.ndim for s in sizes):
            rows = range(self.values.shape[0])
            return [self._row(i).unpad() for i in rows]
        axes = [axis % self.values.ndim for axis in self._axes]
        given = dict(zip(axes, map(int, sizes), strict=True))
        if not accelerators.on_cpu(self.values):
            return device_arrays.cut(jp.as_jax(self.values), given, is_own=False)
        values = np.asarray(self.values)
        index = [slice(given.get(axis)) for axis in range(values.ndim)]
        return jp.array_from_host(values[tuple(index)])

    def _row(self, i: int) -> Padded:
        *sizes, status = (x[i] if jnp.ndim(x) else x for x in self._read())
        return Padded(self.values[i], dict(zip(self._axes, sizes, strict=True)), status)

    def _refuse(self) -> NoReturn:
        """Raise an error, because the caller would read the padding as data."""
        raise errors.PaddedUseError(
            errors.message(
                "Padded",
                "a padded value was passed to a JAX function, which would read the padding.",
                received=repr(self),
                do=(
                    "wrap the whole computation with `shims.dynamic(f)(x)`, or use an operator of shims, such as "
                    "`shims.reduce_sum` for a sum"
                ),
            )
        )

    def _refuse_value(self, name: str) -> NoReturn:
        """Raise the error for a Python built-in such as `len` that needs a value known only at run time."""
        raise errors.PaddedUseError(
            errors.message(
                name,
                "Python needs the contents of a padded value, which are known only at run time.",
                received=repr(self),
                do=(
                    "outside of `jit`, use the array without padding, `x.unpad()`; inside `jit`, use an operator such as "
                    "`shims.size(x)`, `shims.where` or `shims.cond`"
                ),
            )
        )

    @property
    def __jax_array__(self) -> Callable[[], NoReturn]:
        """Reject the conversion by which `jax.numpy` would read the padding.

        In `array + padded`, the operator of the array finds no such attribute, so Python calls the
        reflected operator of `Padded`.
        """
        if jp.array_operator_calls(1):
            raise AttributeError("__jax_array__")
        return self._refuse

    def __array__(self, *args: object, **kwargs: object) -> NoReturn:
        """Reject the conversion by which NumPy would read the padding."""
        self._refuse()

    __hash__ = None  # type: ignore[assignment]  # `==` compares the entries

    def __iter__(self) -> NoReturn:
        self._refuse_value("iter")

    def __len__(self) -> int:
        self._refuse_value("len")

    def __bool__(self) -> bool:
        self._refuse_value("bool")

    def __float__(self) -> float:
        self._refuse_value("float")

    def __int__(self) -> int:
        self._refuse_value("int")

    def __index__(self) -> int:
        self._refuse_value("operator.index")

    def __complex__(self) -> complex:
        self._refuse_value("complex")

    def __contains__(self, item: object) -> bool:
        self._refuse_value("in")

    def __getattr__(self, name: str) -> NoReturn:
        """Raise an error for an attribute of `jax.Array` that `Padded` does not have, with advice."""
        if name.startswith("__") or not hasattr(jax.Array, name):
            raise AttributeError(f"'Padded' object has no attribute '{name}'")
        sized = {
            "shape": "`shims.shape(x)` for the shape without padding",
            "size": "`shims.size(x)` for the number of valid elements",
        }.get(name)
        raise errors.PaddedAttributeError(
            errors.message(
                f"Padded.{name}",
                "a padded value has no such attribute, because its size is known only at run time.",
                received=repr(self),
                do=f"use {sized or f'`x.unpad().{name}` outside of `jit`'}, or `x.values.{name}` "
                "for the array with its padding",
            )
        )

    if TYPE_CHECKING:  # bound with the operators, in padded_operators.py

        def __getitem__(self, index: Any) -> Any:
            """Index the valid entries."""

    def __repr__(self) -> str:
        try:
            sizes = ", ".join(f"axis {a}: {_format_size(s)}" for a, s in self.sizes.items())
        except errors.PaddedUseError:
            sizes = "sizes lost"
        shape = "x".join(map(str, jnp.shape(self.values)))
        return f"Padded({self.values.dtype.name}[{shape}], {sizes})"

    def tree_flatten(self) -> tuple[Iterable[Any], padded_leaves.Axes]:
        """Return `values` and the encoded sizes as children, and the dynamic axes as static data."""
        numbers = self._numbers.given
        # Of a value that was unflattened, the code may be a placeholder, `None` among them.
        code = self._code.given
        if numbers is not None:
            code = self._code.get(lambda: size_code.encode(numbers))
        axes = padded_leaves.Axes.of(self._axes, self)
        if padded_leaves.are_read():
            return padded_leaves.prepared(self.values, code, axes), axes
        return (self.values, code), axes

    @classmethod
    def tree_unflatten(cls, axes: tuple[int, ...], children: Iterable[Any]) -> Padded:
        """Create a `Padded` from the static data and children that `tree_flatten` returned."""
        self = object.__new__(cls)
        self.__setstate__((tuple(children), tuple(axes)))
        return self

    def __getstate__(self) -> tuple[tuple[Any, ...], tuple[int, ...]]:
        """Return the state for pickling and copies."""
        (values, code), axes = self.tree_flatten()
        return (values, code), tuple(axes)

    def __setstate__(self, state: tuple[tuple[Any, ...], tuple[int, ...]]) -> None:
        (self.values, code), self._axes = state
        self._numbers, self._code = Derived(), Derived(code)
        self.sources = ()


def _decoded(code: Any, count: int) -> tuple[Any, ...]:
    """Decode the sizes and the status; if arithmetic has damaged the code, raise or return `LOST`."""
    if not size_code.is_code(code, count):
        raise _lost()
    if isinstance(code, jax.ShapeDtypeStruct):
        return jax.eval_shape(lambda x: size_code.decode(x, count), code)[0]
    if not jp.is_tracer(code):
        numbers, is_whole = size_code.decode_on_host(np.asarray(code), count)
        if not np.all(is_whole):
            raise _lost()
        return numbers
    (*sizes, status), is_whole = size_code.decode(code, count)
    return (*(jnp.where(is_whole, s, 0) for s in sizes), jnp.where(is_whole, status, LOST))


def _lost() -> errors.PaddedUseError:
    return errors.PaddedUseError(
        errors.message(
            "Padded",
            "the sizes of a padded value were lost, because code outside of shims computed with the leaves of the "
            "value, or combined the leaves with leaves of a value of a different size.",
            required="sums and multiples of leaves that belong to padded values of the same size",
            do="map over whole values, `jax.tree.map(f, tree, is_leaf=lambda x: isinstance(x, shims.Padded))`, or "
            "restore the sizes, `shims.Padded(y.values, x.sizes)`",
        )
    )


# `jax.export` stores the structure of results in the exported program.
export.register_pytree_node_serialization(
    Padded,
    serialized_name="shims.Padded",
    serialize_auxdata=lambda axes: json.dumps(axes).encode(),
    deserialize_auxdata=lambda text: tuple(json.loads(text)),
)


def _format_size(size: Any) -> str:
    is_known = isinstance(size, (jax.Array, np.ndarray, int)) and not jp.is_tracer(size)
    return str(np.asarray(size)) if is_known else "traced"


def check_status(status: Any, values: Any = None) -> None:
    """Raise the error that the status of a `Padded` stands for, if any."""
    codes = np.asarray(status)
    if not codes.any():
        return
    worst = int(codes.min()) if codes.min() < 0 else int(codes.max())
    if worst > 0:
        room = "" if values is None else f"{max(jnp.shape(values), default=0)}"
        raise errors.CapacityError(
            errors.message(
                "Padded",
                "the data needed more entries than the capacity, so the values are not valid.",
                required=f"room for {worst} entries",
                received=f"{room} entries" if room else "",
                do=(
                    f"raise the bound to {worst}, or call the function through `shims.function`, "
                    "which enlarges its buffers"
                ),
            )
        )
    if worst == LOST:
        raise _lost()
    known = failure_codes.error_of(worst)
    if known is not None:
        raise known
    raise errors.InvalidArgumentError(
        errors.message(
            "Padded",
            "operands of this computation were invalid, or sizes differ from the sizes that the computation assumes.",
            do=(
                "call the function through `shims.function` at the top level, which names the invalid operands or "
                "traces the program again"
            ),
        )
    )


def _refuse_abstract(padded: Padded) -> NoReturn:
    padded._refuse()


jp.register_type(Padded, _refuse_abstract)
refused_reductions.install()
