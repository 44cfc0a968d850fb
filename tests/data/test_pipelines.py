"""Pipelines give TensorFlow's elements, pass after pass, with its specs and its cardinality."""

from __future__ import annotations

import pickle

import pytest
import tensorflow as tf

import shims

from .observing import observed, plain_element
from .pipelines import PIPELINES


@pytest.mark.parametrize("name", PIPELINES)
def test_pipeline(name):
    assert observed(shims, PIPELINES[name]) == observed(tf, PIPELINES[name])


@pytest.mark.parametrize("name", PIPELINES)
def test_position(name):
    shims.random.set_seed(11)
    ds = PIPELINES[name](shims)
    whole = iter(ds)
    states = []
    elements = []
    while True:
        states.append(pickle.dumps(whole.get_state()))
        try:
            elements.append(plain_element(next(whole)))
        except StopIteration:
            break
    again = iter(ds)
    for number in {0, 1, len(elements) // 2, len(elements)}:
        if number < len(states):
            again.set_state(pickle.loads(states[number]))
            assert [plain_element(e) for e in again] == elements[number:]


def numbers(m, lines):
    """Lines of numbers as padded batches; a text that is no line of numbers says nothing of sizes."""
    ds = m.data.Dataset.from_tensor_slices(lines)
    return ds.map(lambda x: m.strings.to_number(m.strings.split(x))).padded_batch(3)


def test_sizes_that_hold_for_some_elements_only_do_not_limit_padding():
    """The elements that are tried for the specs have equally many numbers, and the last has more."""
    lines = ["1 2", "3 4", "5 6", "7 8", "9", "1 2 3"]
    found, wanted = ([plain_element(e) for e in numbers(m, lines)] for m in (shims, tf))
    assert found == wanted
