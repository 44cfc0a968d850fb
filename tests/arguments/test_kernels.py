"""No operator loses the check of its dtypes because a module is called otherwise."""

import importlib
import inspect

import pytest

from shims._src.arguments import kernels
from shims._src.arguments.kernels import MODULES, TAKES


def test_an_operator_of_an_unknown_module_is_refused():
    def cumsum(x):
        return x

    cumsum.__module__ = "shims._src.moved.cumulative"
    with pytest.raises(LookupError, match=r"shims\._src\.moved\.cumulative"):
        kernels.of(cumsum)


def test_an_operator_of_a_known_module_has_its_dtypes():
    from shims._src.math.cumulative import cumsum

    written = inspect.unwrap(cumsum)  # the facade says that the operator itself lives there
    assert [words for _, _, words, _ in kernels.of(written)] == ["number"]


@pytest.mark.parametrize("name", sorted(TAKES))
def test_each_line_names_a_function_that_exists(name):
    module, _, function = name.rpartition(".")
    assert callable(getattr(importlib.import_module(f"shims._src.{module}"), function))


@pytest.mark.parametrize("module", sorted(kernels._WITHOUT_ROWS))
def test_modules_without_rows_exist_and_have_none(module):
    importlib.import_module(module)
    assert module.removeprefix("shims._src.") not in MODULES
