"""Every name that the rewriter has heard of, called in three ways, in either version: one state each."""

import ast
import builtins
import collections

import pytest

from tests.meta import tree
from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.knowledge.known import rows
from tf2jax_port.rewrite.names import keras_names, public_names, tf_names
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rules.codes import RULES

STATES = {rule.code: rule.state for rule in RULES}
HEADS = {
    "version 2": "import tensorflow as tf\nx = 1\n",
    "version 1": "import tensorflow.compat.v1 as tf\nx = 1\n",
}
FORMS = ("{}", "{}()", "{}(x)")
ALL_MODULES = {*tf_names.MODULES, *(f"keras.{name}" for name in keras_names.MODULES)}
OF_KERAS = (*keras_names.PARAMS, *keras_names.RENAMED, *keras_names.LEFT_OVER)


def public():
    """The public names."""
    names = {
        *tf_names.MODULES,
        *tf_names.V1_ALIASES,
        *tf_names.V1_ALIASES.values(),
        *tf_names.V1_ONLY,
        *tf_names.V1_PARAMS,
        *public_names._outer_level(),
        *(name.removeprefix("v1.") for row in rows().values() for name in row.names),
        *(f"keras.{name}" for name in (*OF_KERAS, *keras_names.MODULES)),
    }
    return [f"tf.{name}" for name in sorted(names) if all(map(str.isidentifier, name.split(".")))]


def internal():
    """Lines that import each private module under a name, and its names behind these."""
    private = [name.rpartition(".") for name in public_names._internal()]
    modules = dict.fromkeys(module for module, _, _ in private)
    numbered = {module: f"m{index}" for index, module in enumerate(modules)}
    lines = [f"import tensorflow.python.{module} as {name}\n" for module, name in numbered.items()]
    names = [f"{numbered[module]}.{name}" for module, _, name in private]
    return "".join(lines), names


def called(names, forms):
    """A line for each name and form, and the names of the lines; a module is not called."""
    lines = [
        (name, form.format(name))
        for name in names
        for form in (FORMS[:1] if name.removeprefix("tf.") in ALL_MODULES else forms)
    ]
    return "".join(f"{line}\n" for _, line in lines), [name for name, _ in lines]


def undefined(code):
    """Names that a program without functions reads and nobody binds, as ruff's F821 finds them."""
    nodes = list(ast.walk(ast.parse(code)))
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {(a.asname or a.name).partition(".")[0] for a in node.names}
    return {n.id for n in nodes if isinstance(n, ast.Name)} - bound - set(dir(builtins))


PRIVATE = internal()
# The head, the names, in which forms, what was asked for, and whether the result is rewritten again.
PROGRAMS = {
    "version 2": (HEADS["version 2"], public(), FORMS, Options(), False),
    "a second run": (HEADS["version 2"], public(), FORMS[2:], Options(), True),
    "version 1": (HEADS["version 1"], public(), FORMS, Options(), False),
    "to shims": (HEADS["version 2"], public(), FORMS[2:], Options(target="shims"), False),
    "version 1 to shims": (HEADS["version 1"], public(), FORMS[2:], Options(target="shims"), False),
    "safe only": (HEADS["version 2"], public(), FORMS[2:], Options(safe_only=True), False),
    "private": (f"x = 1\n{PRIVATE[0]}", PRIVATE[1], FORMS[2:], Options(), False),
}


@pytest.mark.parametrize("case", PROGRAMS)
def test_every_name_ends_in_one_state(case):
    head, names, forms, options, twice = PROGRAMS[case]
    lines, of_line = called(names, forms)
    outcome = rewrite(f"{head}{lines}".encode(), options)
    found = collections.Counter(f.line for f in outcome.findings)
    first = head.count("\n") + 1
    lost = [name for n, name in enumerate(of_line, first) if found[n] != 1]
    assert lost == [], f"{len(lost)} names without one state: {lost[:9]}"
    wrong = {(f.code, f.state) for f in outcome.findings if STATES.get(f.code) is not f.state}
    assert wrong == set()
    assert undefined(outcome.data.decode()) == set()
    if twice:
        assert rewrite(outcome.data, options).data == outcome.data


def test_every_state_has_a_page():
    pages = {path.stem for path in (tree.ROOT / "docs" / "rules").glob("TJ*.md")}
    assert set(STATES) == pages


def test_the_comparison_can_fail():
    assert undefined("import a.b as c\nd = a.b\n") == {"a"}
    assert undefined("import a.b\nfrom e import f\nd = a.b + print(f)\n") == set()
    assert State.MANUAL in STATES.values()
