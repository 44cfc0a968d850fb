"""Call user code and turn its exceptions into `Failure` values."""

from __future__ import annotations

import re
import textwrap
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tf2jax_port.diff.values import user_files

T = TypeVar("T")

# The kind of the failure of a lane that cannot run a case, whatever the function does.
LANE_ERROR = "LaneError"

# A style of the terminal.
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_ERROR = re.compile(r"[\w.]+(Error|Exception)\w*: ")
_LONGEST_REASON = 240
_LONGEST_DETAIL = 6000

# What a message says to do, with its further lines, which are indented.
_ADVICE = re.compile(r"^ *Do: +(.+(?:\n {8,}.+)*)", re.MULTILINE)
# Messages of Keras and of AutoGraph have that of the error itself within them.
_OF_KERAS = re.compile(
    r"Exception encountered when calling [^\n]*\n(?P<cause>.*?)(\n\s*(Call a|A)rguments received by .*)?\Z",
    re.DOTALL,
)
# How lines begin that tell where in a graph an error occurred, and not which.
_OF_GRAPHS = ("[[", "Graph execution error", "Detected at node", "<stack", "File ", "0 successful")
_KIND = re.compile(r"(\w+(?:Error|Exception)): ")
_OF_AUTOGRAPH = re.compile(
    r"in user code:\s*\n(.*\n)?\s*File \"[^\n]*\n( {8,}[^\n]*\n)*\s*\n(?P<cause>.*)\Z", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why something could not be run, as data.

    Attributes:
      kind: the name of the exception class.
      reason: one line.
      detail: the full message, with the last line of the user's own code.
    """

    kind: str
    reason: str
    detail: str = ""

    @property
    def advised(self) -> str:
        """The reason, with what the message says to do, if it says so."""
        found = _ADVICE.search(self.detail)
        advice = " ".join(found[1].split()) if found else ""
        return self.reason if not advice or advice in self.reason else f"{self.reason} Do: {advice}"


class LaneError(Exception):
    """The error for a lane that cannot run a case; the message is the reason.

    Attributes:
      detail: as in `Failure`.
      kind: as in `Failure`, if the function raised an error.
    """

    def __init__(self, reason: str, detail: str = "", kind: str = LANE_ERROR) -> None:
        super().__init__(reason)
        self.detail = detail
        self.kind = kind


def attempt(f: Callable[..., T], *args: Any) -> T | Failure:
    """Return `f(*args)`, or a `Failure` if it raises.

    Warnings of the called code are not shown. `SystemExit` is a failure like any other; only
    `KeyboardInterrupt` is raised again.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return f(*args)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - the code that runs here is the user's
        return failure(error)


def failure(error: BaseException) -> Failure:
    """Convert an exception to a `Failure`."""
    if isinstance(error, LaneError):
        return Failure(error.kind, str(error), error.detail)
    kind = type(error).__name__
    text = _STYLE.sub("", str(error)).strip()
    where = _where(error)
    kind, cause = _cause(kind, text)
    return Failure(kind, f"{kind}: {_first_line(cause)}" if text else kind, (text + where).strip())


def _cause(kind: str, text: str) -> tuple[str, str]:
    """Return the kind and the message of the error that others wrap, without the frames and arguments that they add."""
    while found := _OF_KERAS.match(text) or _OF_AUTOGRAPH.match(text):
        cause = textwrap.dedent(found["cause"]).strip()
        if not cause:
            break
        text = cause
        if named := _KIND.match(text):
            kind = named[1]
            text = text[named.end() :]
    return kind, text


def _first_line(text: str) -> str:
    """Return the first line of a message that is not part of a traceback."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines and lines[0].startswith(("in user code", "Detected at node")):
        telling = [line for line in lines if ": " in line and not line.startswith("File ")]
        # The error that AutoGraph reports may have several lines, of which the first one tells.
        errors = [line for line in telling if _ERROR.match(line)]
        lines = errors[:1] or telling[-1:] or lines
    if lines and lines[0].startswith("Graph execution error"):
        telling = [line for line in lines if not line.startswith(_OF_GRAPHS)]
        lines = telling[-1:] or lines
    line = _without_names(lines[0] if lines else "")
    return line if len(line) <= _LONGEST_REASON else line[: _LONGEST_REASON - 1] + "…"


def _without_names(line: str) -> str:
    """Remove node names, counters and configuration from an error message.

    Thus the same error has the same text in every run.
    """
    unsupported = re.search(r"unsupported operations .* on (XLA_\w+): (.*)", line)
    if unsupported:
        operators = re.findall(r"(\w+) \(No registered", unsupported[2])
        return f"{unsupported[1]} has no kernel for {', '.join(operators) or unsupported[2]}"
    line = re.sub(r"\{\{\w+ [^{}]*\}\} ?| \[Op:\w+\]( name:\s*)?$", "", line)
    line = re.sub(r"__(inference|forward|backward)_(\w+?)_\d+\b", r"\2", line)
    return re.sub(r"\[[^\[\]]*(executor_type|config_proto)[^\[\]]*\]", "", line)


def _where(error: BaseException) -> str:
    """Return the innermost traceback line that is not in an installed library, as text."""
    converted = getattr(error, "ag_error_metadata", None)
    for frame in getattr(converted, "translated_stack", ()):  # innermost first
        if user_files.is_users(frame.filename):
            return f"\nAt: {frame.filename}:{frame.lineno}  {(frame.code or '').strip()}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if user_files.is_users(frame.filename):
            return f"\nAt: {frame.filename}:{frame.lineno}  {frame.line or ''}"[:_LONGEST_DETAIL]
    return ""
