"""Write `scripts.json`, the scripts of all characters, from TensorFlow: `python -m tools.generate_scripts`."""

from __future__ import annotations

import importlib
import sys

import numpy as np

from tools.data_files import ROOT, render

PATH = "shims/_src/strings/scripts.json"


def generate() -> str:
    """Return the text of the data file: where a run of one script begins, and its number."""
    strings = importlib.import_module("tensorflow").strings
    scripts = strings.unicode_script(np.arange(sys.maxunicode + 2, dtype=np.int32)).numpy()
    begins = np.flatnonzero(np.diff(scripts, prepend=-2))
    starts = [[int(i), int(scripts[i])] for i in begins]
    return render("tools.generate_scripts", starts=starts)


if __name__ == "__main__":
    (ROOT / PATH).write_text(generate())
