"""TensorFlow 1 is a mode of a whole process: each test of graphs leaves it as it was."""

from __future__ import annotations

import dataclasses

import pytest

from shims._src.v1.graph import default_graph, modes


@pytest.fixture(autouse=True)
def version_1():
    """The mode of TensorFlow 1, with a default graph of the test's own."""
    before = dataclasses.replace(modes.MODES)
    modes.disable_v2_behavior()
    default_graph.reset_default_graph()
    yield
    default_graph.reset_default_graph()
    for field in dataclasses.fields(before):
        setattr(modes.MODES, field.name, getattr(before, field.name))
