"""Provide the string operators with numeric results.

The other string operators raise an error, since JAX has no string arrays.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.errors import errors
from shims._src.strings.hashes import buckets, farm, murmur, sip

_UNITS = ("BYTE", "UTF8_CHAR")


def length(input, unit="BYTE", name=None):
    """Compute the lengths of strings.

    Args:
      input: a string, bytes, or nested lists or a NumPy array of them.
      unit: `BYTE` or `UTF8_CHAR`.
      name: ignored.

    Returns:
      int32 array in the shape of `input`.

    Raises:
      InvalidArgumentError: `unit` is unknown.
      TypeError: an element is not a string.

    Differs from TensorFlow:
      It takes Python or NumPy strings, since JAX has no string arrays.

    Under jit:
      The lengths are constants.

    Example:
      >>> import shims
      >>> shims.strings.length(["a", "bcd"]).tolist()
      [1, 3]

    https://www.tensorflow.org/api_docs/python/tf/strings/length
    """
    if unit not in _UNITS:
        raise checks.invalid(
            "strings.length", f"`unit` must not be {unit!r}.", required=" or ".join(_UNITS)
        )
    texts = np.asarray(input, object)
    lengths = [_length(text, unit) for text in texts.ravel()]
    return jnp.asarray(np.reshape(np.asarray(lengths, np.int32), texts.shape))


def _length(text, unit: str) -> int:
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"strings.length: {text!r} is not a string.")
    encoded = text.encode() if isinstance(text, str) else text
    # A byte 10xxxxxx continues a character.
    return sum(unit == "BYTE" or byte & 0xC0 != 0x80 for byte in encoded)


def to_hash_bucket(input, num_buckets, name=None):
    """Hash strings into buckets, with the hash function of TensorFlow's first versions.

    Args:
      input: a string, bytes, or nested lists or a NumPy array of them.
      num_buckets: the number of buckets.
      name: ignored.

    Returns:
      The bucket of each string, int64 (int32 unless `jax_enable_x64` is on).

    Raises:
      InvalidArgumentError: `num_buckets` is not positive.
      TypeError: an element is not a string.
      UnimplementedError: a bucket number needs 64 bits, and `jax_enable_x64` is off.

    Differs from TensorFlow:
      It takes Python or NumPy strings, since JAX has no string arrays.

    Under jit:
      The buckets are constants.

    https://www.tensorflow.org/api_docs/python/tf/strings/to_hash_bucket
    """
    return buckets("strings.to_hash_bucket", input, num_buckets, murmur)


def to_hash_bucket_fast(input, num_buckets, name=None):
    """Hash strings into buckets with a fast hash function.

    Args:
      input: a string, bytes, or nested lists or a NumPy array of them.
      num_buckets: the number of buckets.
      name: ignored.

    Returns:
      The bucket of each string, int64 (int32 unless `jax_enable_x64` is on).

    Raises:
      InvalidArgumentError: `num_buckets` is not positive.
      TypeError: an element is not a string.
      UnimplementedError: a bucket number needs 64 bits, and `jax_enable_x64` is off.

    Differs from TensorFlow:
      It takes Python or NumPy strings, since JAX has no string arrays.

    Under jit:
      The buckets are constants.

    Example:
      >>> import shims
      >>> shims.strings.to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3).tolist()
      [0, 2, 2]

    https://www.tensorflow.org/api_docs/python/tf/strings/to_hash_bucket_fast
    """
    return buckets("strings.to_hash_bucket_fast", input, num_buckets, farm)


def to_hash_bucket_strong(input, num_buckets, key, name=None):
    """Hash strings into buckets with a keyed hash function.

    Args:
      input: a string, bytes, or nested lists or a NumPy array of them.
      num_buckets: the number of buckets.
      key: two integers.
      name: ignored.

    Returns:
      The bucket of each string, int64 (int32 unless `jax_enable_x64` is on).

    Raises:
      InvalidArgumentError: `num_buckets` is not positive, or `key` does not have two integers.
      TypeError: an element is not a string.
      UnimplementedError: a bucket number needs 64 bits, and `jax_enable_x64` is off.

    Differs from TensorFlow:
      It takes Python or NumPy strings, since JAX has no string arrays.

    Under jit:
      The buckets are constants.

    https://www.tensorflow.org/api_docs/python/tf/strings/to_hash_bucket_strong
    """
    if len(key) != 2:
        raise checks.invalid(
            "strings.to_hash_bucket_strong", "`key` must have two integers.", received=f"{key}"
        )
    pair = (int(key[0]), int(key[1]))
    return buckets("strings.to_hash_bucket_strong", input, num_buckets, lambda s: sip(s, pair))


def _refused(place: str, name: str, instead: str):
    """Return a function that always raises `UnimplementedError`, with a suggested replacement."""
    full = f"{place}.{name}" if place else name

    def call(*args, **kwargs):
        raise errors.UnimplementedError(
            errors.message(full, "JAX has no arrays of strings.", do=instead)
        )

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"""Refused: JAX has no arrays of strings.

    Raises:
      UnimplementedError: always; the message names what to call instead.

    Differs from TensorFlow:
      It is not available.

    Under jit:
      Handle strings on the host.

    https://www.tensorflow.org/api_docs/python/tf/{full.replace(".", "/")}
    """
    return call


_BEFORE = "do it before JAX, with Python's own `str` and `re` or with `numpy.strings`"
_NUMBERS = "turn strings into numbers before JAX, in the input pipeline, and pass the numbers"
_SHOWN = "format on the host: `[str(v) for v in numpy.asarray(x).ravel()]`"
_TABLES = "look strings up in the input pipeline, with a `dict`, and pass the numbers to JAX"

as_string = _refused("strings", "as_string", _SHOWN)
bytes_split = _refused("strings", "bytes_split", _BEFORE)
format = _refused("strings", "format", _SHOWN)
join = _refused("strings", "join", _BEFORE)
lower = _refused("strings", "lower", _BEFORE)
ngrams = _refused("strings", "ngrams", _BEFORE)
reduce_join = _refused("strings", "reduce_join", _BEFORE)
regex_full_match = _refused("strings", "regex_full_match", _BEFORE)
regex_replace = _refused("strings", "regex_replace", _BEFORE)
split = _refused("strings", "split", _BEFORE)
strip = _refused("strings", "strip", _BEFORE)
substr = _refused("strings", "substr", _BEFORE)
to_number = _refused("strings", "to_number", _NUMBERS)
unicode_decode = _refused("strings", "unicode_decode", _NUMBERS)
unicode_decode_with_offsets = _refused("strings", "unicode_decode_with_offsets", _NUMBERS)
unicode_encode = _refused("strings", "unicode_encode", _BEFORE)
unicode_script = _refused("strings", "unicode_script", _BEFORE)
unicode_split = _refused("strings", "unicode_split", _BEFORE)
unicode_split_with_offsets = _refused("strings", "unicode_split_with_offsets", _BEFORE)
unicode_transcode = _refused("strings", "unicode_transcode", _BEFORE)
unsorted_segment_join = _refused("strings", "unsorted_segment_join", _BEFORE)
upper = _refused("strings", "upper", _BEFORE)
KeyValueTensorInitializer = _refused("lookup", "KeyValueTensorInitializer", _TABLES)
StaticHashTable = _refused("lookup", "StaticHashTable", _TABLES)
StaticVocabularyTable = _refused("lookup", "StaticVocabularyTable", _TABLES)
TextFileInitializer = _refused("lookup", "TextFileInitializer", _TABLES)
