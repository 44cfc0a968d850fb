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
