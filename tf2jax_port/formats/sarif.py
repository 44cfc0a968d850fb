"""Wrap results as a document of SARIF 2.1.0, which code hosts and editors display beside the code."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from tf2jax_port.formats.release import PACKAGE, release

VERSION = "2.1.0"
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def document(
    rules: Iterable[dict[str, Any]],
    results: Iterable[dict[str, Any]],
    notifications: Iterable[dict[str, Any]] = (),
) -> dict[str, Any]:
    """Return the document of one run.

    Args:
      rules: what the results refer to by `ruleId` and `ruleIndex`.
      results: the results.
      notifications: what went wrong in the run itself.
    """
    return {
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": PACKAGE,
                        "semanticVersion": release(),
                        "rules": [*rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"ROOT": {"uri": f"{pathlib.Path.cwd().as_uri()}/"}},
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "toolExecutionNotifications": [*notifications],
                    }
                ],
                "results": [*results],
            }
        ],
    }


def artifact(path: str) -> dict[str, str]:
    """Return the SARIF location of a file: relative if inside the current folder, else absolute."""
    absolute = os.path.abspath(path)
    inside = os.path.relpath(absolute)
    if not inside.startswith(os.pardir):
        return {"uri": quote(os.fsencode(pathlib.PurePath(inside).as_posix())), "uriBaseId": "ROOT"}
    return {"uri": pathlib.Path(absolute).as_uri()}


def at_line(path: str, line: int = 1) -> dict[str, Any]:
    """Return the location of a line of a file."""
    location = {"artifactLocation": artifact(path), "region": {"startLine": line}}
    return {"physicalLocation": location}
