"""What the commands load, and how fast the help page is there."""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAVY = {"jax", "jaxlib", "tensorflow", "numpy", "keras"}
LIMIT = 0.15


def python(code, *arguments):
    environment = dict(os.environ, PYTHONPATH=str(ROOT))
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


LOADED = """
import json, sys
from tf2jax_port.cli import main
{extra}
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(json.dumps(sorted({{name.partition(".")[0] for name in sys.modules}})), file=sys.stderr)
"""


def loaded(*arguments, extra=""):
    done = python(LOADED.format(extra=extra), *arguments)
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_scan_and_rewrite_load_no_library(tmp_path):
    file = tmp_path / "a.py"
    file.write_text("import tensorflow as tf\n\ny = tf.boolean_mask(x, m)\n")
    for arguments in (["scan", str(file)], ["rewrite", "--write", str(file)], ["explain", "TJ101"]):
        assert loaded(*arguments) & HEAVY == set(), arguments
    assert "shims.boolean_mask" in file.read_text()


def test_the_help_page_loads_no_command():
    names = loaded("--help")
    assert names & HEAVY == set()
    assert "rich" not in names
    assert "json" in names  # the test's own import: the list is not empty


def test_the_test_can_fail():
    assert "jax" in loaded("--help", extra="import jax")


SECONDS = """
import resource, subprocess, sys
subprocess.run([sys.executable, "-c", sys.argv[1], "--help"], capture_output=True, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime)
"""
HELP = "from tf2jax_port.cli import main; main()"


def seconds(program):
    """Processor time of a program in a fresh interpreter, the best of some runs."""
    return min(float(python(SECONDS, program).stdout) for _ in range(5))


def test_help_is_fast():
    assert seconds(HELP) < LIMIT


def test_the_clock_can_fail():
    assert seconds("import jax; " + HELP) > LIMIT
