"""What `tf.train` reads of a checkpoint: values, maps and errors are TensorFlow's."""

import types

import numpy as np
import pytest
import tensorflow as tf

import shims
from shims._src.checkpoint import checkpoint_reader, state_file
from shims._src.checkpoint.bundle_writer import write_bundle
from shims._src.checkpoint.partitioned import Partitioned
from shims._src.checkpoint.restoring import Wanted, restore
from shims._src.errors import errors

from . import bundles

THEIRS = tf.compat.v1.train
OURS = types.SimpleNamespace(**vars(checkpoint_reader))
HALVES = Partitioned((4,), [((0,), np.zeros(2, np.int16)), ((2,), np.ones(2, np.int16))])
TENSORS = bundles.kinds() | {"halves": HALVES}


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reader")
    write_bundle(str(folder / "m-1"), TENSORS)
    state_file.update_checkpoint_state(str(folder), str(folder / "m-1"))
    return folder / "m-1"


def answers(train, prefix):
    reader = train.NewCheckpointReader(str(prefix))
    dtypes = reader.get_variable_to_dtype_map()
    return {
        "shapes": reader.get_variable_to_shape_map(),
        "dtypes": {
            name: (dtype.name, np.dtype(dtype.as_numpy_dtype)) for name, dtype in dtypes.items()
        },
        "has": [reader.has_tensor(name) for name in ("scalar", b"scalar", "scala", "halves")],
        "list": train.list_variables(str(prefix)),
        "debug": reader.debug_string(),
        "types": {n: type(reader.get_tensor(n)) for n in ("scalar", "string", "bool", "empty")},
    }


def test_answers(prefix):
    ours = answers(OURS, prefix)
    assert ours == answers(THEIRS, prefix)
    assert OURS.list_variables(prefix) == OURS.list_variables(prefix.parent) == ours["list"]
    dtypes = OURS.load_checkpoint(prefix.parent).get_variable_to_dtype_map()
    assert (dtypes["bfloat16"], dtypes["string"]) == (shims.bfloat16, shims.string)


def test_values(prefix):
    theirs = bundles.read(prefix)
    assert sorted(theirs) == sorted(TENSORS)
    reader = OURS.load_checkpoint(prefix)
    bundles.assert_same({name: reader.get_tensor(name) for name in theirs}, theirs)
    np.testing.assert_array_equal(OURS.load_variable(prefix.parent, "halves:0"), [0, 0, 1, 1])


def refusal(call):
    try:
        call()
    except Exception as error:  # noqa: BLE001, which one it is is what is compared
        return type(error).__name__, str(error).split("\n")[0]
    return None


REFUSED = {
    "an empty folder": lambda train, p: train.load_checkpoint(str(p.parent / "folder")),
    "no checkpoint": lambda train, p: train.load_checkpoint(str(p.parent / "m-2")),
    "no tensor": lambda train, p: train.load_variable(str(p), "missing"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_errors(case, prefix):
    (prefix.parent / "folder").mkdir(exist_ok=True)
    theirs = refusal(lambda: REFUSED[case](THEIRS, prefix))
    ours = refusal(lambda: REFUSED[case](OURS, prefix))
    assert ours[0] == theirs[0]
    # Ours adds which checkpoint it was, and leaves out which part of TensorFlow says so.
    theirs_text = theirs[1].removeprefix("Unsuccessful TensorSliceReader constructor: ")
    assert ours[1].startswith(theirs_text)


def wanted(name, shape, dtype, place=None):
    return Wanted(name, np.dtype(dtype), shape, place)


def test_restore(prefix):
    asked = [
        wanted("scalar", (), np.float32),
        wanted("transposed", (6,), np.float64),
        wanted("halves", (2,), np.int16, ((1, 2),)),
        wanted("halves", (2,), np.int16, ((2, 2),)),
        wanted("bool", None, bool),
    ]
    found = restore(str(prefix), asked, reshape=True)
    expected = [
        np.float32(2.5),
        np.arange(6.0).reshape(2, 3).T.reshape(-1),
        np.array([0, 1], np.int16),
        np.array([1, 1], np.int16),
        np.array([[True, False, True]]),
    ]
    bundles.assert_same(dict(enumerate(found)), dict(enumerate(expected)))


FAULTS = {
    "missing": (
        [wanted(name, (), int) for name in ("z", "y", "scalar", "z")],
        errors.NotFoundError,
        (
            "Key y not found in checkpoint (and 1 more: z).\n"
            "  Required: a checkpoint that has the name of every variable\n"
            "  Received: P, which contains bfloat16, bool, complex128, complex64, edges/complex, "
            f"edges/float32, edges/int64, edges/uint64 and {len(TENSORS) - 8} more\n"
        ),
    ),
    "another dtype": (
        [wanted("scalar", (), np.float64)],
        errors.InvalidArgumentError,
        "    scalar: expected dtype float64 does not equal original dtype float32\n",
    ),
    "another shape": (
        [wanted("empty", (0,), np.int16), wanted("bool", (3,), bool)],
        errors.InvalidArgumentError,
        "    empty: shapes of the variable and of the saved tensor must match: lhs shape= [0] rhs "
        "shape= [2, 0, 3]\n"
        "    bool: shapes of the variable and of the saved tensor must match: lhs shape= [3] rhs "
        "shape= [1, 3]\n",
    ),
    "no such piece": (
        [wanted("halves", (2,), np.int16, ((3, 2),))],
        errors.InvalidArgumentError,
        "    halves: there is no slice at ((3, 2),) of shape [4]\n",
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_what_does_not_fit(case, prefix):
    asked, kind, text = FAULTS[case]
    with pytest.raises(kind) as caught:
        restore(str(prefix), asked)
    message = str(caught.value).replace(str(prefix), "P")
    head = "" if case == "missing" else "P does not match the variables:\n"
    assert message.startswith(head + text)
