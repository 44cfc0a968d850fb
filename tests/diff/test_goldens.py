"""A golden in the place of the original: the same verdict, from a file that nobody touched."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import tensorflow as tf

from tf2jax_port.diff.closeness.facts import Reruns
from tf2jax_port.diff.functions.loading import DiffError, named
from tf2jax_port.diff.golden_file import document
from tf2jax_port.diff.golden_file.golden import (
    Fingerprint,
    Golden,
    GoldenCase,
    from_document,
    to_document,
)
from tf2jax_port.diff.golden_file.safetensors_file import DamagedError
from tf2jax_port.diff.goldens.changes import changes
from tf2jax_port.diff.goldens.record import record
from tf2jax_port.diff.goldens.verify import verify
from tf2jax_port.diff.values.arguments import bind
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.values.observation import Observation
from tf2jax_port.diff.vocabulary.lanes import TF_EAGER, TF_GRAPH, TF_XLA

from . import reports
from .pair import Pair, normals

ODD = np.array([complex(-0.0, np.inf), complex(np.nan, -0.0), 1 + 2j], np.complex64)


def small() -> Golden:
    """A golden with something of everything, without TensorFlow."""
    call = (
        {"w": np.array([1.5], ml_dtypes.bfloat16), 3: [ODD, None, "text", -0.0]},
        float("nan"),
        1 + 2j,
        True,
    )
    case = bind(4, call, lambda params, a, b, c: 0)
    ran = Observation(
        {"output['y']": np.float32([1, -0.0]), "output['n']": None},
        {"ones": {"params['w'][0]": None}, "random": Failure("E", "why", "detail")},
        "note",
    )
    lanes = {TF_EAGER.id: ran, TF_GRAPH.id: ran, TF_XLA.id: Observation(Failure("Crash", "x"))}
    kept = GoldenCase(
        case,
        lanes,
        ran,
        Failure("same", "no input has another width"),
        Reruns(ran, [(ran, ran)] * 4, True),
        (Fingerprint("MatMul", "old.py:3", "float32", (2, 0), (0.5, float("inf"), -1.0, 2.0), 7),),
    )
    terms = {"old": {"name": "f", "sha256": "0" * 64}}
    versions, skipped = {"python": "3.13.0"}, (("inputs", "too wide", (5,)),)
    return Golden("old.py:f", "tensorflow", 1, False, terms, versions, "CPU", skipped, (kept,))


SMALL = small()
DATA = document.to_bytes(*to_document(SMALL))


def test_what_is_written_is_read():
    golden = from_document(*document.from_bytes(DATA))
    assert document.to_bytes(*to_document(golden)) == DATA
    assert changes(SMALL, golden) == []
    assert golden.cases[0].case.digest() == SMALL.cases[0].case.digest()
    assert golden.cases[0].case.arrays[1].tobytes() == ODD.tobytes()
    assert repr(golden.cases[0].case.template) == repr(SMALL.cases[0].case.template)
    assert golden.cases[0].intermediates == SMALL.cases[0].intermediates
    assert golden.skipped == SMALL.skipped


def test_equal_arrays_are_stored_once():
    _, store = to_document(SMALL)
    assert len(store.arrays) == 3


def test_a_file_cut_anywhere_is_damaged():
    for end in range(len(DATA)):
        with pytest.raises(DamagedError):
            document.from_bytes(DATA[:end])


def test_a_file_with_any_byte_changed_is_damaged():
    for place in range(len(DATA)):
        for bit in (1, 128):
            data = bytearray(DATA)
            data[place] ^= bit
            with pytest.raises(DamagedError):
                document.from_bytes(bytes(data))


def test_the_message(tmp_path):
    path = tmp_path / "a.golden"
    path.write_bytes(DATA[:-1] + b"\0")
    with pytest.raises(DiffError) as error:
        document.read(path)
    assert str(error.value) == (
        f"{path}: this golden is damaged and cannot be used.\n"
        "  Received: the numbers of the array "
        f"{list(document.safetensors_file.loads(DATA)[0])[-1]} were changed\n"
        "  Do:       copy it again from its source, or record it again"
    )


def test_a_file_of_another_format():
    content, store = to_document(SMALL)
    with pytest.raises(
        DamagedError, match="the file has format 2, but this version of tf2jax-port reads format 1"
    ):
        document.from_bytes(document.to_bytes({**content, "format": 2}, store))


def test_a_file_is_bounded(tmp_path):
    path = tmp_path / "a.golden"
    with pytest.raises(DiffError, match="the golden would be too large") as error:
        document.write(path, *to_document(SMALL), most=1000)
    assert str(error.value) == (
        f"{path}: the golden would be too large, {len(DATA)} bytes.\n  Required: at most 1000 bytes\n  Do:       "
        "record fewer or smaller cases (--case N), or allow more (--most-mb N)"
    )
    assert list(tmp_path.iterdir()) == []
    document.write(path, *to_document(SMALL))
    with pytest.raises(DiffError, match=r"the golden is too large, \d+ bytes"):
        document.read(path, most=1000)


@pytest.mark.parametrize("argument", [object(), {1, 2}, np.array(["text"])])
def test_what_only_code_could_make_is_refused(argument):
    case = bind(0, (argument,), lambda x: 0)
    with pytest.raises(DiffError, match=r"^goldens: "):
        to_document(replace(SMALL, cases=(replace(SMALL.cases[0], case=case),)))


def test_what_changed_is_said():
    kept = SMALL.cases[0]
    moved = {"output['y']": np.float32([1.5, 0.0]), "output['n']": np.int32(3)}
    other = replace(kept, lanes={**kept.lanes, TF_EAGER.id: Observation(moved)})
    after = replace(
        SMALL, seed=2, versions={"python": "3.12.0"}, cases=(other, replace(kept, case=_case(7)))
    )
    assert changes(SMALL, after) == [
        "seed: 1 became 2",
        "version of python: 3.13.0 became 3.12.0",
        "case 4: TF eager, output['y']: 1 of 2 elements changed, most at [0]: 1 became 1.5 "
        "(4.19e+06 ulp)",
        "case 4: TF eager, output['n']: None became numbers",
        "case 4: TF eager, d/d: numbers became no gradient was taken (ones)",
        "case 4: TF eager, d/d: why became no gradient was taken (random)",
        "case 7: the case is new",
    ]
    assert changes(after, SMALL)[-1] == "case 7: the case was removed"


def _case(index):
    return bind(index, (np.float32(1),), lambda x: 0)


def golden_of(pair) -> Golden:
    golden = record(named(pair.old), pair.cases, "", framework="tensorflow")
    return from_document(*document.from_bytes(document.to_bytes(*to_document(golden))))


@pytest.mark.parametrize("kind", ["equal", "different", "limited", "complex"])
def test_the_verdict_is_that_of_the_original(kind, monkeypatch):
    pair = reports.PAIRS[kind]
    live = reports.report(kind)
    golden = golden_of(pair)
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    replayed = verify(golden, Path("a.golden"), named(pair.new or reports._equal_port))
    for field in (
        "verdict",
        "stage",
        "headline",
        "reasons",
        "leaves",
        "pairs",
        "contract",
        "cases",
    ):
        assert repr(getattr(replayed, field)) == repr(getattr(live, field)), field
    assert replayed.reproduce.startswith("tf2jax-port verify a.golden ")


def test_a_port_is_its_own_original():
    cases = reports.SMALL
    golden = record(named(jnp.square), cases, "", framework="jax")
    assert verify(golden, Path("a"), named(lambda x: x * x)).verdict == "equal"
    report = verify(golden, Path("a"), named(lambda x: x * jnp.abs(x)), only=(0,))
    assert (report.verdict, report.stage) == ("different", "values")
    assert report.notes[-1].why.endswith("are the lanes of the recorded port, not of TensorFlow")


def test_what_lies_on_the_way_is_recorded():
    golden = golden_of(reports.PAIRS["limited"])
    ops = [one.op for one in golden.cases[1].intermediates]
    assert ops[-3:] == ["Sqrt", "SelectV2", "Sum"]
    root = golden.cases[1].intermediates[ops.index("Sqrt")]
    assert root.at.startswith("reports.py:")
    assert (root.dtype, root.shape, root.finite) == ("float32", (2,), 2)
    assert root.numbers == pytest.approx((0.6035534, 0.6123724, 0.5, 0.7071068))


def test_a_name_that_tensorflow_gives_as_bytes_is_recorded():
    # `reduce_mean` is one, where callbacks look on.
    golden = golden_of(Pair("", tf.reduce_mean, None, reports.SMALL))
    assert [one.op for one in golden.cases[0].intermediates][-1:] == ["Mean"]


def test_the_coarsest_type_on_the_way_is_recorded():
    def original(x):
        return tf.reduce_sum(tf.cast(tf.nn.softmax(tf.cast(x, tf.bfloat16)), tf.float32) * x)

    def port(x):
        return jnp.sum(jax.nn.softmax(x.astype(jnp.bfloat16)).astype(jnp.float32) * x)

    golden = golden_of(Pair("", original, port, normals((7,))))
    assert [case.coarsest for case in golden.cases] == ["bfloat16", "bfloat16"]
    assert verify(golden, Path("a"), named(port)).verdict == "equal"
