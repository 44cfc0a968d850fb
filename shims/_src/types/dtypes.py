"""Define TensorFlow's dtypes; NumPy and JAX accept them as dtypes."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.errors import errors
from shims._src.types.tensor_spec import as_numpy_dtype


class DType:
    """A dtype with TensorFlow's attributes, equal to NumPy's dtype of the same name.

    Args:
      name: TensorFlow's name, `float32` for instance.

    Differs from TensorFlow:
      A `DType` converts to NumPy's dtype implicitly, so `jnp.zeros(3, shims.float32)` works, and
      64-bit dtypes become 32-bit dtypes unless `jax_enable_x64` is on.

    Under jit:
      Dtypes are static; nothing is traced.

    Example:
      >>> import shims
      >>> shims.float32, shims.float32.size, shims.as_dtype("int32").is_integer
      (tf.float32, 4, True)

    https://www.tensorflow.org/api_docs/python/tf/dtypes/DType
    """

    __slots__ = ("dtype", "name")
    __module__ = "shims"

    def __init__(self, name: str):
        self.name = name
        self.dtype = as_numpy_dtype(name)

    @property
    def as_numpy_dtype(self):
        """The NumPy scalar type."""
        return self.dtype.type

    @property
    def base_dtype(self) -> DType:
        """The dtype itself: there are no reference dtypes."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The dtype of the real part."""
        return as_dtype({"complex64": "float32", "complex128": "float64"}.get(self.name, self.name))

    @property
    def size(self) -> int:
        """The size of one element in bytes."""
        return self.dtype.itemsize

    @property
    def is_bool(self) -> bool:
        """Whether the dtype is `bool`."""
        return self.name == "bool"

    @property
    def is_floating(self) -> bool:
        """Whether the dtype is a real floating-point dtype."""
        return bool(jnp.issubdtype(self.dtype, jnp.floating))

    @property
    def is_complex(self) -> bool:
        """Whether the dtype is complex."""
        return bool(jnp.issubdtype(self.dtype, jnp.complexfloating))

    @property
    def is_integer(self) -> bool:
        """Whether the dtype is an integer dtype, signed or unsigned."""
        return bool(jnp.issubdtype(self.dtype, jnp.integer))

    @property
    def is_unsigned(self) -> bool:
        """Whether the dtype is an unsigned integer dtype."""
        return bool(jnp.issubdtype(self.dtype, jnp.unsignedinteger))

    @property
    def is_numpy_compatible(self) -> bool:
        """Whether NumPy has a corresponding dtype: always true."""
        return True

    @property
    def min(self):
        """The lowest finite value."""
        return _finite_limits(self.dtype)[0]

    @property
    def max(self):
        """The highest finite value."""
        return _finite_limits(self.dtype)[1]

    @property
    def limits(self):
        """`(0, max)` for unsigned integers, `(min, max)` otherwise."""
        return self.min, self.max

    def is_compatible_with(self, other) -> bool:
        """Return whether `other` is the same dtype."""
        return self == other

    def __eq__(self, other) -> bool:
        if other is None:
            return False
        try:
            return self.dtype == as_numpy_dtype(other)
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __reduce__(self):
        return as_dtype, (self.name,)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"


def _finite_limits(dtype):
    if dtype == np.bool_:
        return False, True
    if jnp.issubdtype(dtype, jnp.integer):
        info = jnp.iinfo(dtype)
    elif jnp.issubdtype(dtype, jnp.floating):
        info = jnp.finfo(dtype)
    else:
        raise TypeError(f"Cannot find the limits of {dtype.name}.")
    return dtype.type(info.min), dtype.type(info.max)


bfloat16 = DType("bfloat16")
bool_ = DType("bool")
complex128 = DType("complex128")
complex64 = DType("complex64")
float16 = half = DType("float16")
float32 = DType("float32")
float64 = double = DType("float64")
int16 = DType("int16")
int32 = DType("int32")
int64 = DType("int64")
int8 = DType("int8")
string = DType("string")
uint16 = DType("uint16")
uint32 = DType("uint32")
uint64 = DType("uint64")
uint8 = DType("uint8")

_ALL = (
    *(bfloat16, bool_, complex128, complex64, float16, float32, float64),
    *(int16, int32, int64, int8, string, uint16, uint32, uint64, uint8),
)
_BY_NUMPY = {d.dtype: d for d in _ALL}


def as_dtype(type_value) -> DType:
    """Convert a name, a Python type, or a dtype of NumPy, JAX or TensorFlow to a `DType`.

    Args:
      type_value: a dtype or the name of a dtype.

    Raises:
      TypeError: `type_value` is not a dtype, and not the name of a dtype.

    Differs from TensorFlow:
      Quantized and variant dtypes, which JAX lacks, are rejected.

    Under jit:
      Dtypes are static; nothing is traced.

    https://www.tensorflow.org/api_docs/python/tf/dtypes/as_dtype
    """
    if isinstance(type_value, DType):
        return type_value
    if type_value is int:
        return int32
    found = _BY_NUMPY.get(as_numpy_dtype(type_value))
    if found is None:
        raise TypeError(f"Cannot convert {type_value!r} to a dtype of shims.")
    return found


def array_dtype(dtype, function: str) -> np.dtype:
    """Return the dtype of JAX arrays for a requested dtype: at most 32 bits unless x64 is on.

    Raises:
      MissingKernelError: the dtype is one of strings, which JAX does not have.
    """
    return _array_dtype(int32.dtype if dtype is int else as_numpy_dtype(dtype), function)


def _array_dtype(dtype: np.dtype, function: str) -> np.dtype:
    if dtype.hasobject or dtype.kind in "SU":
        raise errors.MissingKernelError(
            errors.message(
                function,
                "JAX has no arrays of strings.",
                required="a number or bool dtype",
                received=f"dtype {dtype}",
                do="keep strings in Python or NumPy, and convert them to numbers before the call",
            )
        )
    return canonical_dtype(dtype)


def canonical_dtype(dtype) -> np.dtype:
    """Return `dtype`, or its 32-bit counterpart while `jax_enable_x64` is off."""
    return jax.dtypes.canonicalize_dtype(np.dtype(dtype))


@functools.cache
def kind_name(dtype) -> str:
    """Return the short name of a dtype in messages: `f32`, `i32`, `bool`, ..."""
    name = np.dtype(dtype).name
    for long, short in (
        ("bfloat", "bf"),
        ("float", "f"),
        ("uint", "u"),
        ("int", "i"),
        ("complex", "c"),
    ):
        if name.startswith(long):
            return short + name[len(long) :]
    return name
