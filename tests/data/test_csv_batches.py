"""Batches of columns of files of comma-separated values: names, dtypes, order and errors are TensorFlow's."""

import gzip
import zlib

import numpy as np
import pytest
import tensorflow as tf

import shims

# TensorFlow infers dtypes by conversions of NumPy, which warn.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered in cast")
FILES = {
    "a.csv": 'n,big,f,wide,text,gap\n1,3000000000,0.5,1e40,a,\n2,5,2,2.5,"b,c",7\n-3,0,nan,0,d,NA\n',
    "b.csv": "n,big,f,wide,text,gap\n4,1,1.5,3,e,1\n5,2,2.5,4,f,\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        (tmp_path / f"{name}.zlib").write_bytes(zlib.compress(text.encode()))
    (tmp_path / "other.csv").write_text("n,m\n1,2\n")
    (tmp_path / "short.csv").write_text("n,big,f,wide,text,gap\n1,2\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "twice.csv").write_text("n,n\n1,2\n")
    (tmp_path / "bare.csv").write_text("1;2;x\n3;;'y'\n")
    return tmp_path


def plain(element):
    if isinstance(element, tuple):
        return tuple(map(plain, element))
    return (
        {name: np.asarray(value.numpy()) for name, value in element.items()}
        if isinstance(element, dict)
        else np.asarray(element.numpy())
    )


def batches(module, folder, pattern, **options):
    patterns = (
        [str(folder / p) for p in pattern] if isinstance(pattern, list) else str(folder / pattern)
    )
    found = module.data.experimental.make_csv_dataset(
        patterns, options.pop("batch_size", 2), **options
    )
    return [plain(each) for each in found.take(6)]


OPTIONS = {
    "everything": {},
    "once": {"num_epochs": 1},
    "in order": {"num_epochs": 1, "shuffle": False},
    "in order, endlessly": {"shuffle": False},
    "a seed": {"shuffle_seed": 3, "num_epochs": 2},
    "a small buffer": {"shuffle_seed": 3, "num_epochs": 2, "shuffle_buffer_size": 2},
    "files in turn": {"shuffle": False, "num_epochs": 1, "num_parallel_reads": 2},
    "a label": {"label_name": "text", "num_epochs": 1, "shuffle": False},
    "columns by name": {"select_columns": ["text", "n"], "num_epochs": 1, "shuffle": False},
    "columns by number": {"select_columns": [5, 0], "num_epochs": 1, "shuffle": False},
    "another missing value": {"na_value": "NA", "num_epochs": 1, "shuffle": False},
    "few lines for dtypes": {
        "num_rows_for_inference": 1,
        "select_columns": [0, 1],
        "shuffle": False,
    },
    "all lines for dtypes": {"num_rows_for_inference": None, "num_epochs": 1, "shuffle": False},
    "other names": {"column_names": list("uvwxyz"), "num_epochs": 1, "shuffle": False},
    "defaults": {
        "column_defaults": [np.int64(-1), "", 0.25, "", "", ""],
        "num_epochs": 1,
        "shuffle": False,
    },
    "defaults of columns": {
        "select_columns": ["n", "gap"],
        "column_defaults": ["", "none"],
        "num_epochs": 1,
        "shuffle": False,
    },
}
UNSEEDED = ("everything", "once")


@pytest.mark.parametrize("name", OPTIONS)
def test_batches(folder, name):
    found = [batches(m, folder, ["a.csv", "b.csv"], **OPTIONS[name]) for m in (shims, tf)]
    if name in UNSEEDED:  # the order is random; values and dtypes of columns are not
        assert len(found[0]) == len(found[1])
        found = [
            [{k: np.sort(np.concatenate([e[k] for e in each])) for k in each[0]} for each in found]
            if name == "once"
            else [{k: v[:0] for k, v in each[0].items()} for each in found]
        ]
        found = [[each] for each in found[0]]
    for one, other in zip(*found, strict=True):
        assert str(one) == str(other)
        pairs = zip(one, other, strict=True) if isinstance(one, tuple) else [(one, other)]
        for a, b in pairs:
            values = [list(x.values()) if isinstance(x, dict) else [x] for x in (a, b)]
            assert [v.dtype for v in values[0]] == [v.dtype for v in values[1]]
            assert [v.shape for v in values[0]] == [v.shape for v in values[1]]


@pytest.mark.parametrize("name", ["a.csv.gz", "a.csv.zlib"])
def test_compressed_files(folder, name):
    kind = {"gz": "GZIP", "zlib": "ZLIB"}[name.rpartition(".")[2]]
    plainly = batches(shims, folder, "a.csv", num_epochs=1, shuffle=False)
    assert str(
        batches(shims, folder, name, num_epochs=1, shuffle=False, compression_type=kind)
    ) == str(plainly)


def test_files_without_names(folder):
    options = {"header": False, "column_names": ["a", "b", "c"], "field_delim": ";"}
    options |= {"use_quote_delim": False, "shuffle": False, "num_epochs": 1}
    found = [batches(m, folder, "bare.csv", **options) for m in (shims, tf)]
    assert str(found[0]) == str(found[1])


def test_lines_with_errors_are_left_out(folder):
    options = {"column_defaults": [np.int32(0)] * 6, "ignore_errors": True, "num_epochs": 1}
    found = [
        batches(m, folder, "[ab].csv", batch_size=9, shuffle=False, **options) for m in (shims, tf)
    ]
    assert str(found[0]) == str(found[1])


@pytest.mark.parametrize(
    ("pattern", "options", "match"),
    [
        ("none*.csv", {}, "No files match"),
        ([], {}, "should not be empty"),
        (["a.csv", "other.csv"], {}, "different column names"),
        ("short.csv", {}, "Expected: 6"),
        ("empty.csv", {}, "an empty file"),
        ("twice.csv", {}, "duplicate column names"),
        ("a.csv", {"header": False}, "Neither is provided"),
        ("a.csv", {"label_name": "z"}, "one of the columns"),
        ("a.csv", {"label_name": "n", "select_columns": ["f"]}, "one of the columns"),
        ("a.csv", {"select_columns": ["z"]}, "one of the columns"),
        ("a.csv", {"select_columns": [6]}, "the number of columns"),
        ("a.csv", {"select_columns": [-1]}, "the number of columns"),
        ("a.csv", {"select_columns": [1, 1]}, "duplicate"),
        ("a.csv", {"select_columns": [1], "column_defaults": [1, 2]}, "the same length"),
    ],
)
def test_what_does_not_fit_is_refused(folder, pattern, options, match):
    for module in (tf, shims):
        with pytest.raises(ValueError, match=match if module is shims else None):
            batches(module, folder, pattern, **options)
