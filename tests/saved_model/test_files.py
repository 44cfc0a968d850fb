"""The files of a saved model: damage, replacement, assets."""

import pathlib

import numpy as np
import pytest

import shims


def module(value=1.0, asset=None):
    made = shims.Module()
    made.v = shims.Variable([value] * 100)
    made.f = shims.function(lambda x: x * made.v, input_signature=[shims.TensorSpec([100])])
    if asset is not None:
        made.asset = shims.saved_model.Asset(asset)
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("model")
    (found / "words.txt").write_text("a\nb\n")
    shims.saved_model.save(module(asset=found / "words.txt"), str(found / "model"))
    return found / "model"


def files(folder) -> dict[pathlib.Path, bytes]:
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_files_are_these(folder):
    assert sorted(str(p.parent) for p in files(folder)) == [
        ".",
        "assets",
        "programs",
        "variables",
        "variables",
    ]
    loaded = shims.saved_model.load(folder)
    assert loaded.asset.asset_path == str(folder / "assets" / "words.txt").encode()


def damaged(content: bytes):
    """A file in which something is wrong, in all kinds of places."""
    yield b""
    yield b"{}"
    for at in range(0, len(content), max(len(content) // 7, 1)):
        yield content[:at]
        yield content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


def test_damage(folder, tmp_path):
    for name, content in files(folder).items():
        for wrong in (*damaged(content), None):
            if wrong == content:
                continue
            for other, right in files(folder).items():
                path = tmp_path / other
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(right)
            if wrong is None:
                (tmp_path / name).unlink()
            else:
                (tmp_path / name).write_bytes(wrong)
            with pytest.raises((shims.errors.DataLossError, shims.errors.NotFoundError, OSError)):
                shims.saved_model.load(tmp_path)


def test_another_version(folder, tmp_path):
    text = (folder / "saved_module.json").read_text()
    (tmp_path / "saved_module.json").write_text(text.replace('"version": 1', '"version": 2', 1))
    with pytest.raises(shims.errors.UnimplementedError, match="a different version of the format"):
        shims.saved_model.load(tmp_path)


def test_a_model_is_replaced(tmp_path):
    shims.saved_model.save(module(1.0), tmp_path)
    (tmp_path / "notes.txt").write_text("kept")
    other = module(2.0)
    other.f = shims.function(lambda x: x - other.v, input_signature=[shims.TensorSpec([100])])
    shims.saved_model.save(other, tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "kept"
    assert len(list((tmp_path / "programs").iterdir())) == 1
    np.testing.assert_array_equal(shims.saved_model.load(tmp_path).f(np.ones(100, np.float32)), -1)


def test_variables_of_another_model(tmp_path):
    for value in (1.0, 2.0):
        shims.saved_model.save(module(value), tmp_path / str(value))
    name = "variables/variables.index"
    (tmp_path / "1.0" / name).write_bytes((tmp_path / "2.0" / name).read_bytes())
    with pytest.raises(shims.errors.DataLossError, match="belong to another model"):
        shims.saved_model.load(tmp_path / "1.0")


def test_a_checkpoint_is_restored_from_the_folder(folder):
    other = module(5.0)
    shims.train.Checkpoint(v=other.v).restore(str(folder)).expect_partial()
    np.testing.assert_array_equal(other.v, 1.0)


def test_saving_inside_of_a_function(tmp_path):
    with pytest.raises(NotImplementedError, match="outside of the traced function"):
        shims.function(lambda: shims.saved_model.save(module(), tmp_path))()
