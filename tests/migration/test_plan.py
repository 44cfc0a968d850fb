"""`tf2jax-port plan` over a small code base."""

import json
import pathlib
import re
import xml.etree.ElementTree

import jsonschema
import pytest
from click.testing import CliRunner

from tests.html.reading import Page
from tf2jax_port.cli import main
from tf2jax_port.migration.imports import import_graph

SCHEMA = json.loads(
    (pathlib.Path(__file__).parents[2] / "docs/schemas/plan.schema.json").read_text()
)
FILES = {
    "app/__init__.py": "",
    "app/ops.py": "import tensorflow as tf\n\n\ndef f(x):\n    return tf.square(x)\n",
    "app/glue.py": "from app import ops\n",
    "app/model.py": (
        "import tensorflow as tf\n\nfrom . import glue\n\n\n"
        "def g(x):\n    tf.saved_model.save(x, 'x')\n    return tf.saved_model.load('x')\n"
    ),
    "app/left.py": "import tensorflow as tf\nfrom .right import b\n\na = tf.exp\n",
    "app/right.py": "import tensorflow as tf\nfrom . import left\n\nb = tf.exp(1.0)\n",
    "train.py": "import app.model\nimport tensorflow as tf\n\ntf.distribute.get_strategy()\n",
    "bare.py": "print('nothing of it')\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def run(*arguments):
    result = CliRunner().invoke(main, ["plan", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_the_document(folder):
    result = run(folder, "--format", "json")
    document = json.loads(result.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert result.exit_code == 1
    steps = [
        ([pathlib.Path(f).name for f in s["files"]], s["manual"], s["needs"], s["unlocks"])
        for s in document["steps"]
    ]
    # `glue.py` has no TensorFlow, and what it imports is needed through it.
    assert steps == [
        (["left.py", "right.py"], 0, [], []),
        (["ops.py"], 0, [], [3]),
        (["model.py"], 2, [2], [4]),
        (["train.py"], 1, [3], []),
    ]
    assert document["steps"][2]["blockers"] == [
        {"symbol": "tf.saved_model.load", "references": 1},
        {"symbol": "tf.saved_model.save", "references": 1},
    ]
    assert document["totals"]["files"] == 5


def test_the_schema_refuses_something_else():
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema": 2}, SCHEMA)


def test_the_text(folder):
    result = run(folder)
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "1 app/left.py 2" in lines
    assert "app/right.py" in lines
    assert "3 app/model.py 2 2 4" in lines
    said = " ".join(result.stdout.split())
    assert "5 files in 4 steps. `tf2jax-port rewrite --write` alone finishes 3 of them." in said
    assert "3 references must be rewritten by hand, and 0 must be reviewed." in said


@pytest.fixture
def page(folder, tmp_path):
    path = tmp_path / "plan.html"
    assert run(folder, "--html", path).exit_code == 1
    return path.read_text()


def test_the_picture(page):
    drawing = page[page.index("<svg") : page.index("</svg>") + len("</svg>")]
    root = xml.etree.ElementTree.fromstring(drawing)
    links = list(root.iter("{http://www.w3.org/2000/svg}a"))
    assert [link.get("aria-label") for link in links] == [
        "Step 1: app/left.py, app/right.py",
        "Step 2: app/ops.py",
        "Step 3: app/model.py",
        "Step 4: train.py",
    ]
    texts = ["".join(t.itertext()) for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[:3] == ["1", "app/left.py", "app/right.py"]
    arrows = list(root.iter("{http://www.w3.org/2000/svg}path"))
    assert [(a.get("data-from"), a.get("data-to")) for a in arrows] == [("2", "3"), ("3", "4")]


def test_boxes_are_as_wide_as_their_paths(folder, tmp_path):
    name = "a_folder_with_quite_a_long_name/and_another_one/and_the_file_itself.py"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text(FILES["app/ops.py"])
    run(folder, "--html", tmp_path / "plan.html")
    page = (tmp_path / "plan.html").read_text()
    assert f"{folder.as_posix()}/{name}" in Page(page).text
    label = page.index(f'aria-label="Step 1: {name}"')
    assert float(re.search(r' width="(\d+)"', page[label:])[1]) > 6.6 * len(name)


def test_each_step_says_why_it_is_there(page, folder):
    items = re.findall(r'<li id="step\d"[^>]*>.*?</li>', page, re.DOTALL)
    said = [Page(item).text.replace(f"{folder.as_posix()}/", "") for item in items]
    assert len(said) == 4
    assert (
        "Its files import each other. It imports no file with TensorFlow. 2 steps are possible here; "
        "2 app/ops.py has the same work, and its name comes later."
    ) in said[0]
    assert (
        "It imports no file with TensorFlow. It could have been step 1, but step 1 has less work, or the "
        "same work and an earlier name. No other step is possible here."
    ) in said[1]
    assert "Unlocks3 app/model.py" in said[1]
    assert "It imports 2 app/ops.py. No other step is possible here." in said[2]
    assert (
        "It imports 3 app/model.py. It has less work than step 3, but imports files of that step."
        in said[3]
    )


def test_nothing_to_do(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n")
    result = run(tmp_path)
    assert (result.exit_code, result.stdout.strip()) == (0, "No reference to TensorFlow.")


def test_a_file_that_cannot_be_read_is_named(folder):
    (folder / "broken.py").write_text("import tensorflow as tf\ndef f(:\n")
    result = run(folder, "--format", "json")
    (skipped,) = json.loads(result.stdout)["skipped"]
    assert skipped["code"] == "TJ901"
    assert "broken.py" in result.stderr


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ("import app.ops", "app/ops.py"),
        ("import app.ops as o", "app/ops.py"),
        ("from app.ops import f", "app/ops.py"),
        ("from app import *", "app/__init__.py"),
        ("def late():\n    import app.model", "app/model.py"),
        ("import numpy.ops", None),
    ],
)
def test_what_is_imported(folder, line, target):
    path = folder / "user.py"
    path.write_text(line + "\n")
    files = [folder / name for name in FILES] + [path]
    graph = import_graph({f: f.read_bytes() for f in files})
    assert graph[path] == ({folder / target} if target else set())
