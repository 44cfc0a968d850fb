"""Print a random sample of docstrings, to be read by people who did not write them.

python -m tools.sample_docstrings --seed 7 --count 60
"""

from __future__ import annotations

import argparse
import ast
import pathlib
import random
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGES = ("shims", "tf2jax_port")


def docstrings(root: pathlib.Path) -> Iterator[tuple[str, str]]:
    """Yield `(place, docstring)` of every module, class and function, private ones included."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                text = ast.get_docstring(node) if isinstance(node, kinds) else None
                if text:
                    name = getattr(node, "name", "(module)")
                    yield f"{path.relative_to(root)}:{getattr(node, 'lineno', 1)} {name}", text


def main() -> None:
    """Print the sample."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    options = parser.parse_args()
    for place, text in random.Random(options.seed).sample(list(docstrings(ROOT)), options.count):
        print(f"--- {place}\n{text}\n")


if __name__ == "__main__":
    main()
