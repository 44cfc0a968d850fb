"""Which releases of JAX `import shims` accepts, and where it reads the release."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from shims._src.platform.release import check_version

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "version",
    ["0.9", "0.9.0", "0.9.1.dev2026+abc", "0.10.1", "0.10.3", "0.10.20", "0.12.0.1", "1.0"],
)
def test_accepted(version):
    check_version(version)


@pytest.mark.parametrize("version", ["0.10.2", "0.10.2.dev2026+abc", "0.10.2rc1", "0.10.2+local"])
def test_the_wrong_numbers_are_refused(version):
    with pytest.raises(ImportError, match="39103"):
        check_version(version)


@pytest.mark.parametrize("version", ["0.8.3", "0.8.3.dev2026+abc", "0.4.35", "unknown"])
def test_too_old(version):
    with pytest.raises(ImportError, match=f"0.9 or newer, found {re.escape(version)}"):
        check_version(version)


def package(folder, version):
    """A package `jax` that says its version when it is imported."""
    (folder / "jax").mkdir(parents=True)
    (folder / "jax" / "__init__.py").write_text(f"__version__ = {version!r}\n")


def metadata(folder, version):
    """What an installer writes of JAX."""
    info = folder / f"jax-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: jax\nVersion: {version}\n")


def import_shims(*path):
    """The last line that `import shims` gives with these folders first; without site-packages."""
    code = "import sys, shims; print('jax' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(map(str, [*path, ROOT]))),
        check=False,
    )
    return (done.stdout or done.stderr).strip().splitlines()[-1]


def test_metadata_are_enough(tmp_path):
    package(tmp_path, "0.12.0")
    metadata(tmp_path, "0.12.0")
    assert import_shims(tmp_path) == "False"


def test_metadata_of_a_release_that_is_refused(tmp_path):
    package(tmp_path, "0.10.2")
    metadata(tmp_path, "0.10.2")
    assert "39103" in import_shims(tmp_path)


def test_without_metadata_the_package_is_asked(tmp_path):
    package(tmp_path / "new", "0.12.0")
    package(tmp_path / "old", "0.8.0")
    assert import_shims(tmp_path / "new") == "True"
    assert import_shims(tmp_path / "old").endswith("found 0.8.0.")


def test_metadata_of_another_jax_are_not_believed(tmp_path):
    package(tmp_path / "sources", "0.10.2")
    package(tmp_path / "installed", "0.12.0")
    metadata(tmp_path / "installed", "0.12.0")
    assert "39103" in import_shims(tmp_path / "sources", tmp_path / "installed")


def test_without_jax(tmp_path):
    metadata(tmp_path, "0.12.0")
    assert import_shims(tmp_path) == (
        "ModuleNotFoundError: shims needs JAX 0.9 or newer, which is not installed: "
        "`pip install 'jax>=0.9,!=0.10.2'`."
    )
