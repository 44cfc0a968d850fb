"""Write `tf_internal_names.json` from the API files of the installed TensorFlow.

    python -m tools.generate_tf_internal_names

Programs also import TensorFlow's private modules: `from tensorflow.python.ops import array_ops`. The API files
give the public name of each private object, so `array_ops.gather` can be read as `gather`.
"""

from __future__ import annotations

import ast

from tools.data_files import ROOT, render
from tools.generate_tf_names import package, public_names, version

PATH = "tf2jax_port/rewrite/data/tf_internal_names.json"
FOLDERS = (
    "client",
    "eager",
    "framework",
    "module",
    "ops",
    "platform",
    "summary",
    "training",
    "util",
)


def public_by_symbol() -> dict[str, str]:
    """Map each private object to its shortest public name, of version 2 where there is one."""
    api = package() / "_api" / "v2"
    root_names, _ = public_names(api / "compat" / "v2")
    v2, _ = public_names(api)
    v1, _ = public_names(api / "compat" / "v1")
    found: dict[str, str] = {}
    for prefix, names in (("v1:", v1), ("", {**root_names, **v2})):
        best: dict[str, str] = {}
        for name, symbol in names.items():
            if symbol not in best or (len(name), name) < (len(best[symbol]), best[symbol]):
                best[symbol] = name
        found.update({symbol: prefix + name for symbol, name in best.items()})
    return found


def star_imports(module: str) -> list[str]:
    """Return the private modules that a private module imports with `*`."""
    file = package().parent / (module.replace(".", "/") + ".py")
    if not file.exists():
        return []
    return [
        node.module
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.ImportFrom)
        and node.module
        and node.names[0].name == "*"
        and node.module.startswith("tensorflow.python.")
    ]


def internal() -> dict[str, str]:
    """Return `{private name: public name}`, the private names below `tensorflow.python`."""
    found: dict[str, dict[str, str]] = {}
    for symbol, public in public_by_symbol().items():
        module, _, name = symbol.rpartition(".")
        if module.startswith("tensorflow.python."):
            found.setdefault(module, {})[name] = public
    folder = package() / "python" / "ops"
    for file in sorted(folder.glob("*.py")):
        module = f"tensorflow.python.ops.{file.stem}"
        for brought in star_imports(module):
            for name, public in found.get(brought, {}).items():
                found.setdefault(module, {}).setdefault(name, public)
    return {
        f"{module}.{name}".removeprefix("tensorflow.python."): public
        for module, names in sorted(found.items())
        if module.split(".")[2] in FOLDERS and ".gen_" not in module
        for name, public in sorted(names.items())
    }


def outer_level() -> list[str]:
    """Return the top-level public names of `tensorflow` and of `tensorflow.compat.v1`."""
    api = package() / "_api" / "v2"
    names: set[str] = {"contrib", "compat", "keras"}
    for folder in (api, api / "compat" / "v1", api / "compat" / "v2"):
        found, modules = public_names(folder)
        names |= {name for name in (*found, *modules) if "." not in name}
    return sorted(names)


def inner_levels() -> list[str]:
    """Return the public names in the modules of `tensorflow` and of `tensorflow.compat.v1`."""
    api = package() / "_api" / "v2"
    names: set[str] = set()
    for folder in (api, api / "compat" / "v1"):
        names.update(name for name in public_names(folder)[0] if "." in name)
    return sorted(names)


def generate() -> str:
    """Return the text of the data file."""
    return render(
        "tools.generate_tf_internal_names",
        version=version(),
        outer_level=outer_level(),
        inner_levels=inner_levels(),
        internal=internal(),
    )


if __name__ == "__main__":
    (ROOT / PATH).write_text(generate())
