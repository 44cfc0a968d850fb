"""Write `scripts.json`, the scripts of all characters, from the installed TensorFlow."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

from tools.data_files import render

TARGET = Path(__file__).parents[2] / "shims/_src/strings/scripts.json"


def text() -> str:
    """Return the file: where a run of characters of one script begins, and the script's number."""
    scripts = tf.strings.unicode_script(np.arange(sys.maxunicode + 2, dtype=np.int32)).numpy()
    begins = np.flatnonzero(np.diff(scripts, prepend=-2))
    starts = [[int(i), int(scripts[i])] for i in begins]
    return render("tests.strings.generate_scripts", starts=starts)


if __name__ == "__main__":
    TARGET.write_text(text())
