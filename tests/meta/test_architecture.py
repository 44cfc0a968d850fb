"""The map of the code is the code: `docs/architecture.md` names every file, and none that is not there."""

import fnmatch
import re

import pytest

from tests.meta import tree

PAGE = (tree.ROOT / "docs/architecture.md").read_text()
FOLDERS = (
    "shims/_src",
    "shims/_src/lowering",
    "tf2jax_port",
    "tf2jax_port/table",
    "tf2jax_port/rewrite",
    "tf2jax_port/diff",
    "tf2jax_port/diff/goldens",
    "tf2jax_port/diff/parity",
    "tf2jax_port/diff/locate",
    "tf2jax_port/migration",
    "tf2jax_port/importing",
)


def named(page):
    """The files and folders in backticks: `name.py`, `folder/`, with their path or without."""
    return set(re.findall(r"`([\w/*]+(?:\.py|/))`", page))


def unnamed(page, folder, names):
    """Files among `names` of a folder that a page does not mention; a glob mentions many."""
    patterns = named(page)
    found = [n for n in names if not any(fnmatch.fnmatchcase(n, p) for p in patterns)]
    return [f"{folder}/{n}" for n in found if n not in ("__init__.py", "__main__.py")]


def is_there(name, paths):
    """Whether something in the repository is called so."""
    pattern = name + "*" if name.endswith("/") else name
    return any(fnmatch.fnmatchcase("/" + path, "*/" + pattern) for path in paths)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_is_named(folder):
    names = sorted(p.name for p in (tree.ROOT / folder).glob("*.py"))
    assert names
    assert unnamed(PAGE, folder, names) == []


def test_every_folder_is_named():
    inner = {p.parent for p in (tree.ROOT / "shims/_src").glob("*/*.py")}
    assert sorted(p.name for p in inner if f"{p.name}/" not in named(PAGE)) == []


def test_nothing_is_named_that_is_not_there():
    paths = [str(path) for path in tree.tracked_files()]
    assert sorted(n for n in named(PAGE) if not is_there(n, paths)) == []


def test_a_wrong_map_is_found():
    page = "`trace.py`, `hooked_*.py` and `lowering/`"
    files = ["hooked_vmap.py", "hooks.py", "trace.py", "__init__.py"]
    assert unnamed(page, "src", files) == ["src/hooks.py"]
    assert is_there("hooked_*.py", ["shims/_src/hooked_vmap.py"])
    assert is_there("lowering/", ["shims/_src/lowering/rule.py"])
    assert not is_there("gone.py", ["shims/_src/begone.py"])
