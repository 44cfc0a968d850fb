"""A module that is saved and loaded behaves as in TensorFlow."""

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import assert_same

from .modules import CALLS, REFUSED, everything


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    found = {}
    for library in (tf, shims):
        found[library] = str(tmp_path_factory.mktemp(library.__name__) / "model")
        library.saved_model.save(everything(library), found[library])
    return found


@pytest.fixture(scope="module")
def loaded(folders):
    return {library: library.saved_model.load(folders[library]) for library in (tf, shims)}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_same_values(loaded, call):
    assert_same(call(shims, loaded[shims]), call(tf, loaded[tf]), 1e-6)


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_same_errors(loaded, call):
    raised = {}
    for library in (tf, shims):
        with pytest.raises((ValueError, TypeError)) as caught:
            call(library, loaded[library])
        raised[library] = caught
    assert raised[shims].type is raised[tf].type
    first = [str(raised[library].value).splitlines()[0][:60] for library in (tf, shims)]
    assert first[0] == first[1]


def test_the_error_lists_the_signatures(loaded):
    with pytest.raises(ValueError, match="Could not find matching") as caught:
        loaded[shims].scaled(shims.constant([1.0, 2.0]), False, 3.0)
    assert str(caught.value) == (
        "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
        "  Positional arguments (3 total):\n"
        "    * TensorSpec(shape=(2,), dtype=tf.float32, name=None)\n"
        "    * False\n"
        "    * 3.0\n"
        "  Keyword arguments: {}\n\n"
        " Expected these arguments to match one of the following 3 option(s):\n\n"
        + "\n\n".join(
            f"Option {i}:\n"
            "  Positional arguments (3 total):\n"
            "    * TensorSpec(shape=(2,), dtype=tf.float32, name=None)\n"
            f"    * {training}\n"
            f"    * {scale}\n"
            "  Keyword arguments: {}"
            for i, (training, scale) in enumerate(((False, 1.0), (True, 1.0), (True, 2.0)), 1)
        )
    )


def test_what_is_in_a_folder(folders, tmp_path):
    for library in (tf, shims):
        assert library.saved_model.contains_saved_model(folders[library])
        assert not library.saved_model.contains_saved_model(str(tmp_path))
        with pytest.raises(OSError, match="SavedModel file does not exist at"):
            library.saved_model.load(str(tmp_path))
    assert not tf.saved_model.contains_saved_model(folders[shims])
    with pytest.raises(shims.errors.UnimplementedError, match="tf2jax-port import-graph"):
        shims.saved_model.load(folders[tf])
    with pytest.raises(FileExistsError, match="a TensorFlow SavedModel"):
        shims.saved_model.save(shims.Module(), folders[tf])


def test_tensorflow_reads_the_variables(folders):
    module = everything(tf)
    module.v.assign(0.0)
    tf.train.Checkpoint(module).read(f"{folders[shims]}/variables/variables").assert_consumed()
    np.testing.assert_array_equal(module.v, 4.0)


def functions(library):
    """A module without functions of its own, and functions that use its variable."""
    spec, module = library.TensorSpec, library.Module()
    module.v = library.Variable(4.0)

    def grow(by):
        module.v.assign_add(by)
        return module.v

    def nested(a, b):
        return a, [b["x"], b["y"][0]]

    return module, {
        "rows": library.function(
            lambda x: {"y": x * module.v, "n": library.shape(x)[0]}, [spec([None, 2])]
        ),
        "grow": library.function(grow).get_concrete_function(spec([])),
        "pair": library.function(lambda x: (x, x + 1.0), [spec([None])]),
        "nested": library.function(nested).get_concrete_function(
            spec([]), {"y": [spec([1], name="last")], "x": spec([])}
        ),
        "several": library.function(lambda x: x),
        "no function": lambda x: x,
    }


SIGNATURE_CALLS = {
    "names": lambda tf, s: sorted(s),
    "inputs": lambda tf, s: {k: str(v) for k, v in s["rows"].structured_input_signature[1].items()},
    "outputs": lambda tf, s: {k: str(v) for k, v in s["rows"].structured_outputs.items()},
    "call": lambda tf, s: s["rows"](x=tf.ones([1, 2])),
    "in order": lambda tf, s: s["rows"](tf.ones([1, 2])),
    "list": lambda tf, s: s["rows"](x=[[1.0, 2.0]]),
    "assignment": lambda tf, s: s["grow"](by=tf.constant(1.0)),
    "two results": lambda tf, s: s["pair"](x=tf.ones([2])),
}


def test_signatures(tmp_path):
    found = {}
    for library in (tf, shims):
        module, given = functions(library)
        for name in WRONG:
            del given[name]
        library.saved_model.save(module, str(tmp_path / library.__name__), given)
        loaded = library.saved_model.load(str(tmp_path / library.__name__)).signatures
        found[library] = {k: call(library, loaded) for k, call in SIGNATURE_CALLS.items()}
        with pytest.raises(TypeError, match="missing a required keyword-only argument: 'x'"):
            loaded["rows"]()
    assert_same(found[shims], found[tf], 1e-6)


WRONG = {
    "nested": "Got a non-Tensor value",
    "several": "Expected a TensorFlow function for which to generate a signature",
    "no function": "Expected a TensorFlow function for which to generate a signature",
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_signatures(tmp_path, name):
    for library in (tf, shims):
        module, given = functions(library)
        with pytest.raises(ValueError, match=WRONG[name]):
            library.saved_model.save(module, str(tmp_path), given[name])


@pytest.mark.parametrize("obj", [3, [1], {"a": 1}])
def test_what_cannot_be_saved(tmp_path, obj):
    for library in (tf, shims):
        with pytest.raises(ValueError, match="Expected an object of type `Trackable`"):
            library.saved_model.save(obj, str(tmp_path / "m"))


def test_a_variable_of_another_object(tmp_path):
    for library in (tf, shims):
        module = library.Module()
        module.f = _doubled(library, library.Variable(1.0))
        with pytest.raises(AssertionError, match="Tried to export a function which references"):
            library.saved_model.save(module, str(tmp_path / "m"))


def _doubled(library, variable):
    return library.function(lambda: variable * 2.0, input_signature=[])
