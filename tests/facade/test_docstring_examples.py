"""The examples in docstrings print what they say, and TensorFlow prints the same."""

import ast
import doctest
import importlib
import io
import pathlib
import re

import numpy as np
import pytest

import shims
import tf2jax_port
from tests.meta import tree

MODULES = sorted(
    ".".join(path.relative_to(tree.ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in (shims, tf2jax_port)
    for path in pathlib.Path(package.__file__).parent.rglob("*.py")
    if re.search(r"^\s+>>> ", path.read_text(), re.MULTILINE)
)
KINDS = (ast.Module, ast.ClassDef, ast.FunctionDef)
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)(?!\w)")


class Checker(doctest.OutputChecker):
    """Accept numbers within rounding of the printed ones: processors round in different ways."""

    def check_output(self, want, got, flags):
        texts = ["".join(NUMBER.sub("#", text).split()) for text in (want, got)]
        numbers = [[float(n) for n in NUMBER.findall(text)] for text in (want, got)]
        same = texts[0] == texts[1] and len(numbers[0]) == len(numbers[1])
        near = same and np.allclose(*numbers, rtol=2e-4, atol=1e-5, equal_nan=True)
        return bool(near) or super().check_output(want, got, flags)


def found(module):
    """Return the examples of a module's docstrings; a decorated function does not show where it is defined."""
    loaded = importlib.import_module(module)
    parser = doctest.DocTestParser()
    nodes = ast.walk(ast.parse(pathlib.Path(loaded.__file__).read_text()))
    documented = (node for node in nodes if isinstance(node, KINDS) and ast.get_docstring(node))
    for node in documented:
        name = getattr(node, "name", module)
        text = ast.get_docstring(node)
        yield parser.get_doctest(
            text, {**vars(loaded), "__name__": "__main__"}, name, loaded.__file__, 0
        )


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    tests = [test for test in found(module) if test.examples]
    assert tests
    for test in tests:
        said = io.StringIO()
        runner = doctest.DocTestRunner(checker=Checker(), optionflags=doctest.NORMALIZE_WHITESPACE)
        runner.run(test, out=said.write)
        assert not runner.failures, said.getvalue()


# Examples that do more than print what operators give, or use what TensorFlow does not have.
OURS = re.compile(
    r"\.(tolist|item|to_list|numpy|to_dense)\(|def |class |lambda|jax|bounded|dynamic|optax|\bseed\b|enable_x64"
    r"|layers.Dense|rnn_cell"  # which TensorFlow no longer has beside Keras 3
)
FROM = {
    "import shims": "import tensorflow as shims",
    "import shims.compat.v1 as tf": "import tensorflow.compat.v1 as tf",
}


def programs():
    """Yield the examples whose text runs in TensorFlow, too, with what they print."""
    for module in MODULES:
        for test in found(module):
            first, *rest = test.examples or [None]
            sources = "".join(example.source for example in rest)
            if (
                first
                and first.source.strip() in FROM
                and "print(" in sources
                and not OURS.search(sources)
            ):
                want = "".join(example.want for example in rest)
                yield pytest.param(
                    FROM[first.source.strip()], sources, want, id=f"{module}:{test.name}"
                )


def shown(value):
    """Return a value as `print` shows it: of a tensor its array, of a graph's shape the tuple."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(shown, value))
    return value.numpy() if hasattr(value, "numpy") else value


@pytest.mark.parametrize(("first", "sources", "want"), list(programs()))
def test_tensorflow_prints_the_same(first, sources, want):
    said = io.StringIO()
    names = {"print": lambda *values: print(*map(shown, values), file=said)}
    exec(first, names)
    exec(sources, names)
    assert Checker().check_output(want, said.getvalue(), doctest.NORMALIZE_WHITESPACE), (
        said.getvalue()
    )
