"""Record in a pytest plugin what each test found out about which symbols.

It writes one line of JSON per test as it ends, so that an interrupted run can continue where it stopped.
"""

from __future__ import annotations

import json
import os
import pathlib

import pytest

from tests.lanes.case import VERDICT, Case
from tools.scorecard import lanes, mentions
from tools.scorecard.symbols import symbols

RECORD = "SCORECARD_RECORD"
SHARD = "SCORECARD_SHARD"
ONLY = "SCORECARD_ONLY"
PROPERTY = "scorecard"


def recorded(path: pathlib.Path) -> list[dict]:
    """Return the lines of a record, ignoring an incomplete last line."""
    lines = path.read_text().splitlines() if path.exists() else []
    found = []
    for line in lines:
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def subjects(item, written: dict[str, str]) -> list[tuple[str, str]]:
    """Return the `(symbol, lane)` pairs that a test is about.

    Args:
      item: the test.
      written: the symbols that only written tests cover, by name.
    """
    lane = lanes.of_test(item.nodeid)
    given = getattr(item, "callspec", None)
    if lane:
        case = given.params.get("case") if given else None
        if isinstance(case, Case):
            return [(symbol, lane) for symbol in case.symbols]
        point = given.params.get("point") if given else None
        row = given.params.get("row") if given else None
        row = row or getattr(point, "row", None)
        return [(row.name, lane)] if row is not None else []
    text = f"{item.name}\n{mentions.text_of(item)}"
    named = dict.fromkeys(mentions.names_in(text), lanes.of_words(text))
    named |= mentions.marked(item, otherwise=lanes.of_words(text))
    found = [(symbol, lane) for name, symbol in written.items() for lane in named.get(name, ())]
    return list(dict.fromkeys(found))


def written_symbols() -> dict[str, str]:
    """Return the names, aliases included, of the symbols without cases in the table."""
    return {
        name: symbol.name
        for symbol in symbols()
        if symbol.is_offered and (row := symbol.row) is not None and not row.inputs
        for name in row.names
    }


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Select the tests about a symbol that are not recorded yet, or failed."""
    path = pathlib.Path(os.environ[RECORD])
    lines = [line for each in path.parent.glob("*.jsonl") for line in recorded(each)]
    done = {line["test"] for line in lines if line["outcome"] != "failed"}  # those run again
    shard, _, shards = os.environ.get(SHARD, "1/1").partition("/")
    only = set(filter(None, os.environ.get(ONLY, "").split(",")))
    written = written_symbols()
    kept, left = [], []
    for number, item in enumerate(items):
        mine = number % int(shards) == int(shard) - 1 and item.nodeid not in done
        pairs = subjects(item, written) if mine else []
        pairs = [] if only and only.isdisjoint(symbol for symbol, _ in pairs) else pairs
        item.user_properties.append((PROPERTY, pairs))
        (kept if pairs else left).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left)


@pytest.hookimpl
def pytest_runtest_logreport(report):
    """Write one line, in the process that receives the reports of all tests."""
    if os.environ.get("PYTEST_XDIST_WORKER") or (report.when != "call" and report.passed):
        return
    said = dict(report.user_properties)
    line = {
        "test": report.nodeid,
        "outcome": report.outcome,
        "subjects": said.get(PROPERTY, []),
        "verdict": said.get(VERDICT, ""),
    }
    with pathlib.Path(os.environ[RECORD]).open("a") as record:
        record.write(json.dumps(line) + "\n")
