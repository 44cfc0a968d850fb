"""What runs in part exists, and a part of it does run."""

import ast
import pathlib

import pytest

from tests import parts


def missing(names):
    """Those of `names` of which no test function is written."""
    found = []
    for name in names:
        file, _, function = name.partition("::")
        path = pathlib.Path(file)
        tree = ast.parse(path.read_text()) if path.is_file() else ast.Module([], [])
        if function not in {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}:
            found.append(name)
    return found


def test_every_name_is_a_test():
    assert missing(parts.ONE_IN) == []


def test_a_test_that_is_gone_is_noticed():
    assert missing(["tests/parts.py::test_gone", "tests/gone.py::test_gone"])


def test_one_in_so_many_runs():
    test, one_in = next(iter(parts.ONE_IN.items()))
    left_out = [parts.is_left_out(f"{test}[{i}]") for i in range(300)]
    assert 300 / one_in / 2 < left_out.count(False) < 300 / one_in * 2
    assert not parts.is_left_out(test)
    assert not parts.is_left_out("tests/meta/test_parts.py::test_something[1]")


@pytest.mark.xdist_group("parts")
def test_a_group_stays_in_one_process(request):
    """xdist reads groups from the names of tests, where a pytest that it does not know hides them."""
    if getattr(request.config.option, "loadgroup", False):
        assert request.node.nodeid.endswith("@parts")
