"""The TensorFlow 1 programs of examples/tf1: fifty steps with shims end where TensorFlow's end.

TensorFlow's side is recorded. The smaller programs run at every change, and all of them, with
TensorFlow anew, in the long suite.
"""

import importlib.util
import pathlib

import numpy as np
import pytest

from examples.tf1 import page, run
from examples.tf1.programs import BY_NAME, PROGRAMS, ROUNDING

AT_EVERY_CHANGE = (
    "linear_regression",
    "logistic_regression",
    "boolean_mask",
    "autoencoder",
    "cnn",
    "seq2seq",
    "monitored",
)
ALL = [
    pytest.param(p.name, marks=() if p.name in AT_EVERY_CHANGE else pytest.mark.long)
    for p in PROGRAMS
]


@pytest.mark.parametrize("name", ALL)
def test_a_program_ends_where_tensorflow_ends(name, capsys):
    found = run.compare(name, run.run_program(name), run.load(run.GOLDENS, name))
    capsys.readouterr()
    assert found.close, str(found)


@pytest.mark.long
@pytest.mark.parametrize("needs_keras", [False, True])
def test_what_is_recorded_is_what_tensorflow_gives(needs_keras, tmp_path):
    if needs_keras and importlib.util.find_spec("tf_keras") is None:
        pytest.skip(
            "TensorFlow 2.16 and later have these layers with tf_keras only, which is absent"
        )
    names = [p.name for p in PROGRAMS if p.needs_keras == needs_keras]
    run.run_tensorflow(names, tmp_path)
    found = [run.compare(n, run.load(tmp_path, n), run.load(run.GOLDENS, n)) for n in names]
    assert [str(one) for one in found if not one.close] == []


def test_only_the_import_line_is_exchanged():
    for program in PROGRAMS:
        ours, theirs = (run.source_for(program.name, x).splitlines() for x in run.LIBRARIES)
        changed = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
        assert changed == [
            ("import tensorflow.compat.v1 as tf", "import shims.compat.v1 as tf"),
        ]


def test_the_list_names_every_program_and_the_page_shows_it():
    folder = pathlib.Path(run.FOLDER)
    machinery = {"programs", "run", "page"}
    assert {path.stem for path in folder.glob("*.py")} - machinery == set(BY_NAME)
    assert {path.stem for path in run.GOLDENS.glob("*.npz")} == set(BY_NAME)
    text, picture = page.PAGE.read_text(), page.PICTURE.read_text()
    assert [p.name for p in PROGRAMS if f"tf1/{p.name}.py" not in text] == []
    assert [p.name for p in PROGRAMS if f">{p.name}<" not in picture] == []


def recorded():
    return np.array([2.0, 1.0], np.float32), {
        "w:0": np.array([1.0, -4.0], np.float32),
        "step:0": np.array(2),
    }


def compared_with(**changes):
    """A comparison with a recorded run of which something was changed."""
    losses, results = recorded()
    losses = changes.pop("losses", losses)
    ours = {**results, **{f"{key}:0": value for key, value in changes.items()}}
    ours = {key: value for key, value in ours.items() if value is not None}
    return run.compare("mlp", (losses, ours), recorded())


def test_the_comparison_sees_a_difference():
    assert compared_with().close
    assert compared_with(w=np.array([1.0, -4.0002], np.float32)).close
    assert not compared_with(w=np.array([1.0, -4.0008], np.float32)).close
    assert not compared_with(w=np.array([1.0, np.nan], np.float32)).close
    assert not compared_with(w=np.array([1.0, -4.0])).close  # of a different dtype
    assert not compared_with(w=None).close
    assert not compared_with(more=np.array(1.0)).close
    assert not compared_with(step=np.array(3)).close
    assert not compared_with(losses=np.array([2.0, 1.0005], np.float32)).close
    assert not compared_with(losses=np.array([2.0], np.float32)).close
    assert "in one of the two only: w:0" in str(compared_with(w=None))


def test_what_only_rounding_moves_has_to_stay_small():
    key, small = "bert/encoder/layer_0/attention/key/bias:0", np.float32([ROUNDING / 2])
    assert run.gap_of("bert", key, small, -small) == 0.0
    assert run.gap_of("bert", key, 4 * small, small) == np.inf
    assert run.gap_of("mlp", key, small, -small) == 2.0
