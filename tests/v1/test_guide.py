"""The programs of docs/tensorflow_1.md run."""

import runpy

import pytest

from tests.meta import tree
from tests.meta.test_docs import FENCE

TEXT = (tree.ROOT / "docs/tensorflow_1.md").read_text()
PROGRAMS = [block for language, block in FENCE.findall(TEXT) if language == "python"]


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_it_runs(tmp_path, number):
    script = tmp_path / "program.py"
    script.write_text(PROGRAMS[number])
    runpy.run_path(str(script))
