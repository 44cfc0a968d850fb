"""Writes everything that is generated: facades, data files, and the pages of the diagnostics.

    python -m tools.generate

Data files say in their first entry which module makes them; those that hold TensorFlow's or Keras'
names are read from the installed release. Each generator has a process of its own, so that it sees
what those before it wrote.
"""

import subprocess
import sys

GENERATORS = (
    "tools.generate_facades",
    "tools.live_names",
    "tools.live_recipes",
    "tools.generate_v1",
    "tools.generate_graph_names",
    "tools.generate_tf_names",
    "tools.generate_tf_internal_names",
    "tools.generate_keras_names",
    "tools.rule_pages",
    "tools.file_map",
)

if __name__ == "__main__":
    for generator in GENERATORS:
        subprocess.run([sys.executable, "-W", "ignore", "-m", generator], check=True)
