"""What `import shims` loads, in an interpreter that has loaded nothing yet."""

import json
import os
import subprocess
import sys

import pytest

from tests.meta import tree


def run_python(code, *, path=()):
    """Runs `code` in a fresh interpreter with `path` in front of its search path."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([*map(str, path), str(tree.ROOT)]))
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )


def unwanted(code, *, path=()):
    """TensorFlow and toolkit modules that `code` loads."""
    done = run_python(f"{code}\nimport json, sys\nprint(json.dumps(list(sys.modules)))", path=path)
    assert done.returncode == 0, done.stderr
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}
    return loaded & {"jax", "jaxlib", "tensorflow", "keras", "tf2jax_port"}


def test_shims_load_no_framework_and_no_toolkit():
    assert unwanted("import shims") == set()


def test_an_operator_loads_jax_alone():
    assert unwanted("import shims; shims.add") == {"jax", "jaxlib"}


def test_the_test_can_fail(tmp_path):
    (tmp_path / "tensorflow.py").write_text("")
    (tmp_path / "keras.py").write_text("")
    code = "import jax, shims, tensorflow, keras, tf2jax_port"
    assert unwanted(code, path=[tmp_path]) == {
        *("jax", "jaxlib", "tensorflow", "keras", "tf2jax_port")
    }


WITHOUT_OPTAX = """
import importlib.util, os, tempfile
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, *args: None if name == "optax" else find_spec(name, *args)
import shims
import shims.saved_model
v = shims.Variable([1.0, 2.0])
path = shims.train.Checkpoint(v=v).save(os.path.join(tempfile.mkdtemp(), "saved"))
v.assign([0.0, 0.0])
shims.train.Checkpoint(v=v).restore(path)
print(v.numpy().tolist())
try:
    shims.optax.sgd(0.1)
except ImportError as error:
    print("pip install optax" in str(error))
"""


def test_checkpoints_need_no_optax():
    done = run_python(WITHOUT_OPTAX)
    assert done.stdout.splitlines() == ["[1.0, 2.0]", "True"], done.stderr


def import_under(version):
    """Imports `shims` where JAX says that it is `version`."""
    return run_python(
        "import jax, jax.version\n"
        f"jax.__version__ = jax.version.__version__ = {version!r}\n"
        f"jax.__version_info__ = jax.version.__version_info__ = {tuple(map(int, version.split('.')))}\n"
        "import shims\n"
        "print('imported')\n"
    )


def test_jax_0_10_2_is_refused_with_the_reason():
    done = import_under("0.10.2")
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert "0.10.2" in done.stderr
    assert "39103" in done.stderr


@pytest.mark.parametrize("version", ["0.9.0", "0.10.1", "0.11.0"])
def test_other_versions_are_not(version):
    done = import_under(version)
    assert (done.returncode, done.stdout.strip()) == (0, "imported"), done.stderr
