"""The file `checkpoint` is TensorFlow's, and what follows from it is too."""

import copy
import logging
import os
import types

import pytest
import tensorflow as tf

from shims._src.checkpoint import file_names, state_file
from shims._src.checkpoint.state_text import CheckpointState, ParseError, parse

THEIRS = tf.compat.v1.train
OURS = types.SimpleNamespace(**vars(file_names) | vars(state_file))
_FIELDS = [
    *("model_checkpoint_path", "all_model_checkpoint_paths"),
    *("all_model_checkpoint_timestamps", "last_preserved_timestamp"),
]

UPDATES = {
    "one": ("F", "F/m-1"),
    "several": ("F", "F/m-3", ["F/m-1", "F/m-3"]),
    "newest not among them": ("F", "F/m-3", ["F/m-1"]),
    "another name": ("F", "F/m-1", None, "latest"),
    "times": ("F", "F/m-2", ["F/m-1", "F/m-2"], None, [1.5, 1795321646.123456], 7.25),
    "a whole time": ("F", "F/m-2", None, None, [3], 4),
    "signs": ("F", "F/a'b\"c\\d\ne\tfé\x01\x7f"),
    "relative": ("here", "here/m-2", ["here/m-1", "/elsewhere/m", "here/m-2"]),
    "no folder": ("", "m-2", ["m-1", "m-2"]),
    "outside": ("here", "there/m"),
    "itself": ("F", "F/checkpoint"),
    "times that do not fit": ("F", "F/m-2", ["F/m-1", "F/m-2"], None, [1.0]),
}


def in_folder(value, folder):
    if isinstance(value, list):
        return [in_folder(v, folder) for v in value]
    is_in = isinstance(value, str) and value.split("/")[0] == "F"
    return value.replace("F", str(folder), 1) if is_in else value


def fields_of(state):
    return [list(v) if not isinstance(v := getattr(state, f), str | float) else v for f in _FIELDS]


def outcome(call):
    try:
        return call()
    except Exception as error:  # noqa: BLE001, which one it is is what is compared
        return type(error).__name__, str(error)


def run(train, arguments):
    """What the files hold afterwards, or the error; and what is read from them."""
    folder, name = arguments[0], arguments[3] if len(arguments) > 3 else None
    fresh = copy.deepcopy(arguments)  # TensorFlow changes the list of paths
    written = outcome(lambda: train.update_checkpoint_state(*fresh))
    path = os.path.join(folder, name or "checkpoint")
    if not os.path.exists(path):
        return written
    with open(path) as file:
        text = file.read()
    state = train.get_checkpoint_state(folder, name)
    made = train.generate_checkpoint_state_proto(*arguments[:3], *arguments[4:])
    os.remove(path)
    return text, fields_of(state), fields_of(made)


@pytest.mark.parametrize("case", UPDATES)
def test_updates(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()

    def arguments():
        return [in_folder(a, tmp_path) for a in UPDATES[case]]

    assert run(OURS, arguments()) == run(THEIRS, arguments())


TEXTS = {
    "empty": "",
    "no newest": 'all_model_checkpoint_paths: "m-1"',
    "one line": "model_checkpoint_path:\"m-2\"all_model_checkpoint_paths:'m-1';",
    "comment": '# written by hand\nmodel_checkpoint_path: "m" # the newest\n',
    "list": 'model_checkpoint_path: "m" all_model_checkpoint_paths: ["a", "b" "c"]',
    "empty list": 'model_checkpoint_path: "m" all_model_checkpoint_paths: []',
    "escapes": r'model_checkpoint_path: "a\101\x42\n\\\"\'\303\251"',
    "numbers": 'model_checkpoint_path: "m" all_model_checkpoint_timestamps: 3 '
    "last_preserved_timestamp: -1.5e3",
    "list of numbers": 'model_checkpoint_path: "m" all_model_checkpoint_timestamps: [1, 2.5]',
    "absolute": 'model_checkpoint_path: "/a/m"',
    "unknown field": 'model_path: "m"',
    "number for text": "model_checkpoint_path: 3",
    "text for number": 'model_checkpoint_path: "m" last_preserved_timestamp: "3"',
    "no value": "model_checkpoint_path:",
    "no colon": 'model_checkpoint_path "m"',
    "only a string": '"m"',
    "cut off": 'model_checkpoint_path: "m',
    "a word": "model_checkpoint_path: m",
    "open list": 'all_model_checkpoint_paths: ["m"',
    "binary": "\x00\x01\x02",
}


@pytest.mark.parametrize("case", TEXTS)
def test_texts(case, tmp_path, caplog):
    (tmp_path / "checkpoint").write_text(TEXTS[case])

    def found(train):
        state = outcome(lambda: train.get_checkpoint_state(str(tmp_path)))
        return state if state is None or isinstance(state, tuple) else fields_of(state)

    with caplog.at_level(logging.WARNING, "shims"):
        ours = found(OURS)
    assert ours == found(THEIRS)
    ignored = [r for r in caplog.records if r.name == "shims"]
    assert bool(ignored) == (ours is None)


def test_the_text_says_what_was_parsed():
    state = CheckpointState("a'b", ["x", ""], [1.0, 2.5], 3.0)
    assert parse(str(state)) == state
    with pytest.raises(ParseError, match="there is no field 'x'"):
        parse("x: 1")


def test_latest_checkpoint(tmp_path, caplog):
    folder = tmp_path / "f"
    folder.mkdir()
    found = []

    def note():
        ours, theirs = (t.latest_checkpoint(str(folder)) for t in (OURS, THEIRS))
        found.append(ours and os.path.relpath(ours, folder))
        assert ours == theirs

    note()
    OURS.update_checkpoint_state(str(folder), str(folder / "m-1"))
    note()
    assert [r.getMessage() for r in caplog.records if r.name == "shims"] == [
        f"Couldn't match files for checkpoint {folder}/m-1"
    ]
    (folder / "m-1.index").touch()
    note()
    OURS.update_checkpoint_state(str(folder), str(folder / "old"))
    (folder / "old").touch()  # TensorFlow's first format is one file
    note()
    assert found == [None, None, "m-1", "old"]
    assert OURS.latest_checkpoint(folder) == str(folder / "old")
    assert OURS.latest_checkpoint(folder, "other") is None


def test_files_that_are_there(tmp_path):
    names = [
        *("m-1.index", "m-1.meta", "m-1.data-00000-of-00001", "m-10.index"),
        *("m-1.data-x-of-00001", "old", "old.meta", "a[b].index", "a[b].data-00000-of-00001"),
    ]

    def run(train):
        for name in names:
            (tmp_path / name).touch()
            os.utime(tmp_path / name, (5.0, 1.5e9))
        prefixes = [str(tmp_path / p) for p in ("m-1", "m-2", "old", "m-10")]
        seen = [train.checkpoint_exists(p) for p in prefixes]
        times = train.get_checkpoint_mtimes(prefixes)
        train.remove_checkpoint(prefixes[0])
        train.remove_checkpoint(prefixes[1])
        train.remove_checkpoint(prefixes[2], tf.compat.v1.train.SaverDef.V1)
        return seen, len(times), sorted(os.listdir(tmp_path))

    ours = run(OURS)
    assert ours == run(THEIRS)
    assert ours[0] == [True, False, True, True]
    assert OURS.get_checkpoint_mtimes([tmp_path / "m-10"]) == [1.5e9]
    assert OURS.checkpoint_exists(tmp_path / "a[b]")
    OURS.remove_checkpoint(tmp_path / "a[b]")
    assert not list(tmp_path.glob("a?b?.*"))
    numbers = [(k, getattr(THEIRS.SaverDef, k)) for k in ("LEGACY", "V1", "V2")]
    assert numbers == [(k, getattr(OURS.SaverDef, k)) for k, _ in numbers]
