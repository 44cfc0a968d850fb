"""Data files of the packages: each names its generator, and is what that writes."""

import importlib
import importlib.metadata
import json
import subprocess
import sys
import zipfile

import pytest

from tests.meta import tree
from tools.generate import GENERATORS

FILES = [p for p in tree.tracked_files() if p.suffix == ".json" and p.parts[0] in tree.PACKAGES]
READ_FROM = {"tools.generate_keras_names": "keras"}
# It takes a minute: every eighth operator in `make test`, all of them in `make test-long`.
SAMPLED = "shims/_src/v1/graph/recipes.json"


def data_of(path):
    return json.loads((tree.ROOT / path).read_text())


def generator_of(path):
    return data_of(path)["generated_by"].removeprefix("python -m ")


def skip_where_another_release_is_installed(path):
    made_from = data_of(path).get("version")
    package = READ_FROM.get(generator_of(path), "tensorflow")
    if made_from not in (None, importlib.metadata.version(package).rpartition(".")[0]):
        pytest.skip(f"the list was made from {package} {made_from}")


def generated(path):
    """What a generator writes now; Keras needs a process of its own for its back end."""
    module = generator_of(path)
    if module == "tools.generate_facades":
        return importlib.import_module(module).generate()[str(path)]
    if module != "tools.generate_keras_names":
        return importlib.import_module(module).generate()
    program = f"import {module} as g; print(g.generate(), end='')"
    command = [sys.executable, "-W", "ignore", "-c", program]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("path", FILES, ids=str)
def test_the_first_entry_names_the_generator(path):
    data = data_of(path)
    assert next(iter(data)) == "generated_by"
    assert generator_of(path) in GENERATORS


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=[pytest.mark.long] * (str(p) == SAMPLED)) for p in FILES],
    ids=str,
)
def test_the_file_is_what_the_generator_writes(path):
    skip_where_another_release_is_installed(path)
    written = (tree.ROOT / path).read_text()
    assert written == generated(path), f"run `{data_of(path)['generated_by']}`"


def test_recipes_of_some_operators_are_those_of_tensorflow():
    from tools import live_recipes

    skip_where_another_release_is_installed(SAMPLED)
    written = data_of(SAMPLED)["recipes"]
    some = live_recipes.publics()[::32]
    assert {p: live_recipes.entry(p) for p in some} == {p: written.get(p) for p in some}


def test_data_files_are_read_from_a_zipped_package(tmp_path):
    zipped = tmp_path / "packages.zip"
    with zipfile.ZipFile(zipped, "w") as archive:
        for path in tree.tracked_files():
            if path.parts[0] in tree.PACKAGES:
                archive.write(tree.ROOT / path, path)
    program = (
        "import tf2jax_port.rewrite as r, shims.compat.v1 as v1, shims\n"
        "v1.nn.relu\n"
        f"assert all({str(zipped)!r} in m.__file__ for m in (r, v1, shims))\n"
        "print(r.rewrite(b'import tensorflow as tf\\nx = tf.square(y)\\n').data.decode())"
    )
    command = [sys.executable, "-P", "-c", program]
    environment = {"PYTHONPATH": str(zipped)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "jnp.square(y)" in done.stdout
