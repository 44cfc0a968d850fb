"""Decode, encode and split strings by characters."""

from __future__ import annotations

import codecs

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.platform.data_files import read_data
from shims._src.ragged.tensor import is_ragged
from shims._src.strings.operands import each, numbers, over_ragged, strings
from shims._src.strings.splitting import split_each, strings_vector
from shims._src.types.host_tensor import host

_ERRORS = ("strict", "replace", "ignore")
_OUTPUT = ("UTF-8", "UTF-16-BE", "UTF-32-BE")
_REPLACEMENT = 0xFFFD


class _Coding:
    """The options of an operator: encodings, and the treatment of invalid characters."""

    def __init__(
        self, function, encoding, errors="replace", replacement=_REPLACEMENT, control=False
    ):
        self.function, self.encoding = function, encoding
        self.errors, self.replacement, self.control = errors, replacement, control
        if errors not in _ERRORS:
            raise checks.invalid(
                function, f"`errors` must not be {errors!r}.", required=str(_ERRORS)
            )
        if not _is_valid(replacement):
            raise checks.invalid(
                function, "`replacement_char` must be a character.", received=str(replacement)
            )
        try:
            codecs.lookup(encoding)
        except LookupError:
            raise checks.invalid(
                function, f"Could not create converter for input encoding: {encoding}"
            ) from None

    def decoded(self, text: bytes) -> list[tuple[int, int]]:
        """Return the code points of a string and their offsets."""
        found: list[tuple[int, int]] = []
        at = 0
        while at < len(text):
            try:
                good, end = text[at:].decode(self.encoding), None
            except UnicodeDecodeError as error:
                good, end = text[at : at + error.start].decode(self.encoding), at + error.end
            for c in good:
                if self.control and ord(c) < 32:
                    self._add_invalid(found, at)
                else:
                    found.append((ord(c), at))
                at += len(c.encode(self.encoding))
            if end is None:
                break
            self._add_invalid(found, at)
            at = end
        return found

    def _add_invalid(self, found: list, at: int) -> None:
        if self.errors == "strict":
            raise checks.invalid(self.function, "Invalid formatting on input string")
        if self.errors == "replace":
            found.append((self.replacement, at))

    def encoded(self, points: list[int]) -> bytes:
        """Return the string of code points."""
        found = []
        for point in points:
            if _is_valid(point):
                found.append(chr(point))
            elif self.errors == "strict":
                raise checks.invalid(
                    self.function, "Code point is out of range for Unicode, or a noncharacter."
                )
            elif self.errors == "replace":
                found.append(chr(self.replacement))
        return "".join(found).encode(self.encoding)


def _is_valid(point: int) -> bool:
    return 0 <= point <= 0x10FFFF and not 0xD800 <= point < 0xE000


def _integers(parts: list[int]):
    return jnp.asarray(np.asarray(parts, np.int32))


def unicode_decode(
    input,
    input_encoding,
    errors="replace",
    replacement_char=_REPLACEMENT,
    replace_control_characters=False,
    name=None,
):
    """Decode strings into code points.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      input_encoding: the encoding, such as `UTF-8`.
      errors: the treatment of invalid bytes, which is `strict`, `replace` or `ignore`.
      replacement_char: the code point that replaces invalid bytes.
      replace_control_characters: whether control characters are treated as invalid.
      name: ignored.

    Returns:
      int32 code points: a vector for one string, otherwise a `RaggedTensor` with one more axis.

    Raises:
      InvalidArgumentError: an option is unknown, or a string is invalid and `errors` is `strict`.
      TypeError: `input`  does not contain strings.

    Differs from TensorFlow:
      The supported encodings are those of Python.

    Under jit:
      The result is a constant of the program.

    Example:
      >>> import shims
      >>> shims.strings.unicode_decode("aé", "UTF-8").tolist()
      [97, 233]

    https://www.tensorflow.org/api_docs/python/tf/strings/unicode_decode
    """
    function = "strings.unicode_decode"
    coding = _Coding(function, input_encoding, errors, replacement_char, replace_control_characters)
    return split_each(function, input, lambda x: [p for p, _ in coding.decoded(x)], _integers)


def unicode_decode_with_offsets(
    input,
    input_encoding,
    errors="replace",
    replacement_char=_REPLACEMENT,
    replace_control_characters=False,
    name=None,
):
    """Decode strings into code points, and return the offset of each.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      input_encoding: the encoding, such as `UTF-8`.
      errors: the treatment of invalid bytes, which is `strict`, `replace` or `ignore`.
      replacement_char: the code point that replaces invalid bytes.
      replace_control_characters: whether control characters are treated as invalid.
      name: ignored.

    Returns:
      `(code points, offsets)`, each a vector for one string, otherwise a `RaggedTensor` with one more
      axis.

    Raises:
      InvalidArgumentError: an option is unknown, or a string is invalid and `errors` is `strict`.
      TypeError: `input`  does not contain strings.

    Differs from TensorFlow:
      The supported encodings are those of Python. Offsets are int32 unless `jax_enable_x64` is on.

    Under jit:
      The result is a constant of the program.

    https://www.tensorflow.org/api_docs/python/tf/strings/unicode_decode_with_offsets
    """
    points = unicode_decode(
        input, input_encoding, errors, replacement_char, replace_control_characters
    )
    coding = _Coding(
        "strings.unicode_decode_with_offsets",
        input_encoding,
        errors,
        replacement_char,
        replace_control_characters,
    )
    return points, _offsets(coding, input)


def _offsets(coding: _Coding, input):
    return split_each(
        coding.function,
        input,
        lambda x: [at for _, at in coding.decoded(x)],
        lambda parts: jnp.asarray(np.asarray(parts, np.int64)),
    )


def unicode_encode(
    input, output_encoding, errors="replace", replacement_char=_REPLACEMENT, name=None
):
    """Encode the code points along the last axis as strings.

    Args:
      input: integers of rank 1 or more, or a ragged tensor of them.
      output_encoding: `UTF-8`, `UTF-16-BE` or `UTF-32-BE`.
      errors: the treatment of invalid code points, which is `strict`, `replace` or `ignore`.
      replacement_char: the code point that replaces invalid bytes.
      name: ignored.

    Returns:
      A tensor of strings with one axis fewer, on the host.

    Raises:
      InvalidArgumentError: an option is unknown, or a code point is invalid and `errors` is `strict`.
      ValueError: `input` is a scalar.
      UnimplementedError: `input` is traced.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The code points must be known.

    Example:
      >>> import shims
      >>> shims.strings.unicode_encode([97, 98], "UTF-8").numpy()
      b'ab'

    https://www.tensorflow.org/api_docs/python/tf/strings/unicode_encode
    """
    function = "strings.unicode_encode"
    if output_encoding not in _OUTPUT:
        raise checks.invalid(
            function, f"`output_encoding` must not be {output_encoding!r}.", required=str(_OUTPUT)
        )
    coding = _Coding(function, output_encoding, errors, replacement_char)
    return _encoded_rows(coding, input)


def _encoded_rows(coding: _Coding, input):
    if is_ragged(input):
        if is_ragged(input.values) or np.ndim(input.values) > 1:
            return input.with_values(_encoded_rows(coding, input.values))
        return strings_vector([coding.encoded(row) for row in input.to_list()])
    points = numbers(coding.function, "input", input)
    if not points.ndim:
        raise ValueError("input_tensor's rank must be at least 1.")
    found = np.empty(points.shape[:-1], object)
    rows = points.reshape((found.size, points.shape[-1])).astype(np.int64).tolist()
    found.reshape(-1)[:] = [coding.encoded(row) for row in rows]
    return host(found)


def unicode_split(
    input, input_encoding, errors="replace", replacement_char=_REPLACEMENT, name=None
):
    r"""Split strings into their characters.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      input_encoding: the encoding, which is `UTF-8`, `UTF-16-BE` or `UTF-32-BE`.
      errors: the treatment of invalid bytes, which is `strict`, `replace` or `ignore`.
      replacement_char: the code point that replaces invalid bytes.
      name: ignored.

    Returns:
      The characters: a vector for one string, otherwise a `RaggedTensor` with one more axis.

    Raises:
      InvalidArgumentError: an option is unknown, or a string is invalid and `errors` is `strict`.
      TypeError: `input`  does not contain strings.

    Differs from TensorFlow:
      Row splits are int32 unless `jax_enable_x64` is on.

    Under jit:
      Strings are constants of the program.

    Example:
      >>> import shims
      >>> shims.strings.unicode_split("aé", "UTF-8").numpy().tolist()
      [b'a', b'\xc3\xa9']

    https://www.tensorflow.org/api_docs/python/tf/strings/unicode_split
    """
    function = "strings.unicode_split"
    coding = _Coding(function, input_encoding, errors, replacement_char)
    if input_encoding not in _OUTPUT:
        raise checks.invalid(
            function, f"`input_encoding` must not be {input_encoding!r}.", required=str(_OUTPUT)
        )
    return split_each(
        function, input, lambda x: [coding.encoded([p]) for p, _ in coding.decoded(x)]
    )


def unicode_split_with_offsets(
    input, input_encoding, errors="replace", replacement_char=_REPLACEMENT, name=None
):
    """Split strings into their characters, and return the offset of each.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      input_encoding: the encoding, which is `UTF-8`, `UTF-16-BE` or `UTF-32-BE`.
      errors: the treatment of invalid bytes, which is `strict`, `replace` or `ignore`.
      replacement_char: the code point that replaces invalid bytes.
      name: ignored.

    Returns:
      `(characters, offsets)`, each a vector for one string, otherwise a `RaggedTensor` with one more
      axis.

    Raises:
      InvalidArgumentError: an option is unknown, or a string is invalid and `errors` is `strict`.
      TypeError: `input`  does not contain strings.

    Differs from TensorFlow:
      Offsets are int32 unless `jax_enable_x64` is on.

    Under jit:
      Strings are constants of the program.

    https://www.tensorflow.org/api_docs/python/tf/strings/unicode_split_with_offsets
    """
    characters = unicode_split(input, input_encoding, errors, replacement_char)
    coding = _Coding("strings.unicode_split_with_offsets", input_encoding, errors, replacement_char)
    return characters, _offsets(coding, input)


@over_ragged
def unicode_transcode(
    input,
    input_encoding,
    output_encoding,
    errors="replace",
    replacement_char=_REPLACEMENT,
    replace_control_characters=False,
    name=None,
):
    """Convert strings to another encoding.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      input_encoding: the encoding, such as `UTF-8`.
      output_encoding: `UTF-8`, `UTF-16-BE` or `UTF-32-BE`.
      errors: the treatment of invalid bytes, which is `strict`, `replace` or `ignore`.
      replacement_char: the code point that replaces invalid bytes.
      replace_control_characters: whether control characters are treated as invalid.
      name: ignored.

    Returns:
      A tensor of strings of the same shape, on the host.

    Raises:
      InvalidArgumentError: an option is unknown, or a string is invalid and `errors` is `strict`.
      TypeError: `input`  does not contain strings.

    Differs from TensorFlow:
      The supported encodings are those of Python.

    Under jit:
      Strings are constants of the program.

    https://www.tensorflow.org/api_docs/python/tf/strings/unicode_transcode
    """
    function = "strings.unicode_transcode"
    if output_encoding not in _OUTPUT:
        raise checks.invalid(
            function, f"`output_encoding` must not be {output_encoding!r}.", required=str(_OUTPUT)
        )
    read = _Coding(function, input_encoding, errors, replacement_char, replace_control_characters)
    write = _Coding(function, output_encoding, errors, replacement_char)
    return each(lambda x: write.encoded([p for p, _ in read.decoded(x)]), strings(function, input))


@over_ragged
def unicode_script(input, name=None):
    """Return the number that the library ICU gives to the script of each character.

    Args:
      input: int32 code points of any shape, or a ragged tensor of them.
      name: ignored.

    Returns:
      int32 array of the same shape; -1 for numbers that are not characters.

    Raises:
      UnimplementedError: `input` is traced.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The code points must be known.

    Example:
      >>> import shims
      >>> shims.strings.unicode_script([97, 945]).tolist()
      [25, 14]

    https://www.tensorflow.org/api_docs/python/tf/strings/unicode_script
    """
    points = numbers("strings.unicode_script", "input", input).astype(np.int64)
    table = np.asarray(read_data(__package__, "scripts")["starts"])
    place = np.searchsorted(table[:, 0], points, side="right") - 1
    return jnp.asarray(np.where(points < 0, -1, table[np.maximum(place, 0), 1]).astype(np.int32))
