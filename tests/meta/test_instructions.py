"""Every command of SKILL.md, of AGENTS.md and of the pages runs, in the order in which it stands there."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.meta import tree
from tests.meta.pages import environment

ROOT = tree.ROOT
SKILL = ROOT / "tf2jax_port" / "SKILL.md"
AGENTS = ROOT / "AGENTS.md"
PAGES = ("rewriter", "keras", "command_line")
LOSSES = """\
import tensorflow as tf


def contrastive(x, y):
    distance = tf.reduce_sum(tf.square(x - y), axis=1)
    return tf.reduce_mean(tf.math.log1p(distance))
"""
CASES = """\
import numpy as np


def cases():
    rng = np.random.default_rng(0)
    for n in (3, 1):
        yield rng.normal(size=(n, 2)).astype(np.float32), rng.normal(size=(n, 2)).astype(np.float32)
"""
TESTS = """\
import tensorflow as tf

from src import losses


def test_equal_points_have_no_distance():
    assert losses.contrastive(tf.ones([3, 2]), tf.ones([3, 2])) == 0
"""
# What each command may exit with: 1 of a scan says that something is left, and here something is.
LEFT = {
    "tf2jax-port scan src": 1,
    "tf2jax-port scan src --format json > ledger.json": 1,
    "tf2jax-port plan src --format json > plan.json": 1,
    "tf2jax-port rewrite src": 1,
    "tf2jax-port rewrite src --write --report ledger.json": 1,
}


def commands(page):
    """The lines of its shell blocks."""
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def run(line, folder, known):
    return subprocess.run(
        line, shell=True, cwd=folder, env=known, capture_output=True, text=True, check=False
    )


@pytest.fixture
def project(tmp_path):
    """A repository with one file that is finished by the rewriter, and one that is not."""
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "losses.py").write_text(LOSSES)
    (folder / "src" / "rest.py").write_text("import tensorflow as tf\n\ntf.foo()\n")
    (folder / "cases.py").write_text(CASES)
    (folder / "tests").mkdir()
    (folder / "tests" / "test_losses.py").write_text(TESTS)
    identity = "-c user.name=a -c user.email=a@example.com"
    subprocess.run(
        f"git init -q && git add . && git {identity} commit -qm start",
        shell=True,
        cwd=folder,
        check=True,
    )
    return folder


def test_the_skill(project):
    known = environment(project.parent)
    lines = commands(SKILL)
    assert len(lines) == 12
    for line in lines:
        done = run(line, project, known)
        assert done.returncode == LEFT.get(line, 0), (line, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
    assert '"verdict": "equal"' in (project / "proof.json").read_text()


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page(page, project):
    known = environment(project.parent)
    for line in commands(ROOT / "docs" / f"{page}.md"):
        line = line.partition("  #")[0].rstrip()
        if re.search("attention|calls.npz|focal", line):  # tests/facade/test_pages.py runs these
            continue
        done = run(line, project, known)
        alone = ("export", "tf2jax-port explain", "tf2jax-port doctor")
        finished = line.startswith(alone) or "--check" in line
        assert done.returncode == (0 if finished else 1), (line, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        for made in re.findall(r"[\w.]+\.(?:html|json)", line):
            assert (project / made).stat().st_size > 100
    losses = (project / "src" / "losses.py").read_text()
    assert ("import tensorflow" in losses) == (page == "command_line")


@pytest.fixture
def copy(tmp_path):
    """The part of the repository that the generators read and write."""
    for name in ("docs", "shims", "tf2jax_port", "tools"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    return tmp_path


def test_agents_names_its_commands():
    assert len(commands(AGENTS)) == 10


@pytest.mark.parametrize("line", commands(AGENTS))
def test_agents(copy, line):
    if "ruff" in line and importlib.util.find_spec("ruff") is None:
        pytest.skip("ruff is not installed; the extra `test` has it")
    folder = copy if line.startswith("python -m tools.") else ROOT
    known = dict(os.environ, PYTHONPATH=str(folder), TF_CPP_MIN_LOG_LEVEL="3")
    words = [sys.executable if word == "python" else word for word in line.split()]
    options = ["-p", "no:cacheprovider"] if "pytest" in words else []
    done = subprocess.run(
        [*words, *options],
        cwd=folder,
        env=known,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (line, done.stdout, done.stderr)


def test_they_are_short():
    assert len(SKILL.read_text().splitlines()) < 200
    assert len(AGENTS.read_text().splitlines()) < 70


def test_the_skill_is_printed_and_shipped(tmp_path):
    known = environment(tmp_path)
    assert run("tf2jax-port skill", tmp_path, known).stdout == SKILL.read_text()
    assert run("tf2jax-port skill --path", tmp_path, known).stdout == f"{SKILL}\n"


def test_a_command_that_fails_is_seen(tmp_path):
    known = environment(tmp_path)
    assert run("tf2jax-port scan gone.py", tmp_path, known).returncode == 2
