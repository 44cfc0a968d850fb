"""Write all generated files: facades, data files, and the pages of the diagnostics.

    python -m tools.generate

The first entry of a data file names its generator; files with TensorFlow's or Keras' names are read from the
installed release. Each generator runs in its own process, so that it sees the output of those before it.
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
    "tools.generate_keras_gone",
    "tools.generate_stubs",
    "tools.generate_scripts",
    "tools.rewrite_sweep.evidence",
    "tools.rule_pages",
    "tools.api_page",
    "tools.operator_pages",
    "tools.file_map",
    "tools.package_readme",
)

if __name__ == "__main__":
    for generator in GENERATORS:
        subprocess.run([sys.executable, "-W", "ignore", "-m", generator], check=True)
