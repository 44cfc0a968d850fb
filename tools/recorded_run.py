"""Draw the picture of the README from a run of the tutorial: `python -m tools.recorded_run`.

The commands of docs/tutorial.md run in a new folder, and three of them are drawn with what they print. It takes a minute.
"""

from __future__ import annotations

import io
import pathlib
import re
import tempfile

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

from tests.meta.pages import Reader, environment
from tools.data_files import ROOT

PATH = "docs/recorded_run.svg"
SHOWN = ("tf2jax-port scan", "tf2jax-port rewrite forecast.py --write", "tf2jax-port diff")
# A picture in a README loads no fonts.
_FONTS = re.compile(r"\n\s*@font-face \{.*?\}", re.DOTALL)


class _Recorder(Reader):
    """A reader that keeps colors, so that outputs are not those which the page shows."""

    def do_text(self, block: str) -> None:
        """Compare nothing."""


def _is_skipped(line: str) -> bool:
    return not line.startswith(("cp ", *SHOWN)) or "--locate" in line


def run() -> str:
    """Return the picture of a new run."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "work").mkdir()
        known = dict(environment(folder), FORCE_COLOR="1")
        reader = _Recorder(folder / "work", known, _is_skipped)
        reader.follow((ROOT / "docs/tutorial.md").read_text())
    shown = {line: text for line, text in reader.ran.items() if line.startswith(SHOWN)}
    return draw(shown)


def draw(outputs: dict[str, str]) -> str:
    """Return the picture of commands and what they print."""
    console = Console(record=True, width=84, file=io.StringIO(), color_system="truecolor")
    for command, output in outputs.items():
        words = command.replace(
            "forecast_tf.py:evaluate forecast.py", "forecast_tf.py:evaluate \\\n    forecast.py"
        )
        console.print(Text.assemble(("$ ", "bold green"), (words, "bold")))
        console.print(Text.from_ansi(_result(output)))
        console.print()
    svg = console.export_svg(title="tf2jax-port", theme=DIMMED_MONOKAI, unique_id="run")
    return _FONTS.sub("", svg)


def _result(output: str) -> str:
    """Return an output without the progress before the verdict and the command at the end."""
    lines = output.splitlines()
    boxes = [number for number, line in enumerate(lines) if "╭─" in line]
    again = [number for number, line in enumerate(lines) if "Again" in line]
    return "\n".join(lines[boxes[-1] if boxes else 0 : again[-1] if again else None]).rstrip()


def main() -> None:
    """Write the picture."""
    (ROOT / PATH).write_text(run())


if __name__ == "__main__":
    main()
