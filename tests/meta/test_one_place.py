"""Some facts of Python and JAX are read in one module each, and no other module reads them."""

import ast
import functools
import pathlib

from tests.meta import tree


@functools.cache
def names_of(text):
    """The names that a file reads or passes, and those that it imports from modules.

    Read are attributes, also with `getattr` and `hasattr`; passed are keyword arguments of calls.
    """
    named, imported = set(), set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(attr=name):
                named.add(name)
            case ast.Call(func=function, args=args, keywords=keywords):
                named.update(k.arg for k in keywords)
                match function, args:
                    case ast.Name(id="getattr" | "hasattr"), [_, ast.Constant(value=name), *_]:
                        named.add(name)
            case ast.ImportFrom(names=names):
                imported.update(a.name for a in names)
    return named, imported


def readers(sources, *names):
    """The files that read or pass something of these names."""
    return sorted(str(path) for path, text in sources.items() if set(names) & names_of(text)[0])


def test_the_equations_of_jaxprs():
    assert readers(tree.package_sources(), "eqns") == ["shims/_src/platform/jaxprs.py"]


def test_thread_local_state():
    sources = tree.package_sources()
    assert readers(sources, "local") == [
        "shims/_src/platform/thread_state.py",
        "tf2jax_port/diff/code_bases/recorder.py",  # runs in programs without shims
    ]
    assert [path for path, text in sources.items() if "local" in names_of(text)[1]] == []


def test_whether_a_value_is_a_composite():
    assert readers(tree.package_sources(), "is_composite") == ["shims/_src/types/composite.py"]


def test_the_rules_can_fail():
    for text in ("x.eqns", "hasattr(x, 'eqns')", "x.replace(eqns=[])"):
        assert readers({pathlib.Path("a.py"): text}, "eqns") == ["a.py"]
    assert names_of("from threading import local")[1] == {"local"}


# ---- the texts of exceptions ---------------------------------------------------------------------

MATCHING = {"search", "match", "fullmatch", "findall", "finditer", "startswith", "endswith"}
MATCHING |= {"find", "rfind", "index", "count"}


def functions(text):
    return [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.Lambda)]


def exceptions(function):
    """The names of a function that hold exceptions: caught, or parameters that are so called."""
    caught = {n.name for n in ast.walk(function) if isinstance(n, ast.ExceptHandler) and n.name}
    args = function.args
    every = (*args.posonlyargs, *args.args, *args.kwonlyargs)
    typed = {
        a.arg
        for a in every
        if a.arg in ("error", "exc", "exception")
        or (a.annotation is not None and "Exception" in ast.unparse(a.annotation))
    }
    return caught | typed


def is_text(node, errors, texts):
    """Whether an expression is the text of an exception."""
    holds = lambda n: isinstance(n, ast.Name) and n.id in errors
    match node:
        case ast.Name():
            return node.id in texts
        case ast.Attribute():
            return node.attr in ("args", "message") and holds(node.value)
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[of, *_]):
            return holds(of)
    return False


def reads_text(node, errors, texts):
    """Whether an expression contains the text of an exception."""
    return any(is_text(n, errors, texts) for n in ast.walk(node))


def matches(text):
    """The lines of a file that search the text of an exception, or compare it with another."""
    for function in functions(text):
        errors = exceptions(function)
        if not errors:
            continue
        assigned = [n for n in ast.walk(function) if isinstance(n, ast.Assign)]
        texts = {
            name.id
            for n in assigned
            if reads_text(n.value, errors, ())
            for target in n.targets
            for name in ast.walk(target)
            if isinstance(name, ast.Name)
        }
        for node in ast.walk(function):
            parts = []
            if isinstance(node, ast.Compare):
                parts = [node.left, *node.comparators]
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in MATCHING:
                parts = [node.func.value, *node.args]
            if any(reads_text(part, errors, texts) for part in parts):
                yield node.lineno


def test_only_one_module_reads_the_texts_of_errors():
    found = {
        str(path)
        for path, text in tree.package_sources().items()
        if path.parts[0] == "shims" and any(matches(text))
    }
    assert found == {"shims/_src/platform/jax_messages.py"}


def test_reading_a_text_is_found():
    for line in (
        "'a' in str(error)",
        "re.search('a', str(error))",
        "PATTERN.match(error.args[0])",
        "str(error).startswith('a')",
        "error.message == 'a'",
    ):
        caught = f"def f():\n    try:\n        g()\n    except E as error:\n        return {line}\n"
        assert list(matches(caught)) == [5]
        assert list(matches(f"def f(error):\n    return {line}\n")) == [2]
    later = "def f(error):\n    text = str(error)\n    return 'a' in text\n"
    assert list(matches(later)) == [3]
    assert not list(matches("def f(error):\n    return g(str(error))\n"))
