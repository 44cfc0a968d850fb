"""Define the primitive that calls a lowered program whose derivatives are separate programs.

JAX differentiates and transposes lowered programs equation by equation. That is wrong if the traced
program has an operation with its own derivative rule, for example `ldexp`, which is expanded into
manipulations of bits. A call of `differentiable_p` is opaque to JAX, which gets the derivatives from the
called program.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Protocol

import jax
import jax.numpy as jnp

from shims._src.platform import jax_private as jp


class Differentiable(Protocol):
    """A function of arrays that returns a list of arrays and knows its derivatives.

    Attributes:
      inexact: the number of results of inexact dtype.
    """

    inexact: int

    def __call__(self, *arrays) -> list:
        """Compute the results."""

    def types(self, avals: Sequence) -> list:
        """Return the types of the results, given the types of the operands."""

    def tangent(self, moving: Sequence[int]) -> Differentiable:
        """Return the program that computes tangents of the results of inexact dtype.

        Its operands are those of this program, followed by tangents of the operands at positions `moving`.
        """

    def transposed(self, linear: Sequence[int]) -> Differentiable:
        """Return the transpose with regard to the operands at positions `linear`.

        Its operands are those of this program (zeros in place of `linear`), followed by cotangents of the results
        of inexact dtype; it returns the cotangents of `linear`.
        """


differentiable_p = jp.Primitive("differentiable")
differentiable_p.multiple_results = True


def call(program: Differentiable, arrays) -> list:
    """Apply a program to arrays such that JAX gets derivatives from the program itself."""
    return differentiable_p.bind(*map(jnp.asarray, arrays), program=program)


@dataclasses.dataclass(frozen=True, eq=False)
class _Mapped:
    """A `Differentiable` program mapped by `vmap`.

    Attributes:
      program: the program of one element.
      places: the mapped axis of each operand, or `None`.
      results: the mapped axis of each result; `None` for a result to be summed over the elements.
        By default every result is mapped along axis 0.
    """

    program: Differentiable
    places: tuple
    results: tuple | None = None

    @property
    def inexact(self) -> int:
        """The number of results of inexact dtype."""
        return self.program.inexact

    def __call__(self, *arrays):
        outs = jax.vmap(lambda *xs: list(self.program(*xs)), in_axes=self.places)(*arrays)
        if self.results is None:
            return outs
        return [
            jnp.sum(out, 0) if place is None else jnp.moveaxis(out, 0, place)
            for out, place in zip(outs, self.results, strict=True)
        ]

    def types(self, avals):
        """Return the types of the results."""
        pairs = list(zip(avals, self.places, strict=True))
        count = next(a.shape[p] for a, p in pairs if p is not None)
        found = self.program.types([jp.mapped_aval(a, p) for a, p in pairs])
        places = [0] * len(found) if self.results is None else self.results
        return [jp.unmapped_aval(a, p, count) for a, p in zip(found, places, strict=True)]

    def tangent(self, moving):
        """Return the mapped tangent program."""
        places = (*self.places, *(self.places[i] for i in moving))
        return _Mapped(self.program.tangent(moving), places, self.results)

    def transposed(self, linear):
        """Return the mapped transpose; cotangents of unmapped operands are summed over the elements."""
        cotangents = [0] * self.inexact if self.results is None else self.results
        results = tuple(self.places[i] for i in linear)
        return _Mapped(self.program.transposed(linear), (*self.places, *cotangents), results)


def _is_inexact(x) -> bool:
    return jnp.issubdtype(x.dtype, jnp.inexact)


def _run(*arrays, program):
    return program(*arrays)


@differentiable_p.def_abstract_eval
def _avals(*operands, program):
    return program.types(operands)


def _jvp(primals, tangents, *, program):
    outs = differentiable_p.bind(*primals, program=program)
    moving = tuple(i for i, t in enumerate(tangents) if type(t) is not jp.ad.Zero)
    directions = [tangents[i] for i in moving]
    found = iter(differentiable_p.bind(*primals, *directions, program=program.tangent(moving)))
    return outs, [next(found) if _is_inexact(out) else jp.zero_tangent(out) for out in outs]


def _transpose(cotangents, *operands, program):
    undefined = jp.ad.is_undefined_primal
    linear = tuple(i for i, x in enumerate(operands) if undefined(x))
    known = [jnp.zeros(x.aval.shape, x.aval.dtype) if undefined(x) else x for x in operands]
    given = [jp.ad.instantiate_zeros(ct) for ct in cotangents if _is_inexact(jp.aval_of(ct))]
    found = differentiable_p.bind(*known, *given, program=program.transposed(linear))
    result: list = [None] * len(operands)
    for i, cotangent in zip(linear, found, strict=True):
        result[i] = cotangent
    return result


def _batch(arrays, places, *, program):
    mapped = _Mapped(program, tuple(None if p is jp.NOT_MAPPED else p for p in places))
    outs = differentiable_p.bind(*arrays, program=mapped)
    return outs, [0] * len(outs)


differentiable_p.def_impl(_run)
jp.mlir.register_lowering(differentiable_p, jp.mlir.lower_fun(_run, multiple_results=True))
jp.ad.primitive_jvps[differentiable_p] = _jvp
jp.ad.primitive_transposes[differentiable_p] = _transpose
jp.batching.primitive_batchers[differentiable_p] = _batch
