"""Define the rows of the operator table: frozen data about one TensorFlow object each.

Only the standard library is used, so that the command line can read the table without JAX or TensorFlow.
"""

from __future__ import annotations

import string
from dataclasses import dataclass

from tf2jax_port.table.inputs import Descriptor


@dataclass(frozen=True, slots=True)
class Native:
    """The target that replaces a call by a JAX expression with the same meaning.

    Attributes:
      expression: the expression, with TensorFlow's parameter names in braces:
        `jnp.sum({input_tensor}, axis={axis}, keepdims={keepdims})`.
      optional: parameters whose default is the same in TensorFlow and JAX, so the JAX call
        omits `axis={axis}` if the TensorFlow call omits the argument.
      defaults: `(parameter, text)` pairs; `text` is written if the call omits the parameter, since
        JAX's default differs: `("axis", "0")` for `argmax`.
      needs: parameters that are written even if they equal TensorFlow's default, since the JAX call
        without them has a different meaning.

    If a call passes an argument for which the expression has no placeholder, it becomes a call of
    `shims` instead, unless the parameter is `name` or the argument equals its default.
    """

    expression: str
    optional: tuple[str, ...] = ()
    defaults: tuple[tuple[str, str], ...] = ()
    needs: tuple[str, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """The parameters that the expression uses, in order of appearance."""
        parsed = (field for _, field, _, _ in string.Formatter().parse(self.expression))
        return tuple(dict.fromkeys(field for field in parsed if field))


@dataclass(frozen=True, slots=True)
class Shim:
    """The target that replaces a name by the function of `shims` with TensorFlow's behavior."""

    function: str


@dataclass(frozen=True, slots=True)
class Keep:
    """The target that leaves a name to TensorFlow on purpose."""

    reason: str


@dataclass(frozen=True, slots=True)
class Manual:
    """The target that leaves a name to a person; `code` is the diagnostic with the advice."""

    code: str
    reason: str


Target = Native | Shim | Keep | Manual


@dataclass(frozen=True, slots=True)
class Case:
    """One set of arguments with which the tests call the operator of a table row.

    Attributes:
      id: the identifier, which is appended to the name of the row: `boolean_mask-rank2-axis1-nan`.
      arguments: `(parameter, value)` pairs; arrays are given by descriptors, all other values
        literally.
      raises: the class name of the error that TensorFlow raises eagerly; `shims` raises the class
        of the same name. If there are several, `TypeError|ValueError`, TensorFlow raises one, and
        the error of `shims` is an instance of all.
      gradient: the parameters to differentiate; all floating-point arrays if `None`.
      differs: why the result differs from TensorFlow on purpose: `value: why` or `gradient: why`.
      unbounded: whether the inputs set no bound on the size of the result, so an enclosing
        `jax.jit` raises an error.
      xla: `differs: why` or `unsupported: why` if TensorFlow's XLA behaves differently for this
        case only; `crashes: why` if it must not be run.
      pad: `(parameter, axis)` pairs; the padding tests cut these arrays out of longer, padded ones.
        `None` means the leading axis of the first array, and of all arrays of the same length.
    """

    id: str
    arguments: tuple[tuple[str, object], ...]
    raises: str = ""
    gradient: tuple[str, ...] | None = None
    differs: str = ""
    unbounded: bool = False
    xla: str = ""
    pad: tuple[tuple[str, int], ...] | None = None

    def arrays(self) -> tuple[str, ...]:
        """Return the parameters whose arguments are arrays or lists of arrays."""
        return tuple(name for name, value in self.arguments if _has_descriptor(value))


def case(
    id: str,
    /,
    *,
    raises: str = "",
    gradient: tuple[str, ...] | None = None,
    differs: str = "",
    unbounded: bool = False,
    xla: str = "",
    pad: tuple[tuple[str, int], ...] | None = None,
    **arguments: object,
) -> Case:
    """Build a `Case` from keyword arguments."""
    return Case(id, tuple(arguments.items()), raises, gradient, differs, unbounded, xla, pad)


def case_of(id: str, arguments: dict[str, object], /, *, raises: str = "") -> Case:
    """Build a `Case` from a dictionary of arguments, for tests with varying parameter names."""
    return Case(id, tuple(arguments.items()), raises)


def _has_descriptor(value: object) -> bool:
    """Return whether a value is the descriptor of an array, or contains one."""
    if isinstance(value, (tuple, list)):
        return any(_has_descriptor(v) for v in value)
    return isinstance(value, Descriptor)


@dataclass(frozen=True, slots=True)
class Row:
    """The entry of the table for one TensorFlow object.

    Attributes:
      name: canonical TensorFlow 2 name without `tf.`; a meaning that only version 1 has is a
        separate row, such as `v1.to_float`.
      params: TensorFlow's parameters as text, `None` if the object is not callable (a dtype, a
        constant).
      target: the replacement of a reference.
      own: `module:function` in `shims._src` that implements the function of `shims`; empty if that
        is generated from the native expression.
      tensors: parameters that TensorFlow converts to tensors; those of one row share a dtype.
      aliases: other TensorFlow names of the same object.
      inputs: the test cases of the object.
      differs: the conditions under which the JAX expression differs from TensorFlow; the rewritten
        call is marked for review.
      note: a smaller difference, which is not reported at every call.
      tolerance: relative tolerance for float32.
      xla: TensorFlow's `jit_compile=True` compared with TensorFlow eager: `same`, `differs: why` or
        `unsupported: why`.
      renames: `(old keyword, parameter)` for keywords that version 1 names differently.
      fresh: whether the size of the result is data-dependent.
      takes: the dtypes that TensorFlow has a kernel for, empty for any; all others raise an error.
        The words are those of `shims/_src/arguments/kernels.py` and apply to `tensors` or to the
        first parameter: `real -uint8 complex64`. Parameter names in front restrict them: `data:
        number; segment_ids: index`.
      no_gradient: why TensorFlow does not differentiate the function, empty if it does.
      tests: the folder of hand-written tests, if the arguments are not plain arrays.
      gives: the kind of result if it is not an array, as for assertions and predicates:
        derivatives, batching and padding do not apply.
    """

    name: str
    params: str | None
    target: Target
    own: str = ""
    tensors: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    inputs: tuple[Case, ...] = ()
    differs: str = ""
    note: str = ""
    tolerance: float = 1e-6
    xla: str = "same"
    renames: tuple[tuple[str, str], ...] = ()
    fresh: bool = False
    takes: str = ""
    no_gradient: str = ""
    tests: str = ""
    gives: str = ""

    @property
    def kernels(self) -> tuple[tuple[tuple[str, ...], str], ...]:
        """The parsed `takes`: `(parameters, words)`; the parameters of one entry share a dtype."""
        entries = []
        for part in filter(None, self.takes.split(";")):
            names, colon, words = part.rpartition(":")
            first = ((self.params or "").split(",")[0].split("=")[0].strip("* "),)
            entries.append(
                (tuple(names.split()) if colon else self.tensors or first, words.strip())
            )
        return tuple(entries)

    @property
    def names(self) -> tuple[str, ...]:
        """The canonical name and the aliases."""
        return (self.name, *self.aliases)
