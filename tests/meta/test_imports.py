"""Imports go down only, private JAX stays in one file, TensorFlow in one folder."""

import pathlib

import pytest

from tests.meta import tree


def begins(name, package):
    return name == package or name.startswith(package + ".")


def offenders(imports, package, allowed):
    """`file -> name` for each import of `package` from a file that `allowed` does not name."""
    return sorted(
        f"{path} -> {name}"
        for path, names in imports.items()
        for name in names
        if begins(name, package) and not any(path.is_relative_to(a) for a in allowed)
    )


# What must not be imported, and the only places that may.
BANS = (
    ("tf2jax_port", ("tf2jax_port",)),
    ("jax._src", ("shims/_src/platform/jax_private.py",)),
    ("tensorflow", ("tf2jax_port/diff",)),
)


@pytest.mark.parametrize(("package", "allowed"), BANS, ids=[ban[0] for ban in BANS])
def test_only_the_named_places_import(package, allowed):
    assert offenders(tree.all_imports(tree.package_sources()), package, allowed) == []


def test_the_layers_of_the_toolkit_point_downwards():
    # cli -> rewrite, diff -> table, importing -> shims
    layers = ("table", "rewrite", "importing", "diff", "cli")
    below = {
        "table": set(),
        "rewrite": {"table"},
        "importing": set(),
        "diff": {"table", "importing"},
        "cli": set(layers),
    }
    wrong = [
        f"{path} -> {name}"
        for path, names in tree.all_imports(tree.package_sources()).items()
        for layer in layers
        if begins(tree.module_name(path), f"tf2jax_port.{layer}")
        for name in names
        for other in layers
        if begins(name, f"tf2jax_port.{other}") and other != layer and other not in below[layer]
    ]
    assert wrong == []


def test_no_import_circles():
    assert tree.circles(tree.import_graph(tree.package_sources())) == []


def test_the_rules_can_fail():
    sources = {
        pathlib.Path("shims/a.py"): "from . import b\ndef f():\n    import tensorflow.nn\n",
        pathlib.Path("shims/b.py"): "from shims import a\nimport tf2jax_port.table\n",
    }
    imports = tree.all_imports(sources)
    assert offenders(imports, "tensorflow", ("tf2jax_port/diff",)) == [
        "shims/a.py -> tensorflow.nn"
    ]
    assert offenders(imports, "tf2jax_port", ("tf2jax_port",)) == [
        "shims/b.py -> tf2jax_port.table"
    ]
    assert tree.circles(tree.import_graph(sources)) == [["shims.a", "shims.b", "shims.a"]]
