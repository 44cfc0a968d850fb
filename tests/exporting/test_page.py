"""docs/way_out.md: its command says what it says, its module has the shown text, its loop trains."""

import re
import subprocess
import sys

from click.testing import CliRunner

from tests.meta import tree
from tf2jax_port.cli import main

PAGE = (tree.ROOT / "docs/way_out.md").read_text()


def fenced(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program, scopes, step, loop = fenced("python")
    (tmp_path / "train.py").write_text(program)
    (command,) = fenced("sh")
    done = CliRunner().invoke(main, command.removeprefix("tf2jax-port ").split())
    assert done.exit_code == 0, done.output
    numbers = re.compile(r"([\d.]+e-(0[7-9]|[1-9]\d)|0.0e[+]00) of the largest number, in \S+")
    assert numbers.sub("small", done.stdout) == numbers.sub("small", fenced("text")[0])
    module = (tmp_path / "classifier.py").read_text()
    for shown in (scopes, step):
        for function in shown.strip().split("\n\n\n"):
            assert function in module, module
    assert "shims" not in module
    (tmp_path / "loop.py").write_text(loop)
    subprocess.run([sys.executable, "loop.py"], check=True, cwd=tmp_path)
