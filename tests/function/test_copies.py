"""Copies and pickles of compiled functions work, compile anew, and keep their options."""

from __future__ import annotations

import copy
import inspect
import io
import pickle
import sys
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = np.array([3.0, -2.0, 1.0, 5.0], np.float32)


@shims.function
def decorated(x):
    return x[x > 0]


@shims.dynamic
def decorated_dynamic(x):
    return x[x > 0]


def selected(x):
    if jnp.sum(x) > 100:
        x = x + 1
    return x[x > 0]


class Model:
    """An object that holds functions: of its methods, and as methods."""

    def __init__(self):
        self.scale = np.float32(2)
        self.held = shims.function(self.call)
        self.dynamic = shims.dynamic(self.call)

    def call(self, x):
        return self.scale * x[x > 0]

    @shims.function
    def method(self, x):
        return self.scale * x[x > 0]

    @shims.dynamic
    def dynamic_method(self, x):
        return self.scale * x[x > 0]


def pickled(x):
    return pickle.loads(pickle.dumps(x))


COPIES = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickled}
FUNCTIONS: dict[str, Callable] = {
    "function": lambda: shims.function(
        selected,
        input_signature=[shims.TensorSpec([None], np.float32)],
        buckets=[4, 8],
        overflow="raise",
    ),
    "function without options": lambda: shims.function(selected),
    "dynamic": lambda: shims.dynamic(selected),
    "decorated": lambda: decorated,
    "decorated dynamic": lambda: decorated_dynamic,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("how", COPIES)
def test_a_copy_computes_the_same(name, how):
    f = FUNCTIONS[name]()
    f(X)
    again = COPIES[how](f)
    np.testing.assert_array_equal(again(X), [3, 1, 5])
    np.testing.assert_array_equal(jax.jit(again)(X).unpad(), [3, 1, 5])
    assert again.options == f.options
    assert again.__name__ == f.__name__


def test_a_copy_has_programs_of_its_own():
    f = shims.function(selected)
    f(X)
    for how in COPIES.values():
        again = how(f)
        assert again.stats().traces == 0
        again(X)
        assert again.stats().traces == 1
    assert f.stats().calls == 1


def test_a_decorated_function_is_pickled_by_name_and_copied_anew():
    assert pickled(decorated) is decorated
    assert pickled(decorated_dynamic) is decorated_dynamic
    assert pickled(Model.method) is Model.method
    assert copy.deepcopy(decorated) is not decorated


@pytest.mark.parametrize("how", ["deepcopy", "pickle"])
def test_an_object_that_holds_functions(how):
    model = Model()
    model.held(X)
    again = COPIES[how](model)
    again.scale = np.float32(10)
    for f in (again.held, again.dynamic, again.method, again.dynamic_method):
        np.testing.assert_array_equal(f(X), [30, 10, 50])
    np.testing.assert_array_equal(model.held(X), [6, 2, 10])
    held = COPIES[how](model.held)
    np.testing.assert_array_equal(held(X), [6, 2, 10])


def code_of_decorated():
    """Stands for the function that a pickler restores from its code."""
    return selected


class SavesFunctionsByValue(pickle.Pickler):
    """Asks for the reduction of each object, as cloudpickle does."""

    def reducer_override(self, obj):
        if obj is decorated.python_function:
            return code_of_decorated, ()
        return NotImplemented

    def dump(self, obj):
        return super().dump(obj)


def test_a_function_of_the_main_program_is_saved_by_value_where_the_pickler_does_so(monkeypatch):
    monkeypatch.setattr(decorated, "__module__", "__main__")
    monkeypatch.setitem(sys.modules, "__main__", sys.modules[__name__])
    assert pickled(decorated) is decorated
    file = io.BytesIO()
    SavesFunctionsByValue(file).dump([decorated])
    (again,) = pickle.loads(file.getvalue())
    assert again is not decorated
    np.testing.assert_array_equal(again(X), [3, 1, 5])


def test_a_bound_function_has_the_signature_of_a_method():
    """Keras and others bind arguments by it."""

    class Model:
        @shims.function
        def call(self, x, training=False):
            return x * 2 if training else x

    assert str(inspect.signature(Model().call)) == "(x, training=False)"
    assert str(inspect.signature(Model.call)) == "(self, x, training=False)"
