"""Write `keras_gone.json` of `shims`: what replaces the names of Keras 1 and 2, as the rewriter says it.

python -m tools.generate_keras_gone
"""

from __future__ import annotations

from tf2jax_port.rewrite.knowledge.keras_gone import REASONS
from tools.data_files import ROOT, render

PATH = "shims/_src/facade/keras_gone.json"


def generate() -> str:
    """Return the text of the data file."""
    return render("tools.generate_keras_gone", reasons=dict(REASONS))


if __name__ == "__main__":
    (ROOT / PATH).write_text(generate())
