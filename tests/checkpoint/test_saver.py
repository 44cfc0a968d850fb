"""`tf.train.Saver`: the same program in TensorFlow 1 and here gives the same files and errors."""

import os
import re
import time

import numpy as np
import pytest
import tensorflow

import shims.compat.v1 as ours
from shims._src.errors import errors

from . import bundles

theirs = tensorflow.compat.v1
BOTH = {"theirs": theirs, "ours": ours}
START = {
    "f": np.array([[1.5, -0.0], [np.inf, 2.0]], np.float32),
    "long": np.array([2**40, -1]),
    "double": np.array(1e300),
    "flag": np.array([True, False]),
    "phase": np.array([1 - 2j], np.complex64),
    "small": np.array([1, 255], np.uint8),
    "empty": np.zeros((0, 3), np.float32),
}


def model(tf):
    """Variables of several dtypes, one in pieces, and the step."""
    for name, value in START.items():
        tf.get_variable(f"plain/{name}", initializer=value)
    half = np.array([0.5, 1.0], START["f"].dtype)
    tf.get_variable("half", initializer=tf.cast(tf.constant(half), tf.bfloat16))
    tf.get_variable("resource", initializer=half, use_resource=True)
    tf.get_variable("reference", initializer=half, use_resource=False)
    with tf.variable_scope("cut", partitioner=tf.fixed_size_partitioner(3)):
        tf.get_variable("rows", [7, 2], initializer=tf.constant_initializer(3.0))
    return tf.get_variable("step", initializer=np.int64(7), trainable=False)


def in_session(tf, program):
    """What a program of the module and a session with initialized variables gives."""
    with tf.Graph().as_default(), tf.Session() as session:
        step = model(tf)
        session.run(tf.global_variables_initializer())
        return program(tf, session, step)


def saved(tf, folder):
    return in_session(
        tf,
        lambda tf, session, step: tf.train.Saver().save(
            session, str(folder / "m"), global_step=step, write_meta_graph=False
        ),
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A checkpoint of the model by each of the two: its path."""
    found = {}
    for side, tf in BOTH.items():
        folder = tmp_path_factory.mktemp(side)
        found[side] = folder / os.path.basename(saved(tf, folder))
    return found


def test_the_same_files(written):
    assert {p.name for p in written.values()} == {"m-7"}
    files = {side: bundles.files(path) for side, path in written.items()}
    assert files["ours"] == files["theirs"]
    states = [(p.parent / "checkpoint").read_text() for p in written.values()]
    texts = [t.replace(str(p.parent), "F") for t, p in zip(states, written.values(), strict=True)]
    assert texts[0] == texts[1]


def zeroed(tf, session, step):
    for variable in tf.global_variables():
        session.run(variable.assign(tf.zeros_like(variable)))


@pytest.mark.parametrize(
    ("writer", "reader"), [("theirs", "ours"), ("ours", "theirs"), ("ours", "ours")]
)
def test_each_restores_what_the_other_saved(writer, reader, written):
    def program(tf, session, step):
        zeroed(tf, session, step)
        tf.train.Saver().restore(session, str(written[writer]))
        return {v.name: session.run(v) for v in tf.global_variables()}

    found = in_session(BOTH[reader], program)
    expected = {f"plain/{name}:0": value for name, value in START.items()}
    bundles.assert_same({name: found[name] for name in expected}, expected)
    assert found["half:0"].astype(np.float32).tolist() == [0.5, 1.0]
    assert found["step:0"] == 7
    assert found["cut/rows/part_1:0"].tolist() == [[3.0, 3.0]] * 2


def test_restored_variables_need_no_value_before(written):
    with ours.Graph().as_default(), ours.Session() as session:
        step = ours.get_variable("step", initializer=np.int64(0))
        other = ours.get_variable("another_name", initializer=np.zeros(2, np.float32))
        ours.train.Saver([step]).restore(session, str(written["theirs"]))
        ours.train.Saver({"reference": other}).restore(session, str(written["theirs"]))
        assert session.run(step + 1) == 8
        assert session.run(other).tolist() == [0.5, 1.0]


def test_restored_variables_are_trained_on(written):
    with ours.Graph().as_default(), ours.Session() as session:
        w = ours.get_variable("reference", initializer=np.zeros(2, np.float32))
        more = w.assign_add([1.0, 1.0])
        saver = ours.train.Saver()
        for _ in range(2):
            saver.restore(session, str(written["theirs"]))
            assert session.run(more).tolist() == [1.5, 2.0]


# ---- who is saved under which name -----------------------------------------------------------------


def by_name(tf, name):
    return {v.name: v for v in tf.global_variables()}[name]


def rows(tf):
    return [by_name(tf, f"cut/rows/part_{i}:0") for i in range(3)]


CHOICES = {
    "a list": lambda tf: [by_name(tf, "step:0"), by_name(tf, "half:0")],
    "nested": lambda tf: [[by_name(tf, "step:0")], (by_name(tf, "half:0"),)],
    "a set": lambda tf: {by_name(tf, "step:0"), by_name(tf, "half:0")},
    "pieces": lambda tf: [*rows(tf), by_name(tf, "step:0")],
    "a piece": lambda tf: [rows(tf)[1]],
    "pieces under a name": lambda tf: {"r": rows(tf), "s": by_name(tf, "step:0")},
    "a piece under a name": lambda tf: {"r": rows(tf)[2]},
    "names": lambda tf: {"z": by_name(tf, "step:0"), "a/b": by_name(tf, "resource:0")},
    "values": lambda tf: {"r": by_name(tf, "resource:0").value()},
}


def chosen(choice, folder):
    def program(tf, session, step):
        saver = tf.train.Saver(CHOICES[choice](tf))
        return saver.save(session, str(folder / "m"), write_meta_graph=False)

    return program


@pytest.mark.parametrize("choice", CHOICES)
def test_choices(choice, tmp_path):
    found = {}
    for side, tf in BOTH.items():
        folder = tmp_path / side  # made by the saver
        path = in_session(tf, chosen(choice, folder))
        found[side] = bundles.files(folder / os.path.basename(path))
    assert found["ours"] == found["theirs"]


REFUSED = {
    "no variables": lambda tf, s, step: tf.train.Saver([]),
    "none under names": lambda tf, s, step: tf.train.Saver({}),
    "a number": lambda tf, s, step: tf.train.Saver(3),
    "numbers": lambda tf, s, step: tf.train.Saver([3]),
    "one twice": lambda tf, s, step: tf.train.Saver([step, step]),
    "one under two names": lambda tf, s, step: tf.train.Saver({"a": step, "b": step}),
    "a key that is no name": lambda tf, s, step: tf.train.Saver({3: step}),
    "no slices": lambda tf, s, step: tf.train.Saver({"x": [step]}),
    "no variables in a slice": lambda tf, s, step: tf.train.Saver({"x": [3]}),
    "deferred with variables": lambda tf, s, step: tf.train.Saver([step], defer_build=True),
    "deferred, saved": lambda tf, s, step: tf.train.Saver(defer_build=True).save(s, "x"),
    "a path": lambda tf, s, step: tf.train.Saver().save(s, "m", latest_filename="a/b"),
    "a collision": lambda tf, s, step: tf.train.Saver().save(s, "F/checkpoint"),
    "no session": lambda tf, s, step: tf.train.Saver().save(None, "F/m"),
    "a number for a session": lambda tf, s, step: tf.train.Saver().save(3, "F/m"),
    "no folder": lambda tf, s, step: tf.train.Saver().save(s, "F/no/such/m"),
    "no path": lambda tf, s, step: tf.train.Saver().restore(s, None),
    "no checkpoint": lambda tf, s, step: tf.train.Saver().restore(s, "F/none"),
    "last ones no list": lambda tf, s, step: tf.train.Saver().set_last_checkpoints(("a",)),
}
TENSORS = {
    "a tensor": lambda tf, s, step: tf.train.Saver([tf.constant(1)]),
    "a tensor under a name": lambda tf, s, step: tf.train.Saver({"a": tf.constant(1)}),
    "a string under a name": lambda tf, s, step: tf.train.Saver({"a": "b"}),
    "missing": lambda tf, s, step: tf.train.Saver(
        {"z": step, "y": tf.global_variables()[0]}
    ).restore(s, "F/m-7"),
    "another dtype": lambda tf, s, step: tf.train.Saver({"plain/small": step}).restore(s, "F/m-7"),
    "another shape": lambda tf, s, step: tf.train.Saver(
        {"plain/f": by_name(tf, "reference:0")}
    ).restore(s, "F/m-7"),
    "another size": lambda tf, s, step: tf.train.Saver(
        {"plain/f": by_name(tf, "reference:0")}, reshape=True
    ).restore(s, "F/m-7"),
    "no value": lambda tf, s, step: tf.train.Saver(
        [tf.get_variable("new", initializer=1.0, use_resource=False)]
    ).save(s, "F/n"),
}


def refusals(tf, folder, cases, monkeypatch):
    """The errors of some calls in one session."""
    original = {name: getattr(tf.train.Saver, name) for name in ("save", "restore")}

    def placed(method):
        def call(self, session, path, *args, **kwargs):
            path = path.replace("F", str(folder)) if path else path
            return original[method](self, session, path, *args, **kwargs)

        return call

    def program(tf, session, step):
        found = {}
        with monkeypatch.context() as patch:
            for name in original:
                patch.setattr(tf.train.Saver, name, placed(name))
            for name, call in cases.items():
                try:
                    call(tf, session, step)
                except Exception as error:  # noqa: BLE001, which one it is is what is compared
                    text = str(error).replace(str(folder), "F")
                    found[name] = type(error).__name__, re.sub("<.*>", "<>", text)
                else:
                    found[name] = "nothing", ""
        return found

    return in_session(tf, program)


def test_refusals(written, monkeypatch):
    found = {
        side: refusals(tf, written[side].parent, REFUSED, monkeypatch) for side, tf in BOTH.items()
    }
    assert found["ours"] == found["theirs"]


def test_refusals_in_other_words(written, monkeypatch):
    found = {
        side: refusals(tf, written[side].parent, TENSORS, monkeypatch) for side, tf in BOTH.items()
    }
    kinds = {side: {k: v[0] for k, v in found[side].items()} for side in found}
    assert kinds["ours"] == kinds["theirs"]
    words = {k: v[1] for k, v in found["ours"].items()}
    assert words["missing"].startswith("Key y not found in checkpoint (and 1 more: z).\n")
    assert (
        "plain/small: expected dtype int64 does not equal original dtype uint8"
        in (words["another dtype"])
    )
    shapes = "lhs shape= [2] rhs shape= [2, 2]"
    assert shapes in words["another shape"]
    assert shapes in words["another size"]
    assert words["no value"].startswith("Session.run: Attempting to use uninitialized value new")


def test_what_is_refused_here_alone(tmp_path):
    def program(tf, session, step):
        saver, found = tf.train.Saver(), {}
        calls = {
            "Saver.saver_def": lambda: saver.saver_def,
            "Saver.as_saver_def": saver.as_saver_def,
            "Saver.to_proto": saver.to_proto,
            "Saver.from_proto": lambda: tf.train.Saver.from_proto(None),
            "Saver.export_meta_graph": lambda: saver.export_meta_graph("x.meta"),
            "export_meta_graph": lambda: tf.train.export_meta_graph("x.meta"),
            "import_meta_graph": lambda: tf.train.import_meta_graph("x.meta"),
            "Saver: `saver_def`": lambda: tf.train.Saver(saver_def=3),
            "Saver: `builder`": lambda: tf.train.Saver(builder=3),
            "Saver: `write_version=SaverDef.V1`": lambda: tf.train.Saver(
                write_version=tf.train.SaverDef.V1
            ),
        }
        for name, call in calls.items():
            with pytest.raises(errors.UnimplementedError, match=re.escape(name)) as caught:
                call()
            found[name] = re.sub("\n  At:.*", "", str(caught.value)).split("\n  Do:       ")
        return found

    found = in_session(ours, program)
    assert {f[1] for f in found.values()} == {
        "rebuild the graph with its original code, then call `Saver().restore`; if that "
        "code is lost, freeze the graph in TensorFlow and run `tf2jax-port import-graph`",
        "remove this argument: every TensorFlow version since 0.12 reads checkpoints of the V2 format",
    }
    with pytest.raises(RuntimeError, match="When eager execution is enabled"):
        ours.train.Saver()


def test_a_closed_session_and_one_of_another_graph(tmp_path):
    def program(tf, session, step):
        saver = tf.train.Saver()
        with tf.Session(graph=tf.Graph()) as other, pytest.raises(ValueError, match="graph is not"):
            saver.save(other, str(tmp_path / "m"))
        session.close()
        with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
            saver.save(session, str(tmp_path / "m"))

    in_session(ours, program)


def test_a_damaged_checkpoint_changes_nothing(written, tmp_path):
    for suffix, data in bundles.files(written["ours"]).items():
        (tmp_path / f"m{suffix}").write_bytes(data[:-1] + b"\x01" if "data" in suffix else data)

    def program(tf, session, step):
        zeroed(tf, session, step)
        before = {v: session.run(v) for v in tf.global_variables()}
        with pytest.raises(errors.DataLossError):
            tf.train.Saver().restore(session, str(tmp_path / "m"))
        for variable, value in before.items():
            np.testing.assert_array_equal(session.run(variable), value)

    in_session(ours, program)


# ---- which checkpoints stay ------------------------------------------------------------------------


def rotated(tf, folder, options, saves, monkeypatch):
    """What is in a folder after each save: files and the text of `checkpoint`."""

    def program(tf, session, step):
        now, seen = 1e9, []
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda: now)
            saver = tf.train.Saver([step], **options)
            for count, (seconds, number) in enumerate(saves):
                now += seconds
                returned = saver.save(
                    session, str(folder / "m"), global_step=number, write_meta_graph=False
                )
                if count == 2 and saver.last_checkpoints:
                    (folder / f"{os.path.basename(saver.last_checkpoints[0])}.meta").touch()
                names = sorted(n for n in os.listdir(folder) if "data" not in n)
                text = (folder / "checkpoint").read_text()
                seen.append((returned, names, text, saver.last_checkpoints))
        return seen

    found = in_session(tf, program)
    return str(found).replace(str(folder), "F")


ROTATIONS = {
    "five": ({}, [(1, i) for i in range(8)]),
    "two": ({"max_to_keep": 2}, [(1, i) for i in range(5)]),
    "all": ({"max_to_keep": 0}, [(1, i) for i in range(4)]),
    "none given": ({"max_to_keep": None}, [(1, i) for i in range(4)]),
    "the same name": ({"max_to_keep": 2}, [(1, 1), (1, 2), (1, 1), (1, 3), (1, 4)]),
    "no number": ({"max_to_keep": 1}, [(1, None), (1, 1), (1, None), (1, 2)]),
    "padded": ({"pad_step_number": True}, [(1, 5), (1, 123456789), (1, np.int32(6))]),
    "relative": ({"save_relative_paths": True, "max_to_keep": 2}, [(1, i) for i in range(4)]),
    "hours": (
        {"max_to_keep": 1, "keep_checkpoint_every_n_hours": 0.5},
        [(1, 0), (2000, 1), (1, 2), (1700, 3), (1, 4), (9000, 5), (1, 6), (1, 7)],
    ),
}


@pytest.mark.parametrize("case", ROTATIONS)
def test_rotation(case, tmp_path, monkeypatch):
    options, saves = ROTATIONS[case]
    found = {}
    for side, tf in BOTH.items():
        folder = tmp_path / side
        folder.mkdir()
        found[side] = rotated(tf, folder, options, saves, monkeypatch)
    assert found["ours"] == found["theirs"]


def bookkeeping(tf, folder):
    def program(tf, session, step):
        def save(saver, **options):
            return saver.save(session, str(folder / "m"), write_meta_graph=False, **options)

        seen = []
        first = tf.train.Saver([step], max_to_keep=2)
        seen += [save(first, global_step=1), save(first, global_step="step/Read/ReadVariableOp:0")]
        again = tf.train.Saver([step], max_to_keep=2)
        again.recover_last_checkpoints([*first.last_checkpoints, str(folder / "gone")])
        seen += [again.last_checkpoints, save(again, global_step=tf.constant(3))]
        seen.append(again.last_checkpoints)
        again.set_last_checkpoints(["kept"])
        seen += [save(again, global_step=4), again.last_checkpoints]
        again.set_last_checkpoints_with_time([("timed", 1.0)])
        seen += [save(again, global_step=5), save(again, global_step=6), again.last_checkpoints]
        seen += [save(again, write_state=False), save(again, latest_filename="latest")]
        empty = tf.train.Saver([], allow_empty=True)
        seen += [save(empty, global_step=9), empty.restore(session, "nowhere")]
        later = tf.train.Saver(defer_build=True, name="later")
        later.build()
        seen += [save(later, global_step=8), sorted(os.listdir(folder))]
        return seen

    return str(in_session(tf, program)).replace(str(folder), "F")


def test_bookkeeping(tmp_path):
    found = {}
    for side, tf in BOTH.items():
        (tmp_path / side).mkdir()
        found[side] = bookkeeping(tf, tmp_path / side)
    assert found["ours"] == found["theirs"].replace("'meta'", "")


# ---- checkpoints of TensorFlow 2 -------------------------------------------------------------------


def test_object_based_checkpoints(tmp_path):
    v2 = tensorflow.Variable
    objects = tensorflow.train.Checkpoint(
        w=v2(np.ones(2, np.float32), name="layer/w"), b=v2(np.float32(5), name="layer/b")
    )
    path = objects.write(str(tmp_path / "objects"))

    def program(names):
        with ours.Graph().as_default(), ours.Session() as session:
            saver = ours.train.Saver(
                [ours.get_variable(n, initializer=v) for n, v in names.items()]
            )
            saver.restore(session, path)
            return [session.run(v) for v in ours.global_variables()]

    w, b = program({"layer/w": np.zeros(2, np.float32), "layer/b": np.float32(0)})
    assert (w.tolist(), b) == ([1.0, 1.0], 5.0)
    with pytest.raises(errors.NotFoundError, match="Key layer/c not found") as caught:
        program({"layer/w": np.zeros(2, np.float32), "layer/c": np.float32(0)})
    assert "which contains layer/b, layer/w\n" in str(caught.value)
