"""What the project knows about one TensorFlow object: a frozen row of plain data.

Standard library only, so that the command line can read the table without JAX or TensorFlow.
"""

from __future__ import annotations

import string
from dataclasses import dataclass

from tf2jax_port.table.inputs import Descriptor


@dataclass(frozen=True, slots=True)
class Native:
    """A JAX expression says the same.

    Attributes:
      expression: the expression, with TensorFlow's parameter names in braces:
        `jnp.sum({input_tensor}, axis={axis}, keepdims={keepdims})`.
      optional: parameters whose TensorFlow default means JAX's default, so that `axis={axis}` may be
        left out of the expression wherever the call leaves the argument out.
      defaults: `(parameter, text)` of defaults that JAX spells otherwise: TensorFlow's `axis=None`
        of `argmax` is axis 0.
      needs: parameters without which the expression means something else.

    A call that gives a parameter which the expression has no place for becomes the shim instead,
    unless that parameter is `name` or has its default.
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
    """JAX has no such thing, or not with TensorFlow's numbers: `shims` has it under this name."""

    function: str


@dataclass(frozen=True, slots=True)
class Keep:
    """The call stays TensorFlow on purpose."""

    reason: str


@dataclass(frozen=True, slots=True)
class Manual:
    """A person must decide; `code` is the diagnostic that says how."""

    code: str
    reason: str


Target = Native | Shim | Keep | Manual


@dataclass(frozen=True, slots=True)
class Case:
    """One set of arguments that the row's tests run.

    Attributes:
      id: reads after the row's name: `boolean_mask-rank2-axis1-nan`.
      arguments: `(parameter, value)` pairs; arrays are descriptors, everything else is itself.
      raises: the error that TensorFlow raises eagerly, by class name; ours is its namesake. Of
        several, `TypeError|ValueError`, TensorFlow raises one, and ours is all of them.
      gradient: the parameters to differentiate; all floating-point arrays when `None`.
      differs: why ours differs from TensorFlow here, on purpose: `value: why` or `gradient: why`.
      unbounded: nothing in the inputs bounds the size of the result, so that a foreign `jit`
        refuses it.
      xla: `differs: why` or `unsupported: why` where TensorFlow's XLA answers this case but not the
        row otherwise, or refuses it; `crashes: why` where it must not even be tried.
      pad: `(parameter, axis)` pairs that the padding tests cut out of longer arrays; `None` takes
        the leading axis of the first array, and of all arrays that are as long.
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
        """The parameters that are arrays, or lists of arrays."""
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
    """A `Case` whose arguments are written as keywords."""
    return Case(id, tuple(arguments.items()), raises, gradient, differs, unbounded, xla, pad)


def case_of(id: str, arguments: dict[str, object], /, *, raises: str = "") -> Case:
    """A `Case` whose parameters are named by values: for families of rows."""
    return Case(id, tuple(arguments.items()), raises)


def _has_descriptor(value: object) -> bool:
    if isinstance(value, (tuple, list)):
        return any(_has_descriptor(v) for v in value)
    return isinstance(value, Descriptor)


@dataclass(frozen=True, slots=True)
class Row:
    """One TensorFlow object.

    Attributes:
      name: canonical TensorFlow 2 name without `tf.`; a meaning that only version 1 has is a row of
        its own, `v1.to_float`.
      params: TensorFlow's parameters as text, `None` for what is not called (a dtype, a constant).
      target: what becomes of a reference.
      own: `module:function` of `shims._src` behind the facade; empty where the facade is generated
        from the native expression.
      tensors: parameters that TensorFlow converts to tensors; those of one row share a dtype.
      aliases: other TensorFlow spellings of the same object.
      inputs: the cases of the row's tests.
      differs: where the plain JAX spelling computes something else than TensorFlow; a person
        should review the rewritten call.
      note: what else is worth knowing about it, not worth a review at every call.
      tolerance: relative, for float32.
      xla: TensorFlow's `jit_compile=True` against TensorFlow eager: `same`, `differs: why` or
        `unsupported: why`.
      renames: `(old keyword, parameter)` of version 1 spellings.
      fresh: the size of the result depends on data.
      takes: the dtypes that TensorFlow has a kernel for, empty for any; all others are refused. In
        the words of `shims/_src/arguments/kernels.py`, of the `tensors` or of the first parameter:
        `real -uint8 complex64`. With names in front it is of these parameters:
        `data: number; segment_ids: index`.
      no_gradient: why TensorFlow does not differentiate it, where it does not.
      tests: the folder of its hand-written tests, where its arguments are not plain arrays.
      gives: what a call gives where that is no array, as with statements and questions: no
        derivative, batch or padding goes through it.
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
        """What `takes` says: `(parameters, words)`; parameters of one entry share a dtype."""
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
