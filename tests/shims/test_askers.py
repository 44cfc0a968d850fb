"""The names of JAX's functions by which `askers` tells who asks about a size."""

import importlib

import pytest

from shims._src import askers


@pytest.mark.parametrize(
    ("module", "rule"),
    [(kind[0], rule) for kind in (askers.READS, askers.EXTENDS) for rule in kind[1:]],
)
def test_jax_has_the_rule(module, rule):
    assert callable(getattr(importlib.import_module(module), rule))
