"""`python -m tools.where` finds an operator's row, code, tests and pages, wherever they stand."""

import inspect
import pathlib
import re

import pytest

import shims
from tf2jax_port.table import ROWS, Native, Shim
from tools import where


def line(place):
    return place.path.read_text().splitlines()[place.line - 1]


@pytest.mark.parametrize(
    ("given", "row", "facade"),
    [
        ("tf.boolean_mask", "boolean_mask", "shims.boolean_mask"),
        ("boolean_mask", "boolean_mask", "shims.boolean_mask"),
        ("shims.math.sin", "sin", "shims.sin"),
        ("tensorflow.math.segment_max", "math.segment_max", "shims.math.segment_max"),
        ("tf.segment_max", "math.segment_max", "shims.math.segment_max"),
        ("tf.compat.v1.to_float", "v1.to_float", "shims.compat.v1.to_float"),
        ("tf.compat.v1.where", "v1.where", "shims.compat.v1.where"),
        ("tf.where", "where", "shims.where"),
        ("tf.compat.v1.boolean_mask", "boolean_mask", "shims.compat.v1.boolean_mask"),
    ],
)
def test_names(given, row, facade):
    found = where.resolve(given)
    assert found.row.name == row
    assert where.find_object(facade) is not None
    assert "to_float" in facade or where.find_object(found.facade) is not None


def test_a_name_without_a_row():
    found = where.resolve("tf.compat.v1.train.AdamOptimizer")
    assert line(where.place_of_code(found)).startswith("class AdamOptimizer")


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("tf.boolean_masks", "Did you mean `tf.boolean_mask`"),
        ("tf.linalg.segment_max", "Did you mean `tf.math.segment_max`?"),
        ("tf.compat.v1.to_flaot", "Did you mean `tf.compat.v1.to_float`"),
        ("tf.no_such_thing_at_all", "is no name of the table"),
        ("tf", "is no name of the table"),
    ],
)
def test_unknown_names(given, hint, capsys):
    assert where.main([given]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert f"`{given}` is no name of the table." in err
    assert hint in err


def test_every_row_has_a_line_that_names_it_or_its_kind():
    lines = [(row.name.rpartition(".")[2], line(where.place_of_row(row))) for row in ROWS]
    assert sum(name in text for name, text in lines) > 0.93 * len(lines)
    unlike = [
        (name, text)
        for name, text in lines
        if not any(w == name or (len(w) > 2 and w in name) for w in re.findall(r"\w+", text))
    ]
    assert unlike == []


def test_every_operator_has_code():
    offered = [row for row in ROWS if isinstance(row.target, (Native, Shim)) and row.params]
    missing = [row.name for row in offered if not where.place_of_code(where.resolve(row.name))]
    assert missing == []


def test_the_code_is_where_python_says():
    place = where.place_of_code(where.resolve("boolean_mask"))
    assert place.path == pathlib.Path(inspect.getfile(inspect.unwrap(shims.boolean_mask)))
    assert line(place).startswith("def boolean_mask(")


def test_tests_and_pages():
    name = where.resolve("tf.boolean_mask")
    suites = {place.path.name for place in where.generated_suites(name.row)}
    assert {"test_values.py", "test_gradients.py", "test_vmap.py", "test_xla.py"} <= suites
    written = where.written_tests(name)
    assert pathlib.Path(__file__) not in {place.path for place in written if place.text == ""}
    assert any(place.path.name == "test_traps.py" for place in written[:3])
    assert all("boolean_mask" in line(place) for place in where.pages(name))
    assert any(place.path.name == "README.md" for place in where.pages(name))
    of_case = where.written_tests(where.resolve("tf.ragged.range"))
    assert any(place.path.name == "ragged_cases.py" for place in of_case)
    assert list(where.generated_suites(where.resolve("tf.ragged.range").row)) == []


def test_the_command_prints_all_of_it(capsys):
    assert where.main(["tf.boolean_mask"]) == 0
    out, _ = capsys.readouterr()
    for title in ("name:", "row:", "facade:", "code:", "cases:", "suites:", "tests:", "pages:"):
        assert f"\n{title}" in f"\n{out}"
    assert "boolean_mask-rank2-axis1" in out


@pytest.mark.parametrize(
    ("given", "spelled"),
    [
        ("tf.compat.v1.to_float", "tf.compat.v1.to_float"),
        ("v1.to_float", "tf.compat.v1.to_float"),
        ("v1.layers.dense", "tf.compat.v1.layers.dense"),
        ("tf.compat.v1.boolean_mask", "tf.boolean_mask"),
        ("segment_max", "tf.math.segment_max"),
    ],
)
def test_names_are_spelled_as_in_tensorflow(given, spelled):
    lines = where.report(where.resolve(given))
    assert lines[0] == f"name:       {spelled}"
    assert "tf.v1." not in "\n".join(lines)


def test_no_path_is_written_down():
    source = inspect.getsource(where)
    assert "_src" not in source
    assert "tests/" not in source
