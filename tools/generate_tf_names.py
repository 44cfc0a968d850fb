"""Write `tf_names.json` from the API files of the installed TensorFlow.

    python -m tools.generate_tf_names

TensorFlow's public names are re-exports written out in `tensorflow/_api`; each names an object of a private
module. So two names are one object exactly if they name one symbol, and the parameters of a version 1
function can be read from its definition, all without running TensorFlow.
"""

from __future__ import annotations

import ast
import functools
import importlib.metadata
import importlib.util
import pathlib

from tools.data_files import ROOT, render

PATH = "tf2jax_port/rewrite/data/tf_names.json"
# Their modules are loaded lazily by TensorFlow, from packages of their own.
LAZY_MODULES = (
    "compat",
    "contrib",
    "estimator",
    "initializers",
    "keras",
    "losses",
    "metrics",
    "optimizers",
    "python",
)
SKIPPED = ("__internal__", "__operators__", "raw_ops", "experimental.numpy")


def package() -> pathlib.Path:
    spec = importlib.util.find_spec("tensorflow")
    assert spec is not None
    assert spec.origin is not None
    return pathlib.Path(spec.origin).parent


def version() -> str:
    """Return the release of the installed TensorFlow, `2.21`."""
    return importlib.metadata.version("tensorflow").rpartition(".")[0]


def public_names(folder: pathlib.Path) -> tuple[dict[str, str], set[str]]:
    """Return `{public name: private symbol}` and the modules below one API folder."""
    names, modules = {}, set()
    for file in sorted(folder.rglob("__init__.py")):
        parts = file.parent.relative_to(folder).parts
        prefix = ".".join(parts)
        if parts[:1] == ("compat",) or prefix.startswith(SKIPPED):
            continue
        if prefix:
            modules.add(prefix)
        for statement in ast.parse(file.read_text()).body:
            if not isinstance(statement, ast.ImportFrom) or "._api." in f".{statement.module}.":
                continue
            for alias in statement.names:
                name = alias.asname or alias.name
                if not name.startswith("_"):
                    full = f"{prefix}.{name}".lstrip(".")
                    names[full] = f"{statement.module}.{alias.name}"
    return names, modules


@functools.cache
def definitions(module: str) -> dict[str, str]:
    """Return `{function: parameters}` of a private module."""
    file = package().parent / (module.replace(".", "/") + ".py")
    if not file.exists():
        return {}
    found = {}
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                argument.annotation = None
            found[node.name] = ast.unparse(node.args)
    return found


def params(symbol: str) -> str | None:
    """Return the parameters of a private function as text, `None` for a class or constant."""
    module, _, name = symbol.rpartition(".")
    return definitions(module).get(name)


def keras_modules() -> set[str]:
    """Return the modules of `tf.keras`, which TensorFlow loads from the package Keras."""
    found = importlib.util.find_spec("keras")
    assert found is not None
    assert found.origin is not None
    folder = pathlib.Path(found.origin).parent / "_tf_keras" / "keras"
    parts = (file.parent.relative_to(folder).parts for file in folder.rglob("__init__.py"))
    return {".".join(("keras", *part)) for part in parts if "src" not in part}


def collect() -> dict[str, object]:
    """Return the sections of the data file."""
    api = package() / "_api" / "v2"
    root_names, _ = public_names(api / "compat" / "v2")
    v2, modules = public_names(api)
    v2 = {**root_names, **v2}
    v1, v1_modules = public_names(api / "compat" / "v1")
    by_symbol: dict[str, list[str]] = {}
    for name, symbol in v2.items():
        by_symbol.setdefault(symbol, []).append(name)
    only = {name: symbol for name, symbol in v1.items() if name not in v2}
    same = {
        n: min(by_symbol[s], key=lambda k: (len(k), k)) for n, s in only.items() if s in by_symbol
    }
    differs = {n: params(s) or "" for n, s in v1.items() if n in v2 and v2[n] != s}
    return {
        "modules": sorted({*modules, *v1_modules, *keras_modules(), *LAZY_MODULES}),
        "v1_aliases": dict(sorted(same.items())),
        "v1_only": sorted(set(only) - set(same)),
        "v1_params": dict(sorted(differs.items())),
    }


def generate() -> str:
    """Return the text of the data file."""
    return render("tools.generate_tf_names", version=version(), **collect())


if __name__ == "__main__":
    (ROOT / PATH).write_text(generate())
