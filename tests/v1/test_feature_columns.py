"""Feature columns: names, numbers and training steps are TensorFlow's."""

from __future__ import annotations

import json

import numpy as np
import pytest

import shims.compat.v1 as tf
from tests.v1 import column_programs


@pytest.mark.parametrize("name", column_programs.PROGRAMS)
def test_columns_are_those_of_tensorflow(name):
    wanted = json.loads(column_programs.ANSWERS.read_text())[name]
    found = column_programs.answers(tf, column_programs.PROGRAMS[name])
    for what in ("names", "model", "trained"):
        assert found[what] == wanted[what]
    for mine, theirs in zip(found["first"], wanted["first"], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found["losses"], wanted["losses"], rtol=1e-6)
    for variable, theirs in wanted["last"].items():
        np.testing.assert_allclose(found["last"][variable], theirs, rtol=1e-5, atol=1e-6)
