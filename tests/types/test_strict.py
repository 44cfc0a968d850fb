"""Programs pass the strict checks of mypy, and of pyright where it is installed, with the stubs of `shims`."""

import json
import pathlib
import shutil
import subprocess
import sys

import pytest

from tests.meta import pages, tree
from tf2jax_port.rewrite import rewrite

OPERATORS = """\
from typing import Any

import jax
import shims
import shims.compat.v1 as tf

v = shims.Variable([1.0, 2.0])
w = shims.Variable(3.0, trainable=False, name="w")
sums: list[jax.Array] = [v + 1.0, 1.0 + v, v - w, 1.0 - v, v * w, 2.0 * v, v / w, 1.0 / v]
others: list[jax.Array] = [v**2.0, 2.0**v, v // w, 5.0 // v, v % w, 5.0 % v, v @ v, -v, +v, abs(v)]
compared: list[jax.Array] = [v < w, v <= 1.0, v > w, v >= 1.0]
flags = shims.Variable([True, False])
logic: list[jax.Array] = [flags & flags, flags | flags, flags ^ flags, ~flags]
number: float = float(w) + int(w)
first = v[0]
v.assign(v * 2.0)
v.assign_add([1.0, 1.0])


@shims.function(input_signature=[shims.TensorSpec([None], shims.float32)])
def loss(x: jax.Array) -> jax.Array:
    total: jax.Array = shims.reduce_sum(shims.boolean_mask(x, x > 0.0))
    return total * w


@shims.function
def twice(x: jax.Array) -> jax.Array:
    return x * 2.0


@shims.custom_gradient
def same(x: jax.Array) -> Any:
    return x, lambda g: g


def step(x: jax.Array) -> list[jax.Array]:
    with shims.GradientTape() as tape:
        value = loss(x) + shims.nn.l2_loss(v)
    return [tape.gradient(value, v), shims.math.log(value)]


with tf.Graph().as_default(), tf.Session() as session:
    total = tf.reduce_sum(tf.placeholder(tf.float32, [None]))
    session.run(total, {})
"""
WRONG = """\
import shims

v = shims.Variable([1.0])
shims.reduce_sum(v, axs=1)
shims.no_such_name(v)
loss: str = v * 2.0
v.no_such_attribute
"""
TUTORIAL = pages.python_blocks("tutorial.md")


def programs(folder):
    """Write the programs that readers see, but for the original of TensorFlow, which has no types."""
    readme = (tree.ROOT / "README.md").read_text()
    (shown,) = (text for language, text in pages.blocks(readme) if language == "python")
    original, cases, plain = TUTORIAL
    port = rewrite(original.encode()).data.decode()
    texts = {"readme": shown, "forecast": port, "cases": cases, "plain": plain}
    for name, text in {**texts, "operators": OPERATORS, "wrong": WRONG}.items():
        (folder / f"{name}.py").write_text(text)


def by_file(places):
    found: dict[str, list] = {}
    for file, line in places:
        found.setdefault(pathlib.Path(file).stem, []).append(line)
    return {name: sorted(set(lines)) for name, lines in found.items()}


WRONG_LINES = [4, 5, 6, 7]


@pytest.mark.long
def test_mypy(tmp_path):
    """Readers' functions have no annotations, and need none; all else is strict."""
    programs(tmp_path)
    words = ["--strict", "--allow-untyped-defs", "--allow-untyped-calls", "--no-incremental"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words, "--cache-dir", str(tmp_path / "cache"), "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={"MYPYPATH": str(tree.ROOT), "PATH": ""},
        check=False,
    )
    errors = [line.split(":")[:2] for line in done.stdout.splitlines() if ": error:" in line]
    errors = [(file, line) for file, line in errors if "/" not in file]
    assert by_file((file, int(line)) for file, line in errors) == {"wrong": WRONG_LINES}, (
        done.stdout
    )


# Where a parameter has no annotation, nothing that comes from it is known.
_OF_READERS = ("reportMissingParameterType", "reportUnknown")


def is_ours(problem, text):
    """Whether a problem is one of the stubs; JAX's own types are not all known to pyright."""
    begin, end = problem["range"]["start"], problem["range"]["end"]
    line = text.splitlines()[begin["line"]]
    named = line[begin["character"] : end["character"] if end["line"] == begin["line"] else None]
    return not problem.get("rule", "").startswith(_OF_READERS) or named.startswith("shims")


@pytest.mark.long
@pytest.mark.skipif(shutil.which("pyright") is None, reason="pyright is not installed")
def test_pyright(tmp_path):
    programs(tmp_path)
    settings = {
        "include": ["."],
        "typeCheckingMode": "strict",
        "extraPaths": [str(tree.ROOT)],
        "reportUnusedExpression": False,
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        ["pyright", "--pythonpath", sys.executable, "--outputjson"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    problems = json.loads(done.stdout)["generalDiagnostics"]
    texts = {file.name: file.read_text() for file in tmp_path.glob("*.py")}
    ours = [p for p in problems if is_ours(p, texts[pathlib.Path(p["file"]).name])]
    found = by_file((p["file"], p["range"]["start"]["line"] + 1) for p in ours)
    assert found == {"wrong": WRONG_LINES}, ours
