"""Canned estimators: variables, metrics and predictions are TensorFlow's."""

from __future__ import annotations

import json

import numpy as np
import pytest

import shims.compat.v1 as tf
from tests.v1 import canned_programs


@pytest.mark.parametrize("name", canned_programs.PROGRAMS)
def test_estimators_are_those_of_tensorflow(name):
    wanted = json.loads(canned_programs.ANSWERS.read_text())[name]
    found = canned_programs.answers(tf, name)
    assert list(found["variables"]) == list(wanted["variables"])
    for variable, theirs in wanted["variables"].items():
        np.testing.assert_allclose(found["variables"][variable], theirs, rtol=1e-4, atol=1e-5)
    assert sorted(found["metrics"]) == sorted(wanted["metrics"])
    for key, theirs in wanted["metrics"].items():
        np.testing.assert_allclose(found["metrics"][key], theirs, rtol=1e-4, err_msg=key)
    for mine, theirs in zip(found["predictions"], wanted["predictions"], strict=True):
        assert sorted(mine) == sorted(theirs)
        for key, value in theirs.items():
            if isinstance(value[0], str):
                assert mine[key] == value
            else:
                np.testing.assert_allclose(mine[key], value, rtol=1e-4, atol=1e-5, err_msg=key)
