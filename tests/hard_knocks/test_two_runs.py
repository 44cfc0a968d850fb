"""Two runs of one command at once, with the same files to write: each file is whole, and each run ends."""

import json
import os
import subprocess
import sys

import pytest

from tests.meta import tree
from tf2jax_port.diff.code_bases import call_file

pytestmark = pytest.mark.long
MODULE = "import tensorflow as tf\n\n\ndef total(x):\n    return tf.reduce_sum(tf.square(x), 0)\n"
USER = """
import tensorflow as tf
from package import sums

for n in range(1, 6):
    sums.total(tf.ones([n, 2]))
"""


def start(folder, *words):
    return subprocess.Popen(
        [sys.executable, "-c", "from tf2jax_port.cli import main; main()", *words],
        cwd=folder,
        env=dict(os.environ, PYTHONPATH=f"{tree.ROOT}{os.pathsep}{folder}", JAX_PLATFORMS="cpu"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def both(folder, *words):
    """Run a command twice at once; return both exit codes and outputs."""
    processes = [start(folder, *words) for _ in range(2)]
    texts = [process.communicate(timeout=500) for process in processes]
    return [p.returncode for p in processes], ["".join(text) for text in texts]


def test_two_captures_and_two_proofs(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "sums.py").write_text(MODULE)
    (tmp_path / "user.py").write_text(USER)
    words = ("capture", "--package", "package", "-o", "calls.npz", "--", sys.executable, "user.py")
    codes, texts = both(tmp_path, *words)
    assert codes == [0, 0], texts
    assert len(call_file.read_calls(tmp_path / "calls.npz").calls) == 5
    codes, texts = both(tmp_path, "rewrite", "--write", "package", "--isolated")
    assert set(codes) <= {0, 2}, texts
    assert "tensorflow" not in (package / "sums.py").read_text()
    words = ("prove", "calls.npz", ".", "--html", "pages", "--json", "proof.json")
    codes, texts = both(tmp_path, *words)
    assert codes == [0, 0], texts
    json.loads((tmp_path / "proof.json").read_text())
    assert any((tmp_path / "pages").glob("*.html"))
    assert not list(tmp_path.rglob("*.tf2jax-new"))
    done = start(tmp_path, *words)
    done.communicate(timeout=500)
    assert done.returncode == 0  # what was kept can be read
