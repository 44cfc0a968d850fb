"""Every way in which a comparison cannot start, with the whole of what is said."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from tf2jax_port.diff.functions.loading import DiffError, load, named, require_tensorflow, split
from tf2jax_port.diff.inputs import cases
from tf2jax_port.diff.values.arguments import bind

SOURCE = """
import neighbor
LIMIT = 3
def double(x): return 2 * x
class Model:
    @staticmethod
    def call(x): return neighbor.triple(x)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "neighbor.py").write_text("def triple(x): return 3 * x\n")
    (tmp_path / "model.py").write_text(SOURCE)
    (tmp_path / "broken.py").write_text("x = 1\ny = 1 / 0\n")
    (tmp_path / "needs.py").write_text("import not_there_at_all\n")
    return tmp_path


def test_a_function_of_a_file_that_imports_its_neighbor(folder):
    found = load("model.py:Model.call")
    assert found.function(2) == 6
    assert len(found.sha256) == 64
    assert found.name == "Model.call"


def test_a_function_of_a_module(folder):
    assert load("neighbor:triple").function(1) == 3


def test_two_files_of_one_name_are_two_modules(folder):
    (folder / "other").mkdir()
    (folder / "other" / "model.py").write_text("def double(x): return x + x + 1\n")
    assert load("model.py:double").function(1) == 2
    assert load("other/model.py:double").function(1) == 3


def test_the_original_and_its_port_each_have_their_own_neighbors(folder):
    for side, factor in (("before", 3), ("after", 4)):
        (folder / side).mkdir()
        (folder / side / "layers.py").write_text(f"def scale(x): return {factor} * x\n")
        (folder / side / "net.py").write_text("import layers\ndef f(x): return layers.scale(x)\n")
    old, new = load("before/net.py:f"), load("after/net.py:f")
    assert (old.function(1), new.function(1)) == (3, 4)
    (folder / "before" / "net.py").write_text("import layers\ndef f(x): return -layers.scale(x)\n")
    assert load("before/net.py:f").function(1) == -3


@pytest.mark.parametrize("said", ["from .. import shared", "from lib import shared"])
def test_two_packages_of_one_name(folder, said):
    for side, factor in (("old", 3), ("new", 4)):
        place = folder / side / "lib" / "sub"
        place.mkdir(parents=True)
        (place.parent / "__init__.py").write_text("")
        (place / "__init__.py").write_text("")
        (place.parent / "shared.py").write_text(f"def scale(x): return {factor} * x\n")
        (place / "net.py").write_text(
            f"{said}\nfrom .near import one\ndef f(x): return shared.scale(x) + one\n"
        )
        (place / "near.py").write_text("one = 1\n")
    assert load("old/lib/sub/net.py:f").function(1) == 4
    assert load("new/lib/sub/net.py:f").function(1) == 5


def test_relative_imports_need_no_package(folder):
    (folder / "part.py").write_text("from .neighbor import triple\n")
    assert load("part.py:triple").function(2) == 6
    (folder / "lost.py").write_text("from .nowhere import triple\n")
    with pytest.raises(DiffError, match="Received: ModuleNotFoundError"):
        load("lost.py:triple")


def test_a_function_that_is_there_already():
    assert named(split).spec == "tf2jax_port.diff.functions.loading:split"
    assert len(named(split).sha256) == 64


def test_the_place_and_the_name():
    assert split("a/b.py:f") == ("a/b.py", "f")
    assert split("cases.py", "cases") == ("cases.py", "cases")
    assert split("a.b:C.f") == ("a.b", "C.f")


MESSAGES = (
    ("nowhere.py:f", "nowhere.py: the file does not exist."),
    (
        "model.py",
        "model.py: the name of the function is missing.\n  Required: FILE.py:FUNCTION or "
        "package.module:attribute\n  Do:       write model.py:NAME",
    ),
    (
        "model.double",
        "model.double: the name of the function is missing.\n  Required: FILE.py:FUNCTION or "
        "package.module:attribute\n  Do:       write model:double",
    ),
    (
        "model.py:doubel",
        "model.py:doubel: there is no `doubel` in model.py.\n  Near:     double",
    ),
    ("model.py:zzz", "model.py:zzz: there is no `zzz` in model.py."),
    (
        "model.py:LIMIT",
        "model.py:LIMIT: `LIMIT` cannot be called.\n  Required: a function\n  Received: int",
    ),
    (
        "no_such_module_here:f",
        "no_such_module_here: the file cannot be imported.\n  Received: ModuleNotFoundError: No module named "
        "'no_such_module_here'",
    ),
)


@pytest.mark.parametrize(("spec", "message"), MESSAGES, ids=[spec for spec, _ in MESSAGES])
def test_what_is_said(folder, spec, message):
    with pytest.raises(DiffError) as caught:
        load(spec)
    assert str(caught.value) == message


def test_a_file_that_raises_is_quoted(folder):
    with pytest.raises(DiffError) as caught:
        load("broken.py:f")
    assert str(caught.value) == (
        "broken.py: the file cannot be imported.\n  Received: ZeroDivisionError: division by zero\n  At:       "
        f"{folder / 'broken.py'}:2  y = 1 / 0"
    )


def test_a_file_that_needs_what_is_not_there(folder):
    with pytest.raises(DiffError) as caught:
        load("needs.py:f")
    assert str(caught.value) == (
        "needs.py: the file cannot be imported.\n  Received: ModuleNotFoundError: No module named "
        f"'not_there_at_all'\n  At:       {folder / 'needs.py'}:1  import not_there_at_all"
    )


@pytest.fixture
def without_tensorflow(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow", None)


def test_without_tensorflow_the_package_is_named(without_tensorflow):
    with pytest.raises(DiffError) as caught:
        require_tensorflow()
    assert str(caught.value) == (
        "diff: TensorFlow is needed to run the original function, but TensorFlow cannot be imported.\n  Received: "
        "ModuleNotFoundError: import of tensorflow halted; None in sys.modules\n  Do:       pip install tensorflow"
    )


def test_with_tensorflow_nothing_is_said():
    require_tensorflow()


def identity(x, scale):
    return x


def test_cases_are_copied_and_named_after_parameters():
    array = np.ones(3, np.float32)
    (case,) = cases.collect(lambda: [({"w": array}, array)], identity)
    array[0] = 7
    assert case.paths == ("x['w']", "scale")
    assert case.arrays[0][0] == 1
    with pytest.raises(ValueError, match="read-only"):
        case.arrays[0][0] = 2


def test_what_is_no_array_is_passed_as_it_is():
    (case,) = cases.collect(lambda: [(np.float32(2), [3, None, "same"])], identity)
    assert case.paths == ("x",)
    assert case.fill(["X"]) == ("X", [3, None, "same"])


def test_more_arguments_than_parameters_have_numbers():
    (case,) = cases.collect(lambda: [(1, 2, np.ones(1))], identity, lambda x, y, z: z)
    assert case.paths == ("z",)
    assert bind(0, (1, 2, np.ones(1)), identity).paths == ("args[2]",)


def test_a_case_that_is_no_tuple():
    with pytest.raises(DiffError) as caught:
        cases.collect(lambda: [(np.ones(1),), np.ones(1)], identity)
    assert str(caught.value) == (
        "cases(): case 1 is not a tuple of arguments.\n"
        "  Required: one tuple per call, `yield (x, y)`, for one argument `yield (x,)`; or a dict by\n"
        "            the original's parameters, `yield dict(x=x, y=y)`\n"
        "  Received: ndarray"
    )


def test_cases_that_raise():
    def broken():
        yield (1,)
        raise RuntimeError("no data")

    with pytest.raises(DiffError) as caught:
        cases.collect(broken, identity)
    assert str(caught.value) == (
        "cases(): the generator raised an error.\n  Received: RuntimeError: no data"
    )
