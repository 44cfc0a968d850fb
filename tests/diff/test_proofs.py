"""The proof of a code base: what is said of each function, in every format, and what is replayed again."""

import importlib
import json
import os
import re
import signal
import subprocess
import sys
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest

from tests.diff.made_proof import MODULE, SOURCE, call, calls_of, lanes_of, made_proof, write_root
from tests.diff.test_containment import ROOT
from tests.diff.test_processes_end import marked, wait_for
from tests.scanning.test_sarif import check
from tf2jax_port.cli import next_step
from tf2jax_port.diff.code_bases import order, prove, replay_program
from tf2jax_port.diff.code_bases.call_file import Calls
from tf2jax_port.diff.code_bases.kept import keys
from tf2jax_port.diff.code_bases.outcomes import Outcome, Replayed
from tf2jax_port.diff.code_bases.port_files import PortFiles
from tf2jax_port.diff.code_bases.reached import Watch
from tf2jax_port.diff.code_bases.replay import LANES
from tf2jax_port.diff.code_bases.slopes import GRADIENTS
from tf2jax_port.diff.proofs import (
    as_github,
    as_html,
    as_json,
    as_junit,
    as_sarif,
    as_text,
    watching,
)
from tf2jax_port.diff.proofs.judging import judged
from tf2jax_port.diff.proofs.wording import headline

SCHEMA = json.loads((ROOT / "docs" / "schemas" / "proof.schema.json").read_text())


@pytest.fixture
def root(tmp_path):
    return write_root(tmp_path)


@pytest.fixture
def proof(root):
    return made_proof(root)


def test_each_function_has_a_status_and_a_place(proof):
    found = {row.function[1]: (row.status.value, row.line, row.why) for row in proof.rows}
    assert found == {
        "leaf": (
            "different",
            3,
            "1 of 2 calls: value 0: 1 became <2>; only calls with different results reach line 3",
        ),
        "outer": ("different", 6, "1 of 1 call: value 0"),
        "raises": (
            "fails under jit",
            11,
            "1 of 1 call under jit: NameError: tf; TJ301 must be written by hand",
        ),
        "limited": (
            "equal within limits",
            13,
            "; ".join(f"under {lane}: with 64 bits" for lane in LANES),
        ),
        "proved": ("proved", 16, "1 call in 3 lanes (eager, jit, function)"),
        "unfit": (
            "could not be replayed",
            19,
            "the calls of the function cannot be replayed (reason: <text>)",
        ),
        "idle": ("not reached", 22, "no recorded call reaches the function"),
        "plain": ("no tensors", 25, "no tensor passes through the function"),
    }


def test_a_fault_is_told_where_it_begins(proof):
    assert [row.function[1] for row in proof.faults] == ["leaf", "raises"]
    assert headline(proof) == (
        "module.leaf gives different values (module.py:3), in 1 of 2 calls: value 0: 1 became <2>; "
        "only calls with different results reach line 3; 1 function that calls it is wrong, too; "
        "1 other fault begins elsewhere"
    )
    leaf, outer = (next(r for r in proof.rows if r.function[1] == n) for n in ("leaf", "outer"))
    assert (leaf.lines.text, leaf.branches.total, outer.origins) == (
        "100 %",
        2,
        ((MODULE, "leaf"),),
    )


def test_gradients_that_differ_are_not_called_values(root):
    """The values are right in every lane; the remedy keeps the gradients, too."""
    calls = calls_of("leaf", "leaf")
    results = {
        **lanes_of(0, Outcome.EQUAL, lines=[2, 4]),
        **lanes_of(1, Outcome.EQUAL, lines=[2, 3]),
    }
    results[1, GRADIENTS] = Replayed(
        Outcome.DIFFERENT, "the gradient with respect to x: 1 became 2"
    )
    assert headline(judged(calls, results, root)) == (
        "module.leaf gives other gradients (module.py:3), in 1 of 2 calls with gradients: the gradient with "
        "respect to x: 1 became 2; only calls with different results reach line 3; `rewrite --exact` keeps TensorFlow's gradients"
    )


@pytest.mark.parametrize(
    ("names", "outcome", "detail", "verdict", "code"),
    [
        (("proved",), Outcome.EQUAL, "", "limited", 3),  # others are not reached
        (("proved",), Outcome.ERROR, "no", "different", 1),
        ((), None, "", "inconclusive", 4),
        (("unfit",), None, "", "inconclusive", 4),
        (("proved", "unfit"), Outcome.EQUAL, "", "not replayed", 5),
        (
            ("leaf", "outer", "raises", "limited", "proved", "unfit2", "idle"),
            *(Outcome.EQUAL, "", "equal", 0),
        ),
    ],
)
def test_every_verdict_has_an_exit_code(root, names, outcome, detail, verdict, code):
    if "unfit2" in names:
        path = root / "package" / "module.py"
        path.write_text(SOURCE.replace("def unfit", "def unfit2"))
    calls = calls_of(*names)
    results = {}
    for index, each in enumerate(calls.calls):
        results.update({} if each.unfit else lanes_of(index, outcome, detail))
    found = judged(calls, results, root)
    assert (found.verdict, found.exit_code) == (verdict, code)
    jsonschema.validate(as_json.to_document(found), SCHEMA)


def test_the_json_is_what_its_schema_says(proof):
    document = json.loads(json.dumps(as_json.to_document(proof)))
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.validate(document)
    assert document["faults"] == ["package.module.leaf", "package.module.raises"]
    document["files"][0]["functions"][0]["status"] = "fine"
    assert list(validator.iter_errors(document))


def test_the_formats_of_other_programs(proof, monkeypatch):
    monkeypatch.chdir(proof.root)
    suites = ElementTree.fromstring(as_junit.to_junit(proof))
    (suite,) = suites
    assert suite.attrib == {
        "name": "package/module.py",
        "tests": "7",
        "failures": "3",
        "skipped": "2",
        "errors": "0",
    }
    run = check(as_sarif.to_document(proof))
    levels = {r["properties"]["function"]: r["level"] for r in run["results"]}
    assert (levels["package.module.leaf"], levels["package.module.outer"]) == ("error", "warning")
    assert "package.module.proved" not in levels
    assert next(as_github.to_lines(proof)).startswith(
        "::error title=tf2jax-port prove,file=package/module.py,line=3::module.leaf: different"
    )


def test_the_pages_are_linked_and_escape_what_they_show(proof):
    pages = as_html.to_pages(proof)
    assert len(pages) == 2
    for text in pages.values():
        assert "<2>" not in text
        assert not re.search(r"""src\s*=|@import|url\(""", text)
        for target, anchor in re.findall(r'href="([^"#]*)#?([^"]*)"', text):
            there = pages[target] if target else text
            assert not anchor or f'id="{anchor}"' in there
    assert "module.leaf gives different values" in pages[as_html.INDEX]
    page = next(text for name, text in pages.items() if "package.module" in name)
    assert '<code class="fault" data-n="3">        <span class="k">return</span> x * ' in page
    assert '<code class="ran" data-n="2">' in page
    assert '<code class="missed" data-n="23">' in page


def test_the_text_begins_with_what_is_wrong(proof):
    from rich.console import Console

    console = Console(width=100, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    for part in as_text.to_renderables(proof):
        console.print(part)
    text = console.export_text()
    console.file.close()
    assert text.startswith("NOT EQUAL: module.leaf gives different values")
    assert "package/module.py:11: module.raises: fails under jit" in text
    assert " ".join(text.split()).endswith("where the original has gradients.")


def test_functions_that_call_each_other_are_each_where_a_fault_begins():
    a, b, c, d = ((MODULE, name) for name in "abcd")
    edges = {(a, b), (b, c), (c, b), (c, d), (a, a)}
    assert order.leaves_first([a, b, c, d], edges) == [d, c, b, a]
    assert order.origins({a, b, c}, edges) == {a: [b, c], b: [], c: []}
    assert order.origins({a, d}, edges) == {a: [d], d: []}


def test_only_an_edit_of_what_is_imported_changes_a_key(root):
    files = {
        "used.py": "from package.deep import constant\n",
        "deep.py": "constant = 1\n",
        "other.py": "x = 1\n",
        "module.py": "from . import used\nimport package.missing\n" + SOURCE,
    }
    for name, text in files.items():
        (root / "package" / name).write_text(text)
    calls = calls_of("leaf")

    def key():
        return keys(calls, PortFiles(root))

    first = key()
    (root / "package" / "other.py").write_text("x = 2\n")
    assert key() == first
    for name in ("deep.py", "module.py", "__init__.py"):
        before = key()
        (root / "package" / name).write_text(files.get(name, "") + "y = 1\n")
        assert key() != before
    other = Calls((call("leaf"),), (np.float32(2),), ("package",))
    assert keys(other, PortFiles(root)) != key()


def test_lines_and_branches_that_a_call_reaches(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root))
    module = importlib.import_module("package.module")

    watch = Watch(str(root))
    with watch.watching():
        module.outer(1)
    before = watch.found()["package/module.py"]
    assert (before["lines"], len(before["branches"])) == ([2, 4, 7], 1)
    with watch.watching():
        module.leaf(2)
    assert watch.found()["package/module.py"]["lines"] == [2, 3, 4, 7]
    assert len(watch.found()["package/module.py"]["branches"]) == 2
    definition = PortFiles(root).definitions(["package"])[MODULE, "leaf"]
    assert (definition.lines, definition.branches) == ({2, 3, 4}, 2)
    for name in ("package.module", "package"):
        sys.modules.pop(name)


@pytest.fixture
def quick(monkeypatch, root):
    monkeypatch.setattr(prove, "_PROGRAM", "tests.diff.program_of_replays")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))

    def run(*names, timeout=30.0, kept=None, folder=root):
        file = root / "calls.npz"
        calls_of(*names, edges=[("outer", "leaf")]).write(file)
        steps = []
        found = prove.prove(file, folder, timeout, kept, lambda done, total: steps.append(done))
        outcomes = {
            (found[0].calls[i].name, lane): r.outcome.value for (i, lane), r in found[1].items()
        }
        return outcomes, len(steps), found[1]

    return run


def test_a_crash_and_a_loop_end_one_call_in_one_lane(quick):
    outcomes, _, results = quick("dies", "proved", "hangs", timeout=1.0)
    assert {place for place, outcome in outcomes.items() if outcome == "error"} == {
        ("dies", "jit"),
        *(("hangs", lane) for lane in LANES),
    }
    assert len(outcomes) == 9
    assert results[0, "jit"].detail == "the process ended"
    assert results[2, "eager"].detail == "no result within 1 seconds"


def test_what_is_kept_is_not_replayed_again(quick, root):
    kept = root / "kept"
    first, ran, _ = quick("outer", "leaf", "differs", "dies", kept=kept)
    assert list(first).index(("leaf", "eager")) < list(first).index(("outer", "eager"))
    kept.write_text(kept.read_text() + '{"key": "not whole')
    again, ran_again, _ = quick("outer", "leaf", "differs", "dies", kept=kept)
    assert (again, ran, ran_again) == (first, 12, 1)  # a crash is tried again
    (root / "package" / "module.py").write_text(SOURCE + "\n")
    assert quick("outer", "leaf", kept=kept)[1] == 6


def test_a_process_that_cannot_start_is_no_proof(quick, root):
    (root / "broken" / "package").mkdir(parents=True)
    with pytest.raises(prove.ProveError, match="no package package"):
        quick("leaf", folder=root / "package")
    with pytest.raises(prove.ProveError, match="no JAX here"):
        quick("leaf", folder=root / "broken")
    (root / "calls.txt").write_text("no calls")
    with pytest.raises(prove.ProveError, match="the file was not written by `capture`"):
        prove.prove(root / "calls.txt", root, 1.0)


def test_the_original_does_not_stand_in_for_a_module_that_the_port_lacks(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root))
    found = replay_program._imported_from_elsewhere(MODULE, str(root / "port"))
    assert found.startswith("the port has no module package.module: another one was imported")
    assert replay_program._imported_from_elsewhere(MODULE, str(root)) == ""
    assert replay_program._imported_from_elsewhere("package.gone", str(root)) == ""
    for name in (MODULE, "package"):
        sys.modules.pop(name)


def test_scans_and_plans_lead_to_the_proof(root, capsys):
    files = [str(root / "package" / name) for name in ("module.py", "other.py")]
    next_step.tell_proof(files[:1])
    told = " ".join(capsys.readouterr().err.split())
    assert f"`tf2jax-port diff module_tf.py:FUNCTION {files[0]}:FUNCTION --inputs" in told
    assert "`tf2jax-port capture --package package -o calls.npz" in told
    next_step.tell_proof([])
    assert capsys.readouterr().err == ""
    next_step.tell_proof(files)
    assert "`tf2jax-port capture --package package -o calls.npz" in capsys.readouterr().err


def test_edits_are_noticed(root):
    file = root / "calls.npz"
    calls_of("leaf").write(file)
    waits = []

    def sleep(seconds):
        waits.append(seconds)
        if len(waits) == 2:
            (root / "package" / "new.py").touch()

    found = watching.edits(file, root, watching.state_of(file, root), sleep)
    assert next(found) == [str(root / "package" / "new.py")]
    assert len(waits) == 2
    file.unlink()
    assert next(found) == [str(file)]


CAPTURE = """
import json, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from tf2jax_port.diff.code_bases import capture
print(capture._run(json.loads(sys.argv[1]), dict(os.environ), 30.0))
"""
CHILDREN = (
    "import subprocess, sys, time; p = subprocess.Popen(['sleep', '60']); print('up', flush=True); "
)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, None])
def test_no_captured_program_outlives_capture(sent):
    mark = f"capture-{os.getpid()}-{sent}"
    body = CHILDREN + ("sys.exit(7)" if sent is None else "time.sleep(60)")
    command = subprocess.Popen(
        [sys.executable, "-c", CAPTURE, json.dumps([sys.executable, "-c", body])],
        env={**os.environ, "PYTHONPATH": str(ROOT), "MARK": mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert command.stdout.readline() == "up\n"
        if sent is not None:
            command.send_signal(sent)
        command.wait(15)
        assert wait_for(lambda: not marked(mark)), marked(mark)
        said = {None: "7\n", signal.SIGINT: "130\n"}.get(sent, "")
        assert command.stdout.read() == said
    finally:
        command.kill()
        command.wait()
        command.stdout.close()
        for process in marked(mark):
            os.kill(process, signal.SIGKILL)
