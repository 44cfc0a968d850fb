"""Run a notebook of examples/ in a new folder, and write its outputs: `python -m tools.notebooks`.

What it takes of IPython is little: `!command`, and `%%writefile NAME`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

from tests.meta.pages import environment
from tools.data_files import ROOT

PATH = "examples/first_port.ipynb"


def run(notebook: dict[str, Any], folder: pathlib.Path) -> None:
    """Run the code cells in a folder, and put what they print in place of their outputs."""
    known = dict(environment(folder), COLUMNS="80")
    names: dict[str, Any] = {"__name__": "__main__"}
    work = folder / "work"
    work.mkdir()
    sys.path.insert(0, str(work))
    with contextlib.chdir(work):
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, cell in enumerate(cells, 1):
            printed = _printed("".join(cell["source"]), names, known)
            lines = printed.splitlines(keepends=True)
            cell["execution_count"] = number
            cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": lines}]


def _printed(source: str, names: dict[str, Any], known: dict[str, str]) -> str:
    first, _, rest = source.partition("\n")
    if first.startswith("%%writefile "):
        name = first.split()[1]
        pathlib.Path(name).write_text(f"{rest}\n")
        return f"Writing {name}\n"
    names["_shell"] = lambda line: _command(line, known)
    lines = [f"_shell({x[1:]!r})" if x.startswith("!") else x for x in source.splitlines()]
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile("\n".join(lines), "<cell>", "exec"), names)
    return output.getvalue()


def _command(line: str, known: dict[str, str]) -> None:
    done = subprocess.run(
        line,
        shell=True,
        env=known,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode > 1:  # 1: something was found
        raise SystemExit(f"{line}: {done.stdout}")
    print(done.stdout, end="")


def main() -> None:
    """Run the notebook, and write it, or write it to another file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", default=str(ROOT / PATH))
    output = os.path.abspath(parser.parse_args().output)
    notebook = json.loads((ROOT / PATH).read_text())
    with tempfile.TemporaryDirectory() as folder:
        run(notebook, pathlib.Path(folder))
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    pathlib.Path(output).write_text(f"{text}\n")


if __name__ == "__main__":
    main()
