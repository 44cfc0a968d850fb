"""Imports go down only, private JAX stays in one file, TensorFlow in one folder."""

import pathlib
import subprocess
import sys
import tomllib

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


def lint_imports(folder):
    """Run import-linter over the packages of a folder, with the contracts of its `pyproject.toml`."""
    command = pathlib.Path(sys.executable).with_name("lint-imports")
    return subprocess.run([command, "--no-cache"], cwd=folder, capture_output=True, text=True)


def test_rooms_import_downwards_only_and_form_no_circles():
    result = lint_imports(tree.ROOT)
    assert result.returncode == 0, result.stdout


def test_no_import_is_excepted():
    settings = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    assert settings.get("exclude_type_checking_imports", False) is False
    excepted = [
        c["id"] for c in settings["contracts"] if {"ignore_imports", "skip_descendants"} & set(c)
    ]
    assert excepted == []


def test_an_import_inside_a_function_breaks_a_contract(tmp_path):
    package = tmp_path / "shims" / "_src"
    for room in ("upper", "lower"):
        (package / room).mkdir(parents=True)
        (package / room / "__init__.py").touch()
    (tmp_path / "shims" / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "lower" / "a.py").write_text("def f():\n    from shims._src.upper import b\n")
    (package / "upper" / "b.py").write_text("")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.importlinter]\nroot_packages = ["shims"]\n'
        '[[tool.importlinter.contracts]]\nname = "rooms"\ntype = "layers"\n'
        'containers = ["shims._src"]\nexhaustive = true\nlayers = ["upper", "lower"]\n'
    )
    result = lint_imports(tmp_path)
    assert result.returncode == 1
    assert "shims._src.lower.a -> shims._src.upper.b" in result.stdout


BINDINGS = "shims._src.facade.bindings"
# `shims` imports the bindings with the first name that needs them; these hand out nothing that does.
WITHOUT_BINDINGS = (
    "shims",
    "shims.compat",
    "shims.compat.v2",
    "shims.errors",
    "shims.keras",
    "shims.nest",
)


def unbound(graph):
    """Public modules that can be imported without the bindings."""

    def loads(module, seen):
        if module == BINDINGS:
            return True
        seen.add(module)
        parent = module.rpartition(".")[0]
        following = {*graph.get(module, ()), *([parent] if parent else [])} - seen
        return any(loads(name, seen) for name in sorted(following) if name not in seen)

    public = [m for m in graph if begins(m, "shims") and not begins(m, "shims._src")]
    return sorted(m for m in public if not loads(m, set()))


def test_every_public_module_imports_the_bindings():
    found = unbound(tree.import_graph(tree.package_sources()))
    assert found == sorted(WITHOUT_BINDINGS)


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
