"""The program of docs/checkpoints.md runs."""

import runpy

from tests.meta import tree
from tests.meta.test_docs import FENCE


def test_it_runs(tmp_path):
    text = (tree.ROOT / "docs/checkpoints.md").read_text()
    blocks = [block for language, block in FENCE.findall(text) if language == "python"]
    script = tmp_path / "program.py"
    script.write_text("".join(blocks))
    found = runpy.run_path(str(script))
    assert found["weights"]["model"]["w"].tolist() == [[1.0, 2.0]]
