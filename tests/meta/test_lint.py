"""What `make lint` says stays nothing: style, format and types, with the settings of the project."""

import ast
import importlib.util
import subprocess
import sys

import pytest

from tests.meta import tree

TOOLS = {
    "style": ("ruff", "check", "."),
    "format": ("ruff", "format", "--check", "."),
    "types": ("mypy",),
}


def complaints(command, folder=tree.ROOT):
    """What a tool has to say about the files below a folder; nothing when it is content."""
    if importlib.util.find_spec(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed; the extra `test` has it")
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr if done.returncode else ""


@pytest.mark.parametrize("what", TOOLS)
def test_nothing_to_complain(what):
    said = complaints(TOOLS[what])
    assert not said, said


@pytest.mark.parametrize(
    ("what", "text", "said"),
    [
        ("style", "import os\n", "`os` imported but unused"),
        ("format", "x=1\n", "would be reformatted"),
        ("types", "x: int = 'one'\n", "Incompatible types"),
    ],
)
def test_a_fault_is_found(tmp_path, what, text, said):
    (tmp_path / "pyproject.toml").write_text('[tool.mypy]\nfiles = ["."]\n')
    (tmp_path / "fault.py").write_text(text)
    assert said in complaints(TOOLS[what], tmp_path)


# ---- what Python 3.11 refuses --------------------------------------------------------------------

# What may make the default of a field. Python 3.11 refuses every class without a hash, `mappingproxy` among them, and the
# tests run on one version of Python only.
_MAKES_A_DEFAULT = {"field", "dataclasses.field", "frozenset", "Options", "MovedImports"}


def defaults_of_fields(source):
    """The functions that make defaults of fields of data classes."""
    for node in ast.walk(ast.parse(source)):
        decorators = [ast.unparse(d) for d in getattr(node, "decorator_list", [])]
        if isinstance(node, ast.ClassDef) and any("dataclass" in text for text in decorators):
            for entry in node.body:
                if isinstance(entry, ast.AnnAssign) and isinstance(entry.value, ast.Call):
                    yield ast.unparse(entry.value.func)


def test_every_python_accepts_the_defaults_of_fields():
    made = {name for text in tree.package_sources().values() for name in defaults_of_fields(text)}
    assert made <= _MAKES_A_DEFAULT
    wrong = "@dataclasses.dataclass\nclass A:\n    x: dict = types.MappingProxyType({})\n"
    assert list(defaults_of_fields(wrong)) == ["types.MappingProxyType"]
