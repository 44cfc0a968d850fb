"""Collect the masking rules of all modules in one registry, by primitive name."""

from __future__ import annotations

from shims._src.lowering import (
    callbacks,
    contraction,
    control,
    derivatives,
    draws,
    elementwise,
    fourier,
    indexing,
    matrices,
    own_derivatives,
    random_bits,
    reductions,
    reshaping,
    shaping,
    sizes,
    slicing,
    sorting,
    windows,
)

FAMILIES = (
    callbacks.RULES,
    contraction.RULES,
    control.RULES,
    derivatives.RULES,
    draws.RULES,
    elementwise.RULES,
    fourier.RULES,
    indexing.RULES,
    matrices.RULES,
    own_derivatives.RULES,
    random_bits.RULES,
    reductions.RULES,
    reshaping.RULES,
    shaping.RULES,
    sizes.RULES,
    slicing.RULES,
    sorting.RULES,
    windows.RULES,
)


def _rules_by_name():
    table = {}
    for family in FAMILIES:
        for rule in family:
            if rule.primitive in table:
                raise ValueError(f"two masking rules for `{rule.primitive}`")
            table[rule.primitive] = rule
    return table


RULES = _rules_by_name()
