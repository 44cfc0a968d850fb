"""The repository as data: its files, its syntax trees, and who imports whom."""

import ast
import functools
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ("shims", "tf2jax_port")


def tracked_files():
    """Paths (relative to the root) that git knows or would add, deleted ones left out."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [pathlib.Path(line) for line in listed.stdout.splitlines()]
    return sorted({path for path in paths if (ROOT / path).is_file()})


@functools.cache
def package_sources():
    """`{path: text}` of our own Python files, tests and scripts left out."""
    return {
        path: (ROOT / path).read_text()
        for path in tracked_files()
        if path.suffix == ".py" and path.parts[0] in PACKAGES
    }


def module_name(path):
    """`shims/_src/errors/errors.py` -> `shims._src.errors.errors`."""
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def imported_names(path, nodes):
    """Dotted names that the import statements among `nodes` of the file `path` mention."""
    module = module_name(path)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")
                base = ".".join([*above[: len(above) - node.level + 1], *filter(None, [base])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def all_imports(sources):
    """`{path: names}`, imports inside functions included."""
    return {path: every_import(path, text) for path, text in sources.items()}


@functools.cache
def every_import(path, text):
    """The names that a file imports anywhere."""
    return frozenset(imported_names(path, ast.walk(ast.parse(text))))


def import_graph(sources):
    """`{module: modules}` among `sources`: what must be loaded before a module can be."""
    names = {module_name(path) for path in sources}
    graph = {}
    for path, text in sources.items():
        me = module_name(path)
        mentioned = set(imported_names(path, ast.parse(text).body)) & names
        graph[me] = {name for name in mentioned if name != me and not me.startswith(name + ".")}
    return graph
