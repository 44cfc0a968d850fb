"""Wherever writing a checkpoint stops, the one that was there before or the new one is readable."""

import os

import numpy as np
import pytest

from shims._src.checkpoint.bundle_writer import write_bundle
from shims._src.checkpoint.opening import open_checkpoint
from shims._src.errors import errors

from . import bundles

OLD, NEW = ({"a": np.full(3, n), "b": np.float32(n)} for n in (1, 2))


class Stop(Exception):
    """The process ends here."""


class Countdown:
    """Lets so many calls to the file system pass, and stops at the next one."""

    def __init__(self, monkeypatch, passes, after):
        self.left = passes
        for name in ("replace", "link", "remove", "fsync"):
            monkeypatch.setattr(os, name, self.counted(getattr(os, name), after))

    def counted(self, original, after):
        def call(*arguments):
            self.left -= 1
            if self.left >= 0:
                return original(*arguments)
            if self.left == -1 and after:
                original(*arguments)
            raise Stop

        return call


def stopped(prefix, monkeypatch, passes, after):
    """Whether writing the new checkpoint stops after so many calls."""
    with monkeypatch.context() as patch:
        Countdown(patch, passes, after)
        try:
            write_bundle(prefix, NEW)
        except Stop:
            return True
    return False


def state(prefix):
    reader = open_checkpoint(prefix)
    found = {name: reader.read(name) for name in reader.names}
    expected = OLD if found["a"][0] == 1 else NEW
    bundles.assert_same(found, expected)
    return "old" if expected is OLD else "new"


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("links", [True, False])
def test_the_old_one_or_the_new_one(tmp_path, monkeypatch, after, links):
    if not links:
        monkeypatch.setattr(os, "link", _no_links)
    found = []
    while True:
        prefix = str(tmp_path / f"x{len(found)}")
        write_bundle(prefix, OLD)
        is_stopped = stopped(prefix, monkeypatch, len(found), after)
        found.append(state(prefix))
        write_bundle(prefix, OLD)  # what was left behind is in nobody's way
        assert state(prefix) == "old"
        assert not list(tmp_path.glob("x*-of-00002"))
        if not is_stopped:
            break
    assert found == sorted(found, reverse=True)
    assert found[0] == "old"
    assert found[-1] == "new"
    assert len(found) > 8


def _no_links(*_):
    raise OSError


def test_a_first_one_that_stops_is_not_there(tmp_path, monkeypatch):
    prefix = str(tmp_path / "x")
    for passes in range(4):
        assert stopped(prefix, monkeypatch, passes, after=False)
        with pytest.raises(errors.NotFoundError):
            open_checkpoint(prefix)


def test_what_cannot_be_written_changes_nothing(tmp_path):
    write_bundle(str(tmp_path / "x"), OLD)
    before = bundles.files(tmp_path / "x")
    with pytest.raises(errors.InvalidArgumentError):
        write_bundle(str(tmp_path / "x"), NEW | {"c": np.array([object()])})
    assert bundles.files(tmp_path / "x") == before


def test_one_file_of_data_in_the_place_of_two(tmp_path):
    import tensorflow as tf

    parts = [str(tmp_path / "a"), str(tmp_path / "b")]
    bundles.write(parts[0], OLD)
    bundles.write(parts[1], {"c": np.arange(2)})
    whole = tmp_path / "x"
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=str(whole))
    write_bundle(str(whole), NEW)
    assert state(str(whole)) == "new"
    assert sorted(bundles.files(whole)) == [".data-00000-of-00001", ".index"]
