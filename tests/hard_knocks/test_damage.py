"""Damaged files are read as they were written, or refused by a clear error."""

import pathlib

import pytest

from tests.hard_knocks import damage
from tests.hard_knocks.damage import Kind
from tests.hard_knocks.kinds import KINDS


@pytest.mark.parametrize("name", KINDS)
def test_damage(name, tmp_path):
    found = damage.counts(KINDS[name], tmp_path, 100)
    assert sum(n for (_, outcome), n in found.items() if outcome == damage.REFUSED) > 50


@pytest.mark.long
@pytest.mark.parametrize("name", KINDS)
def test_more_damage(name, tmp_path):
    damage.counts(KINDS[name], tmp_path, 5000)


def write(folder):
    (folder / "x").write_bytes(b"0123456789" * 20)
    return [folder / "x"]


def careless(folder):
    data = (folder / "x").read_bytes()
    if len(data) < 100:
        raise ValueError
    return data


def broken(folder):
    return write(folder), len((folder / "x").read_bytes()) // 0


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        (Kind(write, careless, (ValueError,)), AssertionError),
        (Kind(write, broken, ()), ZeroDivisionError),
    ],
)
def test_a_careless_reader_is_seen(kind, error, tmp_path):
    with pytest.raises(error):
        damage.counts(kind, pathlib.Path(tmp_path), 50)
