"""Let JAX 0.9 transpose scans whose operands do not say which of them are linear.

JAX 0.9 marks the linear operands of a scan where it differentiates the scan, and its rule of transposition reads these
marks. A program that is lowered again has new scans without marks: those in the derivative rule of a `jax.custom_jvp`
function, as the products of `cumprod`. Later releases see in the operands themselves which are linear.
"""

from __future__ import annotations

import functools

import jax

from shims._src.platform import jax_private as jp


def install() -> None:
    """Replace JAX's rule of transposition, if it reads the marks."""
    rule = jp.ad.fancy_transposes.get(jax.lax.scan_p)
    if rule is not None and "linear" in rule.__code__.co_varnames:
        jp.ad.fancy_transposes[jax.lax.scan_p] = functools.partial(_transposed, rule)


def _transposed(rule, cotangents, *operands, linear, jaxpr, num_consts, num_carry, **params):
    """Transpose a scan, marked and ordered as the rule expects: linear constants last, linear elements first."""
    found = [
        is_marked or jp.is_accumulator(x) for is_marked, x in zip(linear, operands, strict=True)
    ]
    if found != list(linear):
        rest = num_consts + num_carry
        found[num_consts:rest] = [True] * num_carry
        consts = sorted(range(num_consts), key=lambda i: found[i])
        elements = sorted(range(rest, len(operands)), key=lambda i: not found[i])
        order = [*consts, *range(num_consts, rest), *elements]
        operands, found = ([part[i] for i in order] for part in (operands, found))
        jaxpr = jp.with_inputs_in_order(jaxpr, order)
    counts = {"num_consts": num_consts, "num_carry": num_carry}
    return rule(cotangents, *operands, linear=tuple(found), jaxpr=jaxpr, **counts, **params)
