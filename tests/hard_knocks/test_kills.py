"""A writer that is killed leaves the file that was there before, or the new one."""

import pathlib
import random

import pytest

from tests.hard_knocks import kills
from tests.hard_knocks.killing import kill_a_writer

pytestmark = pytest.mark.long
KILLS = 12


@pytest.mark.parametrize("name", kills.WRITERS)
def test_a_killed_writer(name, tmp_path):
    rng = random.Random(0)
    for _ in range(KILLS):
        kill_a_writer(name, tmp_path / "file", rng)
        assert kills.WRITERS[name][1](tmp_path / "file") in kills.VERSIONS
    kills.WRITERS[name][0](tmp_path / "file", 1.0)  # and what was left does not disturb
    assert kills.WRITERS[name][1](tmp_path / "file") == 1.0


@pytest.mark.parametrize("name", ["golden", "weights", "rewritten file, report"])
def test_two_writers_of_one_file(name, tmp_path):
    kill_a_writer(name, tmp_path / "file", random.Random(1), others=1)
    assert kills.WRITERS[name][1](tmp_path / "file") in kills.VERSIONS


@pytest.mark.parametrize("name", kills.WRITERS)
def test_a_file_written_in_place_would_be_seen(name, tmp_path):
    """The half of a file is refused by its reader."""
    kills.WRITERS[name][0](tmp_path / "file", 1.0)
    for file in pathlib.Path(tmp_path).iterdir():
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(Exception, match=r".") as caught:
        kills.WRITERS[name][1](tmp_path / "file")
    assert not isinstance(caught.value, FileNotFoundError)
