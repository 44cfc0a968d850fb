"""Keep the last verdicts of every compared pair, so that a report shows whether the last edit helped."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.vocabulary.numbers import short
from tf2jax_port.diff.vocabulary.verdicts import shown

# The file of the history; empty to keep none.
VARIABLE = "TF2JAX_PORT_HISTORY"
_KEPT, _SHOWN, _PAIRS = 10, 4, 200
_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def earlier_runs(report: Report, inputs: str, now: float | None = None) -> list[str]:
    """Return the last verdicts of the same pair on the same inputs as lines, the newest last; store this verdict.

    A history that cannot be read or written counts as empty.
    """
    path, now = _file(), time.time() if now is None else now
    if path is None:
        return []
    known = _read(path)
    key = _key(report, inputs)
    runs = known.pop(key, [])[-_KEPT + 1 :]
    entry = {
        "time": now,
        "verdict": report.verdict,
        "headline": report.headline,
        "R": _ratio(report),
    }
    # Dictionaries keep their order: the pair that was compared last is the last one.
    kept = dict(list(known.items())[-_PAIRS + 1 :])
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        other = path.with_suffix(f".{os.getpid()}")
        other.write_text(json.dumps({**kept, key: [*runs, entry]}))
        other.replace(path)
    return [_line(run, now) for run in runs[-_SHOWN:]]


def _file() -> Path | None:
    given = os.environ.get(VARIABLE)
    if given is not None:
        return Path(given) if given else None
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "tf2jax-port" / "history.json"


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _key(report: Report, inputs: str) -> str:
    parts = [os.getcwd(), report.old, report.new, inputs]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _ratio(report: Report) -> str:
    """Return the error that determines a verdict of `different` as text, `""` if there is none."""
    if report.culprit is None or report.culprit.comparison.worst is None:
        return ""
    return short(report.culprit.comparison.closeness.ratio)


def _line(run: dict[str, Any], now: float) -> str:
    error = f" (R {run['R']})" if run["R"] else ""
    return f"{_ago(now - run['time'])}: {shown(run['verdict'])}: {run['headline']}{error}"


def _ago(seconds: float) -> str:
    for size, name in _UNITS:
        count = int(seconds // size)
        if count:
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"
