"""Names of TensorFlow that one module of a project gets from another."""

import pytest

from tf2jax_port.files import code_base, runs
from tf2jax_port.rewrite import rewrite
from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options


def run(folder, files, **options):
    """`{file: (text after, symbols)}` of a project."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    places = list(code_base.find_files([str(folder)]))
    results = {}
    for entry in runs.run_over(places, Options(**options)):
        name = entry.path.removeprefix(f"{folder}/")
        symbols = [(finding.symbol, finding.code) for finding in entry.outcome.findings]
        results[name] = (entry.outcome.data.decode(), symbols)
    return results


IMPORT = "import tensorflow as tf\n"
JNP = "import jax.numpy as jnp\n"

# What the modules around it say, what the file says, and what becomes of it.
HANDED_ON = {
    "by a module beside it": (
        {"p/__init__.py": "", "p/utils.py": IMPORT},
        "from .utils import tf\ny = tf.square(x)\n",
        JNP + "y = jnp.square(x)\n",
    ),
    "by its package": (
        {"p/__init__.py": IMPORT},
        "from . import tf\ny = tf.square(x)\n",
        JNP + "y = jnp.square(x)\n",
    ),
    "by an absolute name": (
        {"p/__init__.py": "", "p/env/__init__.py": "", "p/env/compat.py": IMPORT},
        "from p.env.compat import tf\ny = tf.square(x)\n",
        JNP + "y = jnp.square(x)\n",
    ),
    "under another name": (
        {"p/compat.py": "import tensorflow.compat.v1 as tfv1\n"},
        "from .compat import tfv1 as t\ny = t.square(x)\n",
        JNP + "y = jnp.square(x)\n",
    ),
    "as an attribute": (
        {"p/compat.py": IMPORT + "eps = 1\n"},
        "import p.compat as c\ny = c.tf.square(x) + c.eps\n",
        JNP + "import p.compat as c\ny = jnp.square(x) + c.eps\n",
    ),
    "as an attribute of a path": (
        {"p/__init__.py": "", "p/compat.py": IMPORT},
        "import p.compat\ny = p.compat.tf.square(x) + p.compat.z\n",
        JNP + "import p.compat\ny = jnp.square(x) + p.compat.z\n",
    ),
    "as an attribute of an imported module": (
        {"p/__init__.py": "", "p/compat.py": IMPORT},
        "from . import compat\ny = compat.tf.square(x)\n",
        JNP + "y = jnp.square(x)\n",
    ),
    "by a module that is TensorFlow by its star": (
        {"p/compat.py": "from tensorflow.compat.v1 import *\n\n\ndef run():\n    pass\n"},
        "import p.compat as tf\ny = tf.square(x)\ntf.run()\n",
        JNP + "import p.compat as tf\ny = jnp.square(x)\ntf.run()\n",
    ),
    "by a star import of it": (
        {"p/common.py": IMPORT},
        "from .common import *\ny = tf.square(x)\n",
        JNP + "from .common import *\ny = jnp.square(x)\n",
    ),
    "through several modules": (
        {"p/a.py": IMPORT, "p/b.py": "from .a import tf as t\n", "p/c.py": "from .b import *\n"},
        "from .c import t\ny = t.square(x)\n",
        JNP + "y = jnp.square(x)\n",
    ),
    "in a branch": (
        {
            "p/compat.py": "try:\n    import tensorflow.compat.v1 as tf\n"
            "except ImportError:\n    import tensorflow as tf\n"
        },
        "from .compat import tf\ny = tf.square(x)\n",
        JNP + "y = jnp.square(x)\n",
    ),
    "by an alias": (
        {"p/compat.py": "import tensorflow\ntf = tensorflow.compat.v2\n"},
        "from .compat import tf\ny = tf.square(x)\n",
        JNP + "y = jnp.square(x)\n",
    ),
    "a module of TensorFlow": (
        {"p/compat.py": IMPORT + "m = tf.math\n"},
        "from .compat import m\ny = m.square(x)\n",
        JNP + "y = jnp.square(x)\n",
    ),
    "an operator": (
        {"p/compat.py": "from tensorflow import square\n"},
        "from .compat import square\ny = square(x)\n",
        JNP + "y = jnp.square(x)\n",
    ),
    "in a circle": (
        {"p/a.py": IMPORT + "from .file import y\n"},
        "from .a import tf\ny = tf.square(x)\n",
        JNP + "y = jnp.square(x)\n",
    ),
    "to a script": (
        {"utils.py": IMPORT},
        "from utils import tf\ny = tf.square(x)\n",
        JNP + "y = jnp.square(x)\n",
    ),
    "from below `src`": (
        {"src/lib/__init__.py": "", "src/lib/compat.py": IMPORT},
        "from lib.compat import tf\ny = tf.square(x)\n",
        JNP + "y = jnp.square(x)\n",
    ),
}

NOT_HANDED_ON = {
    "another name": ({"p/utils.py": IMPORT + "z = 1\n"}, "from .utils import z\nz.square(x)\n"),
    "a function of that name": (
        {"p/utils.py": IMPORT + "\n\ndef square(x):\n    return tf.square(x)\n"},
        "from .utils import square\ny = square(x)\n",
    ),
    "another module of that name": (
        {"p/utils.py": "import numpy as tf\n", "utils.py": IMPORT},
        "from .utils import tf\ny = tf.square(x)\n",
    ),
    "a parameter of that name": (
        {"p/utils.py": IMPORT},
        "from . import utils\n\n\ndef f(tf):\n    return tf.square(utils.y)\n",
    ),
    "nothing": ({"p/utils.py": ""}, "from .utils import tf\ny = tf.square(x)\n"),
    "a module outside": ({}, "from other.utils import tf\ny = tf.square(x)\n"),
    "a file that is no Python": (
        {"p/utils.py": IMPORT + "print 1\n"},
        "from .utils import tf\ny = tf.square(x)\n",
    ),
}


@pytest.mark.parametrize("case", HANDED_ON.values(), ids=HANDED_ON)
def test_handed_on(case, tmp_path):
    around, before, after = case
    text, symbols = run(tmp_path, {**around, "p/file.py": before})["p/file.py"]
    assert text == after
    assert [symbol.removeprefix("tf.math.").removeprefix("tf.") for symbol, _ in symbols] == [
        "square"
    ]


@pytest.mark.parametrize("case", NOT_HANDED_ON.values(), ids=NOT_HANDED_ON)
def test_not_handed_on(case, tmp_path):
    around, before = case
    for name, text in {**around, "p/file.py": before}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    places = [(tmp_path / "p/file.py", tmp_path)]
    (entry,) = runs.run_over(places, Options())
    assert entry.outcome.findings == ()
    assert entry.outcome.data.decode() == before


def test_who_hands_on_keeps_the_import(tmp_path):
    own = IMPORT + "y = tf.square(x)\n"
    found = run(tmp_path, {"a.py": own, "b.py": own, "c.py": "from a import tf\nz = tf.foo\n"})
    assert found["a.py"][0] == IMPORT + JNP + "y = jnp.square(x)\n"
    assert found["b.py"][0] == JNP + "y = jnp.square(x)\n"


@pytest.mark.parametrize(
    "user",
    ["import a\nz = a.tf.foo\n", "from a import *\nz = tf.foo\n", "import a as q; q. tf.foo\n"],
)
def test_every_way_to_take_it_keeps_the_import(user, tmp_path):
    found = run(tmp_path, {"a.py": IMPORT + "y = tf.square(x)\n", "b.py": user})
    assert found["a.py"][0] == IMPORT + JNP + "y = jnp.square(x)\n"
    assert found["b.py"][1] == [("tf.foo", "TJ301")]


def test_who_hands_on_keeps_it_for_shims_too(tmp_path):
    files = {"a.py": IMPORT + "y = tf.square(x)\n", "c.py": "from a import tf\nz = tf.foo\n"}
    found = run(tmp_path, files, target="shims")
    assert found["a.py"][0] == IMPORT + "import shims\ny = shims.square(x)\n"


def test_names_of_two_versions_are_told_what_to_delete():
    code = (
        "try:\n    from tensorflow.nn import relu\nexcept ImportError:\n"
        "    from tensorflow.math import square as relu\ny = relu(x)\n"
    )
    (finding, *_) = rewrite(code.encode()).findings
    assert finding.code == "TJ305"
    assert "delete the branch for the version that you do not use" in finding.message


def test_what_a_module_changes_is_ambiguous(tmp_path):
    compat = "from tensorflow.compat.v1 import *\n\nnn = changed(nn)\n"
    user = "import compat as tf\ny = tf.nn.relu(x)\n"
    found = run(tmp_path, {"compat.py": compat, "b.py": user})
    assert found["b.py"][1] == [("tf.nn.relu", "TJ305")]


def test_a_second_run_changes_nothing(tmp_path):
    files = {
        "p/__init__.py": IMPORT,
        "p/a.py": IMPORT + "y = tf.square(x)\n",
        "p/b.py": "from .a import tf\ny = tf.square(x)\nz = tf.foo(x)\n",
        "p/c.py": "from . import a\nfrom p import tf\ny = a.tf.abs(x) + tf.square(x)\n",
    }
    once = {name: text for name, (text, _) in run(tmp_path, files).items()}
    twice = {name: text for name, (text, _) in run(tmp_path, once).items()}
    assert twice == once
    assert once != files


def test_files_are_not_read_behind_links(tmp_path):
    outside = tmp_path / "outside.py"
    outside.write_text(IMPORT)
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "compat.py").symlink_to(outside)
    (folder / "a.py").write_text("from compat import tf\ny = tf.square(x)\n")
    (entry,) = runs.run_over([(folder / "a.py", folder)], Options())
    assert entry.outcome.findings == ()


def test_the_states_are_what_they_would_be(tmp_path):
    found = run(tmp_path, {"a.py": IMPORT, "b.py": "from a import tf\ny = tf.foo(x)\n"})
    assert found["b.py"][0].splitlines()[1] == "# TJ301: tf.foo: TensorFlow has no such name"
    assert State.MANUAL.needs_person


def test_a_second_run_changes_nothing_where_a_module_is_imported_whole(tmp_path):
    files = {
        "p/__init__.py": "",
        "p/base.py": "from tensorflow import keras\n\nEPS = 1\n",
        "p/top.py": IMPORT + "import p.base\n\ny = tf.keras.layers.Dense(3)(p.base.EPS)\n",
    }
    once = {name: text for name, (text, _) in run(tmp_path, files).items()}
    assert once["p/base.py"] == files["p/base.py"]
    assert ".keras" not in once["p/top.py"]
    twice = {name: text for name, (text, _) in run(tmp_path, once).items()}
    assert {**once, **twice} == once
