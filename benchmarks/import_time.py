"""Compare `import shims` with `import jax`, each in fresh interpreters."""

import subprocess
import sys

from benchmarks.timing import Result, compare, seconds

RUNS = 20


def run() -> list[Result]:
    """Return medians of alternating fresh processes."""
    times: dict[str, list[float]] = {"import shims": [], "import jax": []}
    for _ in range(RUNS):
        for statement, found in times.items():
            command = [sys.executable, "-c", statement]
            found.append(seconds(lambda c=command: subprocess.run(c, check=True)))
    return compare("import in a fresh process", times, "import shims", {"import jax": 1.15})
