"""The names of JAX's functions by which `askers` tells who asks about a size."""

import importlib

import pytest

from shims._src.tracing import comparison_callers


@pytest.mark.parametrize(
    ("module", "rule"),
    [
        (kind[0], rule)
        for kind in (
            comparison_callers.READS,
            comparison_callers.EXTENDS,
            *comparison_callers.SHORTCUTS,
            *comparison_callers.ASKS_THROUGH_CORE,
        )
        for rule in kind[1:]
    ],
)
def test_jax_has_the_rule(module, rule):
    assert callable(getattr(importlib.import_module(module), rule))
