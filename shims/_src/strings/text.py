"""Measure and hash strings."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.strings.elements import check_unit
from shims._src.strings.hashes import buckets, farm, murmur, sip
from shims._src.strings.late import late
from shims._src.strings.operands import each, over_ragged, strings


@late
@over_ragged
def length(input, unit="BYTE", name=None):
    """Compute the lengths of strings.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      unit: `BYTE` or `UTF8_CHAR`.
      name: ignored.

    Returns:
      int32 array in the shape of `input`.

    Raises:
      InvalidArgumentError: `unit` is unknown.
      TypeError: an element is not a string.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The lengths of known strings are constants; other lengths are computed on the host.

    Example:
      >>> import shims
      >>> shims.strings.length(["a", "bcd"]).tolist()
      [1, 3]

    https://www.tensorflow.org/api_docs/python/tf/strings/length
    """
    check_unit("strings.length", unit)
    texts = strings("strings.length", input)
    # A byte 10xxxxxx continues a character.
    measure = len if unit == "BYTE" else lambda x: sum(byte & 0xC0 != 0x80 for byte in x)
    return jnp.asarray(each(measure, texts, np.int32))


@late
@over_ragged
def to_hash_bucket(input, num_buckets, name=None):
    """Hash strings into buckets, with the hash function of TensorFlow's first versions.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      num_buckets: the number of buckets.
      name: ignored.

    Returns:
      The bucket of each string, int64 (int32 unless `jax_enable_x64` is on).

    Raises:
      InvalidArgumentError: `num_buckets` is not positive.
      TypeError: an element is not a string.
      UnimplementedError: a bucket number needs 64 bits, and `jax_enable_x64` is off.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The buckets of known strings are constants; other buckets are computed on the host.

    https://www.tensorflow.org/api_docs/python/tf/strings/to_hash_bucket
    """
    return buckets("strings.to_hash_bucket", input, num_buckets, murmur)


@late
@over_ragged
def to_hash_bucket_fast(input, num_buckets, name=None):
    """Hash strings into buckets with a fast hash function.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      num_buckets: the number of buckets.
      name: ignored.

    Returns:
      The bucket of each string, int64 (int32 unless `jax_enable_x64` is on).

    Raises:
      InvalidArgumentError: `num_buckets` is not positive.
      TypeError: an element is not a string.
      UnimplementedError: a bucket number needs 64 bits, and `jax_enable_x64` is off.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The buckets of known strings are constants; other buckets are computed on the host.

    Example:
      >>> import shims
      >>> shims.strings.to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3).tolist()
      [0, 2, 2]

    https://www.tensorflow.org/api_docs/python/tf/strings/to_hash_bucket_fast
    """
    return buckets("strings.to_hash_bucket_fast", input, num_buckets, farm)


@late
@over_ragged
def to_hash_bucket_strong(input, num_buckets, key, name=None):
    """Hash strings into buckets with a keyed hash function.

    Args:
      input: strings of any shape, or a ragged tensor of them.
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
      Nothing.

    Under jit:
      The buckets of known strings are constants; other buckets are computed on the host.

    https://www.tensorflow.org/api_docs/python/tf/strings/to_hash_bucket_strong
    """
    if len(key) != 2:
        raise checks.invalid(
            "strings.to_hash_bucket_strong", "`key` must contain two integers.", received=f"{key}"
        )
    pair = (int(key[0]), int(key[1]))
    return buckets("strings.to_hash_bucket_strong", input, num_buckets, lambda s: sip(s, pair))
