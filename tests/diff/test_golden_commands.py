"""`tf2jax-port record` and `verify` from outside: files, messages, exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from click.testing import CliRunner

from tf2jax_port.cli.goldens import record, verify

from .test_command import CASES, NEW, OLD, ROOT


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a golden of `total`; TensorFlow was there when it was made."""
    place = tmp_path_factory.mktemp("goldens")
    for name, text in (("old.py", OLD), ("new.py", NEW), ("cases.py", CASES)):
        (place / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.setattr(sys, "path", list(sys.path))
        done = invoke(record, "old.py:total", "--inputs", "cases.py", "-o", "a.golden")
        assert done.exit_code == 0, done.output
        assert done.stdout.startswith("Written: a.golden (2 cases, 2 of them with results, ")
        patch.setitem(sys.modules, "tensorflow", None)
        yield place


def invoke(command, *arguments: str):
    return CliRunner().invoke(command, arguments)


def test_a_port_against_a_golden(folder):
    done = invoke(verify, "a.golden", "new.py:total", "--junit", "out.xml", "--json", "out.json")
    assert done.exit_code == 1, done.output
    assert "NOT EQUAL: the gradient for" in done.stdout
    suite = ElementTree.parse(folder / "out.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "3", "0")
    text = suite.find("testcase/failure").text
    assert text.splitlines()[0].startswith("NOT EQUAL: the gradient for")
    assert text.splitlines()[-1] == "Again: tf2jax-port verify a.golden new.py:total --case 0"


def test_one_case(folder):
    assert invoke(verify, "a.golden", "new.py:total", "--case", "1").exit_code == 0
    done = invoke(verify, "a.golden", "new.py:total", "--case", "5")
    assert done.exit_code == 2
    assert (
        done.stderr
        == "--case 5: there is no case with this number.\n  Required: a number from 0 to 1\n"
    )


def test_a_golden_without_results_is_not_written(folder):
    (folder / "raising.py").write_text(
        "def raising(*given, **named):\n    raise ValueError('no')\n"
    )
    words = ("raising.py:raising", "--inputs", "cases.py", "-o", "none.golden")
    done = invoke(record, *words, "--framework", "jax")
    assert done.exit_code == 2
    assert "raising.py:raising: no case has a result, so no golden is written" in done.stderr
    assert not (folder / "none.golden").exists()


def test_a_golden_is_not_overwritten_unasked(folder):
    before = (folder / "a.golden").read_bytes()
    done = invoke(record, "new.py:total", "--inputs", "cases.py", "-o", "a.golden")
    assert done.exit_code == 2
    assert done.stderr == (
        "a.golden: the file already exists.\n  Do:       use --update, which replaces the file and shows the changes\n"
    )
    assert (folder / "a.golden").read_bytes() == before


def test_an_update_shows_what_changes(folder):
    words = ("new.py:half", "--inputs", "cases.py", "-o", "b.golden", "--framework", "jax")
    assert invoke(record, *words).exit_code == 0
    before = (folder / "b.golden").read_bytes()
    done = invoke(record, *words, "--update")
    assert (done.exit_code, done.stdout) == (0, "b.golden: nothing changes.\n")
    assert (folder / "b.golden").read_bytes() == before
    done = invoke(record, "new.py:total", *words[1:], "--update")
    assert done.stdout.splitlines()[:2] == [
        "original: new.py:half became new.py:total",
        "case 0: TF eager, output: float32[3] became float32[]",
    ]
    assert (folder / "b.golden").read_bytes() != before


def test_a_golden_that_is_none(folder):
    done = invoke(verify, "new.py", "new.py:half")
    assert done.exit_code == 2
    assert done.stderr.splitlines()[:2] == [
        "new.py: this golden is damaged and cannot be used.",
        "  Received: the first bytes of the file are not the beginning of a safetensors file",
    ]
    done = invoke(verify, "nothing.golden", "new.py:half")
    assert (
        done.stderr
        == "nothing.golden: the golden cannot be read.\n  Received: No such file or directory\n"
    )


def test_verify_loads_neither_framework_before_the_golden_is_read(folder):
    program = (
        "import sys\n"
        "from tf2jax_port.cli.goldens import verify\n"
        "try: verify(['new.py', 'new.py:half'])\n"
        "except SystemExit as end: print(end.code)\n"
        "print([m for m in ('tensorflow', 'jax', 'ssl', 'urllib.request') if m in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "2\n[]\n"
