"""The size budget of the house: nine files in ten stay within 400 lines, nine functions in ten within 40.

Rows of the table are data and do not count, and neither does what a generator wrote.
"""

import ast
import pathlib

from tests.meta import tree

FILE_BUDGET, FUNCTION_BUDGET = 400, 40
BANNED_NAMES = {"utils", "util", "helpers", "helper", "misc", "common", "junkdrawer"}


def counts(path, text):
    """Whether a file counts towards the budget."""
    generated = "generated" in text.partition("\n")[0].lower()
    return not generated and not path.is_relative_to("tf2jax_port/table")


def percentile(values, share):
    """The smallest value that at least `share` of `values` do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]


def function_lengths(sources):
    """`(lines, place)` of every function, nested ones too."""
    return [
        (node.end_lineno - node.lineno + 1, f"{path}:{node.name}")
        for path, text in sources.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def file_lengths(sources):
    return [(len(text.splitlines()), str(path)) for path, text in sources.items()]


def report(what, lengths, budget):
    """The 90th percentile, and a line that says it, longest offenders first."""
    p90 = percentile([length for length, _ in lengths], 90)
    over = [f"{n} {place}" for n, place in sorted(lengths, reverse=True) if n > budget]
    return p90, f"{what}: p90 {p90} of {budget} lines; over it: {'; '.join(over[:5]) or 'none'}"


def test_budget(capsys):
    sources = {p: t for p, t in tree.package_sources().items() if counts(p, t)}
    files = report("files", file_lengths(sources), FILE_BUDGET)
    functions = report("functions", function_lengths(sources), FUNCTION_BUDGET)
    with capsys.disabled():
        print(f"\n{files[1]}\n{functions[1]}")  # noqa: T201, the budget is a fact to be seen
    assert files[0] <= FILE_BUDGET, files[1]
    assert functions[0] <= FUNCTION_BUDGET, functions[1]


def test_no_drawer_for_odds_and_ends():
    found = [p for p in tree.tracked_files() if p.suffix == ".py" and p.stem in BANNED_NAMES]
    # The facade of TensorFlow 1 has TensorFlow's names.
    assert [p for p in found if not p.is_relative_to("shims/compat/v1")] == []


def test_the_budget_can_fail():
    sources = {pathlib.Path(f"{i}.py"): "def f():\n" + "    0\n" * 450 for i in range(2)}
    assert report("files", file_lengths(sources), FILE_BUDGET) == (
        451,
        "files: p90 451 of 400 lines; over it: 451 1.py; 451 0.py",
    )
    assert report("functions", function_lengths(sources), FUNCTION_BUDGET)[0] == 451
    assert percentile([1] * 9 + [1000], 90) == 1
    assert percentile([1] * 8 + [1000] * 2, 90) == 1000
