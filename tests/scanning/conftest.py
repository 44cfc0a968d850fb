"""A small code base with something of each state."""

import pytest
from click.testing import CliRunner

from tf2jax_port.cli import main

FILES = {
    "app/ops.py": "import tensorflow as tf\n\n\ndef f(x):\n    return tf.square(x)\n",
    "app/corner.py": "import tensorflow as tf\n\ny = tf.maximum(\n    x, '<b>&'\n)\n",
    "app/deep/model.py": (
        "import tensorflow as tf\n\n"
        "y = tf.foo(tf.unique(x))\nz = tf.foo(y)\nw = tf.bar(z)  # tf2jax: ignore\n"
    ),
    "train.py": "import tensorflow as tf\n\nd = 'ä'; tf.foo(d)\n",
    "bare.py": "print('nothing of it')\n",
    "broken.py": "import tensorflow as tf\ndef f(:\n",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run():
    def invoke(*words, **options):
        return CliRunner().invoke(main, list(map(str, words)), catch_exceptions=False, **options)

    return invoke
