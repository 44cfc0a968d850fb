"""`tf.TensorArray`: elements written and read by position, also from inside of loops."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import operand
from shims._src.array.cutting import entries
from shims._src.array.scatter import placed
from shims._src.array.shapes import size_of
from shims._src.control_flow.element_buffer import ElementRoom, space_of_list
from shims._src.control_flow.staging import ambient_is_staging, is_staged
from shims._src.control_flow.undefined import Unwritten
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.types.dtypes import array_dtype
from shims._src.types.tensor_shape import TensorShape


@jax.tree_util.register_pytree_node_class
class TensorArray:
    """A list of arrays of one dtype, written and read by position.

    Eagerly a write changes the object and returns it. While a program is traced it returns a new
    object and leaves the old one as it was, as TensorFlow has it.

    Args:
      dtype: of the elements.
      size: how many elements; may be traced inside `shims.function`. 0 when `None`.
      dynamic_size: whether writing behind the end makes the list longer.
      clear_after_read: whether an element can be read only once, eagerly; True when `None`.
      tensor_array_name: ignored.
      handle: must be `None`.
      flow: ignored.
      infer_shape: whether all elements must have one shape.
      element_shape: the shape of the elements, as far as it is known.
      colocate_with_first_write_call: ignored.
      name: ignored.

    Raises:
      ValueError: there is a `handle`.

    Differs from TensorFlow:
      `grad` does not exist: gradients flow through all methods.

    Under jit:
      It may be the state of a loop. An element that nothing wrote is 0.

    Example:
      >>> import shims
      >>> array = shims.TensorArray(shims.float32, size=2)
      >>> array = array.write(1, 5.0)
      >>> array.stack().tolist()
      [0.0, 5.0]

    https://www.tensorflow.org/api_docs/python/tf/TensorArray
    """

    def __init__(
        self,
        dtype,
        size=None,
        dynamic_size=None,
        clear_after_read=None,
        tensor_array_name=None,
        handle=None,
        flow=None,
        infer_shape=True,
        element_shape=None,
        colocate_with_first_write_call=True,
        name=None,
    ):
        if handle is not None:
            raise ValueError("TensorArray: a `handle` is TensorFlow 1's and not supported.")
        self._dtype = np.dtype(array_dtype(dtype, "TensorArray"))
        self._dynamic_size = bool(dynamic_size)
        self._clear = clear_after_read is None or bool(clear_after_read)
        self._infer_shape = bool(infer_shape)
        shape = TensorShape(element_shape)
        self._shape = None if shape.dims is None else tuple(shape.as_list())
        size = size_of("TensorArray", 0 if size is None else size)
        self._count = size
        # Either single elements, where all positions are known, or one array of all of them.
        self._elements: list | None = [None] * size if is_known(size) else None
        self._stacked = None
        self._read: set[int] = set()
        # A list that may grow while a program is traced has a room for its elements.
        self._space = space_of_list() if self._dynamic_size else None
        self._room: ElementRoom | None = None

    # ---- as state of a loop ----------------------------------------------------------------------

    def tree_flatten(self):
        settings = (
            *(self._dtype, self._dynamic_size, self._clear, self._infer_shape, self._shape),
            self._space,
        )
        if self._ragged():
            there = tuple(e is not None for e in self._elements)
            return tuple(e for e in self._elements if e is not None), (settings, "parts", there)
        if self._space is not None:
            room = self._as_room()
            if room is None:
                nothing = Unwritten("TensorArray", self._space.capacity)
                return (nothing, primitives.as_size(self._count)), (settings, "room", None)
            return (room.array, room.count), (settings, "room", None)
        stacked = self._as_stacked()
        if stacked is None:
            return (Unwritten("TensorArray", self._count),), (settings, "stacked", None)
        return (stacked,), (settings, "stacked", None)

    @classmethod
    def tree_unflatten(cls, aux, leaves):
        settings, kind, there = aux
        new = cls.__new__(cls)
        new._dtype, new._dynamic_size, new._clear, new._infer_shape, new._shape = settings[:5]
        new._space = settings[5]
        new._elements = new._stacked = new._room = None
        new._read = set()
        if kind == "parts":
            rest = iter(leaves)
            new._elements = [next(rest) if one else None for one in there]
            new._count = len(there)
        elif kind == "room":
            array, new._count = leaves
            if not isinstance(array, Unwritten):
                new._room = ElementRoom(array, new._count, new._space)
        elif isinstance(leaves[0], Unwritten):
            new._count = leaves[0].count
            new._elements = [None] * new._count if is_known(new._count) else None
        else:
            new._stacked = leaves[0]
            new._count = leaves[0].shape[0] if getattr(leaves[0], "ndim", 0) else None
        return new

    def _copy(self) -> TensorArray:
        new = type(self).__new__(type(self))
        new.__dict__.update(self.__dict__)
        new._elements = None if self._elements is None else list(self._elements)
        new._read = set(self._read)
        return new

    def _target(self, *values) -> TensorArray:
        """What a method writes to: the object itself eagerly, else a copy."""
        held = [self._stacked, *(self._elements or ()), self._room and self._room.array]
        staged = ambient_is_staging() or any(is_staged(v) for v in (*values, *held))
        return self._copy() if staged else self

    # ---- what is known ---------------------------------------------------------------------------

    @property
    def dtype(self):
        """The dtype of the elements."""
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether writing behind the end makes the list longer."""
        return self._dynamic_size

    @property
    def element_shape(self) -> TensorShape:
        """The shape of the elements, as far as it is known."""
        return TensorShape(self._shape)

    @property
    def flow(self):
        """Nothing of interest; TensorFlow orders operations by it."""
        return jnp.zeros(())

    @property
    def handle(self):
        """`None`."""
        return None

    def identity(self) -> TensorArray:
        """The same elements."""
        return self

    def close(self, name=None) -> None:
        """Nothing: memory is given back by itself."""

    def size(self, name=None):
        """How many elements there are, an int32 scalar.

        Args:
          name: ignored.
        """
        return primitives.as_size(self._count)

    # ---- elements --------------------------------------------------------------------------------

    def _ragged(self) -> bool:
        """Whether the elements have shapes of their own."""
        if self._elements is None:
            return False
        return len({tuple(map(str, e.shape)) for e in self._elements if e is not None}) > 1

    def _zero_shape(self):
        """The shape of an element that nothing wrote, `None` if it is not known."""
        first = next((e for e in self._elements or () if e is not None), None)
        if first is not None:
            return first.shape
        if self._stacked is not None:
            return self._stacked.shape[1:]
        if self._room is not None:
            return self._room.array.shape[1:]
        return None if self._shape is None or None in self._shape else self._shape

    def _as_stacked(self):
        """All elements as one array, `None` while their shape is not known."""
        if self._stacked is not None:
            return self._stacked
        if self._room is not None:
            return self._room.stacked()
        shape = self._zero_shape()
        if shape is None:
            return None
        if not self._elements or all(e is None for e in self._elements):
            return jnp.zeros((self._count, *shape), self._dtype)
        zero = jnp.zeros(shape, self._dtype)
        return jnp.stack([zero if e is None else e for e in self._elements])

    def _as_room(self) -> ElementRoom | None:
        """All elements in their room, `None` while their shape is not known."""
        if self._room is not None:
            return self._room
        assert self._space is not None
        shape = self._zero_shape()
        if shape is None:
            return None
        if self._stacked is None and not any(e is not None for e in self._elements or ()):
            return ElementRoom.empty(self._count, shape, self._dtype, self._space)
        return ElementRoom.of(self._as_stacked(), self._space)

    def _need_stacked(self, method: str):
        if self._ragged():
            raise checks.invalid(
                f"TensorArray.{method}",
                "the elements have different shapes.",
                required="elements of one shape",
                received=", ".join(str(e.shape) for e in self._elements or () if e is not None),
            )
        stacked = self._as_stacked()
        if stacked is None and self._elements == [] and not ambient_is_staging():
            return jnp.zeros((0,), self._dtype)  # what TensorFlow makes of it eagerly
        if stacked is None:
            raise checks.invalid(
                f"TensorArray.{method}",
                "the shape of the elements is not known, and nothing was written.",
                do="give `element_shape`",
            )
        return stacked

    def _element(self, method: str, value):
        value = operand(value, None if isinstance(value, jax.Array) else self._dtype)
        if value.dtype != self._dtype:
            raise checks.invalid(
                f"TensorArray.{method}",
                f"an element of dtype {value.dtype.name} in a list of {self._dtype.name}.",
                required=self._dtype.name,
                received=value.dtype.name,
            )
        expected = self._shape
        if self._infer_shape and expected is None:
            expected = self._zero_shape()
        if expected is not None and not _fits(value.shape, expected):
            raise ValueError(
                f"TensorArray.{method}: incompatible shape for value: {value.shape}, "
                f"expected {tuple(expected)}."
            )
        return value

    # ---- one element -----------------------------------------------------------------------------

    def write(self, index, value, name=None) -> TensorArray:
        """The list with an element at a position.

        Args:
          index: an integer scalar.
          value: the element.
          name: ignored.

        Raises:
          OutOfRangeError: there is no such position.
          InvalidArgumentError: the dtype differs.
          ValueError: the shape differs from that of the others.
        """
        value = self._element("write", value)
        new = self._target(index, value)
        (index,) = entries([index])
        if not is_staged(index) and is_known(index) and new._elements is not None:
            new._put(int(index), value)
        else:
            new._put_somewhere(index, value)
        return new

    def _put(self, index: int, value) -> None:
        assert self._elements is not None
        if index < 0 or (index >= len(self._elements) and not self._dynamic_size):
            raise _outside("write", index, len(self._elements))
        if index >= len(self._elements):
            self._elements += [None] * (index + 1 - len(self._elements))
            self._count = len(self._elements)
        self._elements[index] = value

    def _put_somewhere(self, index, value) -> None:
        """A write at a position that is known only at run time, or into an array of all elements."""
        if self._space is not None:
            self._put_into_room(jnp.asarray(index, jnp.int32), value)
            return
        if self._stacked is None and self._zero_shape() is None:
            stacked = jnp.zeros((self._count, *value.shape), self._dtype)
        else:
            stacked = self._need_stacked("write")
        place = jnp.asarray(index, jnp.int32)
        if self._dynamic_size:
            stacked = _with_room(stacked, index, place)
        _check_place("write", index, place, stacked.shape[0])
        if _is_same(stacked.shape[0], 0):  # no iteration writes here, but its program has to fit
            stacked = primitives.connected(stacked, jnp.expand_dims(value, 0))
        else:
            stacked = lax.dynamic_update_index_in_dim(stacked, value, place, 0)
        self._elements, self._stacked, self._count = None, stacked, stacked.shape[0]

    def _put_into_room(self, place, value) -> None:
        checks.check_data(
            place < 0, "TensorArray.write", "there is no such element.", required="a position >= 0"
        )
        room = self._as_room() if self._zero_shape() is not None else None
        if room is None:
            room = ElementRoom.empty(self._count, value.shape, self._dtype, self._space)
        if not all(map(_is_same, value.shape, room.array.shape[1:])):
            raise errors.UnimplementedError(
                errors.message(
                    "TensorArray.write",
                    "elements whose sizes depend on data are written in a traced loop.",
                    received=f"shape {value.shape} after {room.array.shape[1:]}",
                    do="grow one array by `concat` in the state of the loop, and an array of the "
                    "lengths beside it",
                )
            )
        self._room = room.write(place, value)
        self._elements, self._stacked, self._count = None, None, self._room.count

    def read(self, index, name=None):
        """The element at a position.

        Args:
          index: an integer scalar.
          name: ignored.

        Raises:
          OutOfRangeError: there is no such position.
          InvalidArgumentError: it was read before and `clear_after_read` holds, eagerly; or nothing
            was written and the shape is not known.
        """
        staged = ambient_is_staging() or is_staged(index)
        (index,) = entries([index])
        if is_staged(index) or not is_known(index) or self._elements is None:
            place = jnp.asarray(index, jnp.int32)
            if self._room is not None:
                _check_place("read", place, place, self._room.count)
                return self._room.read(place)
            stacked = self._need_stacked("read")
            _check_place("read", index, place, stacked.shape[0])
            if _is_same(stacked.shape[0], 0):
                return primitives.connected(jnp.zeros(stacked.shape[1:], self._dtype), stacked)
            return jnp.take(stacked, place, axis=0, mode="clip")
        if not 0 <= index < len(self._elements):
            raise _outside("read", index, len(self._elements))
        if index in self._read:
            raise checks.invalid(
                "TensorArray.read",
                f"could not read index {index} twice because it was cleared after a previous read.",
                do="make it with `clear_after_read=False`",
            )
        value = self._elements[index]
        if value is None:
            shape = self._zero_shape()
            if shape is None:
                self._need_stacked("read")
            return jnp.zeros(shape, self._dtype)
        if self._clear and not staged and not is_staged(value):
            self._read.add(index)
        return value

    # ---- all elements ----------------------------------------------------------------------------

    def stack(self, name=None):
        """All elements as one array with a new leading axis; 0 where nothing was written.

        Args:
          name: ignored.

        Raises:
          InvalidArgumentError: the elements have different shapes, or their shape is not known.
        """
        return self._need_stacked("stack")

    def gather(self, indices, name=None):
        """The elements at some positions as one array.

        Args:
          indices: an integer vector.
          name: ignored.

        Raises:
          OutOfRangeError: there is no such position.
        """
        if self._elements is not None and not is_staged(indices):
            picked = [int(i) for i in np.asarray(indices).ravel()]
            outside = next((i for i in picked if not 0 <= i < len(self._elements)), None)
            if outside is not None:
                raise _outside("gather", outside, len(self._elements))
            if picked and all(self._elements[i] is not None for i in picked):
                return jnp.stack([self._elements[i] for i in picked])
        stacked = self._need_stacked("gather")
        indices = operand(indices)
        checks.check_positions("TensorArray.gather", "indices", indices, stacked.shape[0])
        return jnp.take(stacked, indices, axis=0, mode="clip")

    def concat(self, name=None):
        """All elements joined along their first axis.

        Args:
          name: ignored.

        Raises:
          InvalidArgumentError: there is no element with an axis, or shapes do not fit.
        """
        if self._elements is not None and self._elements:
            shape = self._zero_shape()
            if any(e is None for e in self._elements) and shape is None:
                self._need_stacked("concat")
            parts = [jnp.zeros(shape, self._dtype) if e is None else e for e in self._elements]
            if any(p.ndim == 0 for p in parts):
                raise checks.invalid("TensorArray.concat", "the elements are scalars.")
            if any(p.shape[1:] != parts[0].shape[1:] for p in parts):
                raise checks.invalid(
                    "TensorArray.concat", "the elements differ behind their first axis."
                )
            return jnp.concatenate(parts)
        stacked = self._need_stacked("concat")
        if stacked.ndim < 2:
            raise checks.invalid("TensorArray.concat", "the elements are scalars.")
        return stacked.reshape((stacked.shape[0] * stacked.shape[1], *stacked.shape[2:]))

    def unstack(self, value, name=None) -> TensorArray:
        """The list with the slices of an array as its elements, and no others.

        Args:
          value: an array.
          name: ignored.

        Raises:
          ValueError: there are more slices than elements, or shapes do not fit.
        """
        value = operand(value, None if isinstance(value, jax.Array) else self._dtype)
        if value.ndim == 0:
            raise checks.invalid("TensorArray.unstack", "a scalar has no slices.")
        self._element("unstack", jnp.zeros(value.shape[1:], value.dtype))
        n, have = value.shape[0], self._count
        new = self._target(value)
        if self._dynamic_size:
            pass  # it becomes as long as there are slices
        elif is_known(n) and is_known(have):
            if n > have:
                raise ValueError(
                    f"Cannot unstack {n} tensors into a TensorArray of static size {have}"
                )
        else:
            checks.check_data(
                primitives.true_size(n) > primitives.true_size(have),
                "TensorArray.unstack",
                "there are more slices than elements.",
                required=f"at most {have} slices",
                received=f"{n}",
            )
        new._elements, new._stacked, new._count = None, value, value.shape[0]
        new._room = None
        if not is_staged(value) and not ambient_is_staging():
            new._elements, new._stacked = list(value), None
            new._read = set()
        return new

    def scatter(self, indices, value, name=None) -> TensorArray:
        """The list with the slices of an array at some positions.

        Args:
          indices: an integer vector.
          value: an array with a slice for each of them.
          name: ignored.

        Raises:
          OutOfRangeError: there is no such position.
          ValueError: shapes do not fit.
        """
        value = operand(value, None if isinstance(value, jax.Array) else self._dtype)
        self._element("scatter", jnp.zeros(value.shape[1:], value.dtype))
        new = self._target(indices, value)
        if new._elements is not None and not is_staged(indices) and is_known(value.shape[0]):
            for i, index in enumerate(np.asarray(indices).ravel().tolist()):
                new._put(int(index), value[i])
            return new
        indices = operand(indices)
        value = primitives.unify_axis(value, 0, indices.shape[0], label="TensorArray.scatter")
        if self._zero_shape() is None:
            stacked = jnp.zeros((self._count, *value.shape[1:]), self._dtype)
        else:
            stacked = new._need_stacked("scatter")
        if self._dynamic_size:
            highest = lax.reduce_max(indices, (0,)).astype(jnp.int32)
            stacked = _with_room(stacked, highest, highest)
        checks.check_positions("TensorArray.scatter", "indices", indices, stacked.shape[0])
        stacked = placed(stacked, (indices,), value)
        new._elements, new._stacked, new._count = None, stacked, stacked.shape[0]
        new._room = None
        return new

    def split(self, value, lengths, name=None) -> TensorArray:
        """The list with consecutive parts of an array as its elements.

        Args:
          value: an array.
          lengths: an integer vector, how long each part is; known while a program is traced.
          name: ignored.

        Raises:
          InvalidArgumentError: the lengths do not add up to the size of `value`.
          FreshSizeError: the lengths are traced.
        """
        value = operand(value, None if isinstance(value, jax.Array) else self._dtype)
        if jp.is_tracer(lengths):
            checks.static_int("TensorArray.split", "lengths", lengths)
        sizes = [int(n) for n in np.asarray(lengths).ravel()]
        if value.ndim == 0 or (is_known(value.shape[0]) and sum(sizes) != value.shape[0]):
            raise checks.invalid(
                "TensorArray.split",
                "the lengths do not add up.",
                required=f"sum(lengths) == {value.shape[0] if value.ndim else 'no scalar'}",
                received=f"lengths {sizes}",
            )
        value = primitives.unify_axis(value, 0, sum(sizes), label="TensorArray.split")
        if self._infer_shape and len(set(sizes)) > 1 and self._shape is None:
            self = self._without_shape()
        new = self._target(value)
        if not self._dynamic_size and (not is_known(new._count) or len(sizes) > new._count):
            raise checks.invalid(
                "TensorArray.split",
                f"{len(sizes)} parts for {new._count} elements.",
                required=f"at most {new._count} parts",
            )
        ends = np.cumsum([0, *sizes]).tolist()
        parts = [lax.slice_in_dim(value, a, b) for a, b in itertools.pairwise(ends)]
        new._elements = parts if self._dynamic_size else parts + [None] * (new._count - len(parts))
        new._stacked, new._room = None, None
        new._count, new._read = len(new._elements), set()
        return new

    def _without_shape(self) -> TensorArray:
        """The list, whose elements may have shapes of their own from here on."""
        self._infer_shape = False
        return self

    def __repr__(self) -> str:
        count = "some" if is_staged(self._count) else self._count
        return f"<TensorArray of {count} elements, {self._dtype.name}>"


def _is_same(a, b) -> bool:
    return jp.is_symbolic(a) == jp.is_symbolic(b) and bool(a == b)


def _fits(shape, expected) -> bool:
    """Whether an element's shape is one that the list takes."""
    if len(shape) != len(expected):
        return False
    pairs = zip(shape, expected, strict=True)
    return all(e is None or not is_known(d) or not is_known(e) or d == e for d, e in pairs)


def _outside(method: str, index: int, count: int) -> errors.OutOfRangeError:
    return errors.OutOfRangeError(
        errors.message(
            f"TensorArray.{method}",
            f"there is no element {index}.",
            required=f"a position in [0, {count})",
            received=str(index),
        )
    )


def _check_place(method: str, index, place, count) -> None:
    if not is_staged(index) and is_known(index) and is_known(count):
        if not 0 <= index < count:
            raise _outside(method, index, count)
        return
    checks.check_data(
        (place < 0) | (place >= primitives.as_size(count)),
        f"TensorArray.{method}",
        "there is no such element.",
        required=f"a position in [0, {'size' if is_staged(count) else count})",
    )


def _with_room(stacked, index, place):
    """All elements, and zeros behind them so that a position is among them."""
    count = stacked.shape[0]
    if not is_staged(index) and is_known(index) and is_known(count):
        more = max(int(index) + 1 - count, 0)
        return jnp.pad(stacked, [(0, more)] + [(0, 0)] * (stacked.ndim - 1))
    needed = jnp.maximum(primitives.as_size(count), place + 1)
    longer = primitives.to_dim(needed, label="TensorArray.write")
    return (
        jnp.zeros((longer, *stacked.shape[1:]), stacked.dtype)
        .at[jnp.arange(count, dtype=jnp.int32)]
        .set(stacked, mode="drop")
    )
