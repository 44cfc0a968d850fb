"""The map of the code is generated from the code, and the page of concepts names no file that is gone."""

import fnmatch
import re

from tests.meta import tree
from tools import file_map

PAGE = (tree.ROOT / "docs/architecture.md").read_text()


def named(page):
    """The paths in backticks that a page mentions: files of Python and folders."""
    return set(re.findall(r"`([\w/*]+(?:\.py|/))`", page))


def is_there(name, paths):
    """Whether something in the repository is called so."""
    pattern = name + "*" if name.endswith("/") else name
    return any(fnmatch.fnmatchcase("/" + path, "*/" + pattern) for path in paths)


def test_the_map_is_fresh():
    assert file_map.PAGE.read_text() == file_map.page()


def test_every_module_says_what_it_is_for():
    empty = [
        str(path)
        for path, text in tree.package_sources().items()
        if path.name != "__init__.py" and text.strip() and not file_map.summary(tree.ROOT / path)
    ]
    assert empty == []


def test_no_file_is_named_that_is_not_there():
    paths = [str(path) for path in tree.tracked_files()]
    assert sorted(name for name in named(PAGE) if not is_there(name, paths)) == []


def test_a_name_that_is_gone_is_found():
    assert named("`trace.py`, `hooked_*.py` and `lowering/`") == {
        "trace.py",
        "hooked_*.py",
        "lowering/",
    }
    assert is_there("hooked_*.py", ["shims/_src/tracing/hooked_vmap.py"])
    assert is_there("lowering/", ["shims/_src/lowering/rule.py"])
    assert not is_there("gone.py", ["shims/_src/begone.py"])
