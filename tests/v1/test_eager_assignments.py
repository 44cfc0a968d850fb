"""Functions of TensorFlow 1 that assign variables of TensorFlow 2, beside TensorFlow's own."""

import numpy as np
import pytest
import tensorflow as tf

import shims

OF_ROWS = ("update", "add", "sub", "mul", "div", "min", "max")


@pytest.mark.parametrize("name", OF_ROWS)
def test_rows_of_a_variable_change(name):
    def changed(library):
        change = getattr(library.compat.v1, f"scatter_{name}")
        variable = library.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        once = change(variable, [0, 2], [[7.0, 1.0], [2.0, 9.0]])
        twice = change(once, library.constant([1]), 2)
        return [np.asarray(x) for x in (variable, once, twice, twice + 1.0)]

    np.testing.assert_array_equal(changed(shims), changed(tf))


@pytest.mark.parametrize("name", ["update", "add", "sub"])
def test_slices_of_a_variable_change_in_functions_too(name):
    def changed(library):
        variable = library.Variable([1, 2, 3])

        @library.function
        def change(place):
            getattr(library.compat.v1, f"scatter_nd_{name}")(variable, [[place]], [5])
            return variable + 0

        return [np.asarray(change(library.constant(place))) for place in (0, 2)]

    np.testing.assert_array_equal(changed(shims), changed(tf))
