"""What happens to files when things go wrong: each is the old one or the new one, never a third."""

import json
import os
import pathlib
import random
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time

import pytest

from tests.meta import tree
from tf2jax_port.cli import files as cli_files
from tf2jax_port.cli.files import write_entry
from tf2jax_port.files import code_base, runs
from tf2jax_port.paths.exclusion import Exclusion
from tf2jax_port.paths.whole_files import ChangedMeanwhileError
from tf2jax_port.rewrite.findings.ledger import Entry, Skipped
from tf2jax_port.rewrite.options import Options

OLD = "import tensorflow as tf\n\ny = tf.square(x)\n"
NEW = "import jax.numpy as jnp\n\ny = jnp.square(x)\n"
COUNT = 60
COMMAND = "from tf2jax_port.cli import main; main()"


def entry_of(path):
    return code_base.run_one(path, path.parent, Options())


@pytest.fixture
def many(folder):
    """Files of some length, so that a run takes a while."""
    rest = "".join(f"def f{n}(x):\n    return tf.exp(x) + {n}\n\n\n" for n in range(40))
    old = f"import tensorflow as tf\n\n\n{rest}"
    paths = [folder / f"m{n:02}.py" for n in range(COUNT)]
    for path in paths:
        path.write_text(old)
    new = code_base.run_one(paths[0], folder, Options()).outcome.data.decode()
    assert new != old
    return paths, old, new


def start(folder, *words):
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "rewrite", str(folder), "--write", "--isolated", *words],
        env=dict(os.environ, PYTHONPATH=str(tree.ROOT)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def leftovers(folder):
    return [path.name for path in folder.iterdir() if path.suffix != ".py"]


def test_killed_at_any_moment(folder, many):
    """Runs are killed at random moments until one of them was let through to the end."""
    paths, old, new = many
    draw = random.Random(0)
    states = set()
    for attempt in range(40):
        for path in paths[:-1]:
            path.write_text(old)
        process = start(folder)
        deadline = time.monotonic() + 60
        while paths[0].read_text() == old and process.poll() is None:
            assert time.monotonic() < deadline, "the first file is never written"
            time.sleep(0.001)
        time.sleep(draw.uniform(0, 0.08) * (attempt % 4))
        process.kill()
        process.wait()
        texts = [path.read_text() for path in paths]
        assert set(texts) <= {old, new}
        states.add(texts.count(new))
        if attempt >= 8 and len(states) > 3:
            break
    assert any(0 < written < COUNT for written in states), states
    process = start(folder)
    assert process.wait() == 0
    assert {path.read_text() for path in paths} == {new}
    assert leftovers(folder) == []


def test_killed_between_writing_and_renaming(folder):
    """The half-written file of a dead process is no program, and goes away with the next run."""
    path = folder / "a.py"
    path.write_text(OLD)
    script = (
        "import os, pathlib, signal, sys\n"
        "os.replace = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"sys.argv = ['tf2jax-port', 'rewrite', '--write', {str(path)!r}]\n" + COMMAND
    )
    killed = subprocess.run(
        [sys.executable, "-c", script],
        env=dict(os.environ, PYTHONPATH=str(tree.ROOT)),
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert path.read_text() == OLD
    assert len(leftovers(folder)) == 1
    assert [file for file, _ in code_base.find_files([str(folder)])] == [path]
    write_entry(entry_of(path))
    assert path.read_text() == NEW
    assert leftovers(folder) == []


def test_what_a_running_process_is_writing_stays(folder):
    path = folder / "a.py"
    path.write_text(OLD)
    other = folder / f".a.py.{os.getppid()}.tf2jax-new"
    other.write_text("not finished")
    stranger = folder / ".a.py.note"
    stranger.write_text("mine")
    write_entry(entry_of(path))
    assert sorted(leftovers(folder)) == sorted([other.name, stranger.name])


def test_two_runs_at_once(folder, many):
    paths, _, new = many
    processes = [start(folder) for _ in range(2)]
    codes = [process.wait(timeout=120) for process in processes]
    assert {path.read_text() for path in paths} == {new}
    assert leftovers(folder) == []
    # Whoever found that the other had been faster says so, with 2.
    assert set(codes) <= {0, 2}


def test_a_reader_sees_the_old_or_the_new(folder, many):
    paths, old, new = many
    seen, done = set(), threading.Event()

    def read():
        while not done.is_set():
            seen.update(path.read_text() for path in paths)

    reader = threading.Thread(target=read)
    reader.start()
    for path in paths:
        write_entry(entry_of(path))
    done.set()
    reader.join()
    assert seen <= {old, new}


def test_a_file_that_changed_meanwhile_is_left_alone(folder, run, monkeypatch):
    path = folder / "a.py"
    path.write_text(OLD)
    entry = entry_of(path)
    path.write_text(OLD + "# mine\n")
    with pytest.raises(ChangedMeanwhileError):
        write_entry(entry)
    assert path.read_text() == OLD + "# mine\n"
    assert leftovers(folder) == []

    def slow(entry):
        path.write_text(path.read_text() + "# mine again\n")
        write_entry(entry)

    monkeypatch.setattr("tf2jax_port.cli.changes.write_entry", slow)
    result = run("rewrite", "--write", "a.py")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "a.py: TJ909 the file was changed by another program while it was being rewritten; run the rewriter again\n"
        "0 of 1 files rewritten."
    )
    assert path.read_text() == OLD + "# mine\n# mine again\n"
    document = json.loads(run("rewrite", "--write", "a.py", "--format", "json").stdout)
    assert [skipped["code"] for skipped in document["skipped"]] == ["TJ909"]


def test_a_file_that_is_gone_is_not_made_again(folder):
    path = folder / "a.py"
    path.write_text(OLD)
    entry = entry_of(path)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        write_entry(entry)
    assert list(folder.iterdir()) == []


def test_links_are_written_through_and_stay_links(folder):
    (folder / "real").mkdir()
    real, link = folder / "real" / "a.py", folder / "link.py"
    real.write_text(OLD)
    real.chmod(0o640)
    link.symlink_to(real)
    write_entry(code_base.run_one(link, folder, Options()))
    assert link.is_symlink()
    assert real.read_text() == NEW
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_linked_parent_that_leads_away(folder, tmp_path_factory):
    """`a/..` through a link is somewhere else; the real place is what counts."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "b.py").write_text(OLD)
    (folder / "a").symlink_to(outside, target_is_directory=True)
    (folder / "c.py").symlink_to(folder / "a" / "b.py")
    result = code_base.run_one(folder / "c.py", folder, Options())
    assert isinstance(result, Skipped)
    assert result.code == "TJ906"


def test_a_circle_of_links(folder, run):
    (folder / "a.py").symlink_to(folder / "b.py")
    (folder / "b.py").symlink_to(folder / "a.py")
    result = run("scan", ".")
    assert result.exit_code == 2
    assert result.stderr.count("TJ907") == 2


STRANGE = {
    "a pipe": (
        lambda path: os.mkfifo(path),
        ("TJ907", "the path is a pipe or a device, not a file"),
    ),
    "too large": (
        lambda path: path.write_bytes(b"x = 1\n" * 700_000),
        ("TJ908", "the file has 4,200,000 bytes, but at most 4,000,000 bytes are read"),
    ),
    "zero bytes": (
        lambda path: path.write_bytes(b"tensorflow\0"),
        ("TJ902", "the file contains null bytes, so it is not a text file"),
    ),
    "deep": (
        lambda path: path.write_text("import tensorflow\n" + "-" * 5000 + "1\n"),
        ("TJ903", "expressions are nested too deeply"),
    ),
    "nothing": (lambda path: None, ("TJ907", "No such file or directory")),
}


@pytest.mark.parametrize(("make", "expected"), STRANGE.values(), ids=STRANGE)
def test_what_is_no_program(folder, run, make, expected):
    (folder / "good.py").write_text(OLD)
    make(folder / "strange.py")
    result = run("rewrite", "--write", "strange.py", "good.py")
    code, reason = expected
    assert result.stderr.startswith(f"strange.py: {code} {reason}\n")
    assert result.exit_code == (2 if code == "TJ907" else 1)
    assert (folder / "good.py").read_text() == NEW  # one file does not end a run


def test_nested_deeply_but_not_too_deeply(folder):
    path = folder / "a.py"
    path.write_text("import tensorflow as tf\ny = " + "tf.square(" * 150 + "x" + ")" * 150 + "\n")
    entry = entry_of(path)
    assert isinstance(entry, Entry)
    assert entry.outcome.data.count(b"jnp.square(") == 150


@pytest.mark.parametrize("depth", [150, 190, 400, 900, 3000])
@pytest.mark.parametrize(
    "form",
    [
        lambda n: "tf.square(" * n + "x" + ")" * n,
        lambda n: "[" * n + "tf.exp" + "]" * n,
        lambda n: "tf.exp(x)" + " + tf.exp(x)" * n,
        lambda n: "tf" + ".foo" * n,
        lambda n: "lambda: " * n + "tf.exp(x)",
        lambda n: "x if tf.exp(x) else " * n + "x",
    ],
)
def test_any_depth_ends_in_a_result(folder, form, depth):
    path = folder / "a.py"
    path.write_text(f"import tensorflow as tf\ny = {form(depth)}\n")
    result = entry_of(path)
    if isinstance(result, Skipped):
        assert result.code in ("TJ901", "TJ903"), result.reason


def test_a_fault_of_the_rewriter_is_told(folder, run, monkeypatch):
    for name in ("a.py", "b.py"):
        (folder / name).write_text(OLD)
    usual = code_base.rewrite

    def broken(raw, *arguments, **options):
        if b"a" in raw and broken.first:
            broken.first = False
            raise KeyError("oops")
        return usual(raw, *arguments, **options)

    broken.first = True
    monkeypatch.setattr(code_base, "rewrite", broken)
    result = run("rewrite", "--write", ".")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "a.py: TJ905 this is an error in tf2jax-port: KeyError at test_safety.py:"
    )
    assert (folder / "a.py").read_text() == OLD
    assert (folder / "b.py").read_text() == NEW


def test_a_folder_that_cannot_be_read_is_told(folder, monkeypatch):
    (folder / "locked").mkdir()
    walk = os.walk

    def refuse(root, onerror):
        onerror(PermissionError(13, "Permission denied", str(folder / "locked")))
        return walk(root, onerror=onerror)

    monkeypatch.setattr(code_base.os, "walk", refuse)
    files = list(code_base.find_files([str(folder)], Exclusion()))
    (result,) = runs.run_over(files, Options())
    assert result == Skipped(str(folder / "locked"), "TJ907", "the folder cannot be read")


def test_owner_and_hidden_bits_stay(folder, monkeypatch):
    path = folder / "a.py"
    path.write_text(OLD)
    path.chmod(0o755)
    owners = []
    monkeypatch.setattr(cli_files.os, "chown", lambda name, u, g, **_: owners.append((u, g)))
    write_entry(entry_of(path))
    status = path.stat()
    assert stat.S_IMODE(status.st_mode) == 0o755
    assert owners == [(status.st_uid, status.st_gid)]


def test_a_file_in_the_current_folder_by_its_bare_name(folder, run):
    pathlib.Path("a.py").write_text(OLD)
    assert run("rewrite", "--write", "a.py").exit_code == 0
    assert (folder / "a.py").read_text() == NEW


def alive(processes):
    """Those of some processes that still do something; what nobody has collected does not."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,stat=", "-p", ",".join(map(str, processes))],
        capture_output=True,
        text=True,
        check=False,
    )
    rows = [line.split() for line in listed.stdout.splitlines()]
    return [int(number) for number, state in rows if not state.startswith("Z")]


@pytest.mark.skipif(shutil.which("ps") is None, reason="`ps` lists the helpers of a run")
def test_helpers_end_with_a_killed_run(folder, many):
    process = start(folder, "--jobs", "2")
    started = time.monotonic()
    helpers = []
    while len(helpers) < 2:
        assert time.monotonic() < started + 60, "no process was started"
        listed = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(process.pid)],
            capture_output=True,
            text=True,
            check=False,
        )
        helpers = [int(line) for line in listed.stdout.split()]
        if process.poll() is not None:
            pytest.fail("the run was over before its helpers were seen")
    process.kill()
    process.wait()
    while alive(helpers):
        assert time.monotonic() < started + 60, "a helper goes on"
        time.sleep(0.05)
    paths, old, new = many
    assert {path.read_text() for path in paths} <= {old, new}
