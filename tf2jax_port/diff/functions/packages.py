"""Find the package of a source file that is loaded by its path, and the modules beside it."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

# The folders from which files were loaded by their path.
_FOLDERS: set[Path] = set()


def module_name(path: Path) -> str:
    """Return a name for the module of a file, which no other file's module has.

    If the file has relative imports, the name is within a package of the folders around it; the
    packages are imported.
    """
    levels = _levels(path)
    if not levels:
        return f"{_unique(path)}_{path.stem}"
    root = _root(path.parents[min(levels, len(path.parents)) - 1])
    top = "_".join([_unique(root), re.sub(r"\W", "_", root.name)])
    if top not in sys.modules:
        _import_package(top, root)
    parts = path.relative_to(root).with_suffix("").parts
    importlib.import_module(".".join([top, *parts[:-1]]))
    return ".".join([top, *parts])


@contextlib.contextmanager
def importing_for(path: Path) -> Iterator[None]:
    """Let a file import the modules beside it, and its own package, while the `with` block runs.

    The folders stay on `sys.path`, since a module may import its neighbors later. Modules of the same names
    that files in other folders have imported are set aside meanwhile: the original and its port may both
    have a `layers.py`.
    """
    aside: dict[str, ModuleType] = {}
    for folder in dict.fromkeys((_root(path.parent).parent, path.parent)):
        if folder != path.parent and not (path.parent / "__init__.py").is_file():
            continue  # no package: the folder above has nothing to do with it
        with contextlib.suppress(ValueError):
            sys.path.remove(str(folder))
        sys.path.insert(0, str(folder))
        aside.update(_take_foreign(folder))
        _FOLDERS.add(folder)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.modules.update(aside)


def _levels(path: Path) -> int:
    """Return the most dots of a relative import in a file; 0 if it has none or cannot be parsed."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return 0
    return max((n.level for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)), default=0)


def _import_package(name: str, folder: Path) -> None:
    first = folder / "__init__.py"
    if not first.is_file():
        module = ModuleType(name)
        module.__path__ = [str(folder)]
        sys.modules[name] = module
        return
    spec = importlib.util.spec_from_file_location(
        name, first, submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise


def _unique(path: Path) -> str:
    return f"tf2jax_port_diff_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"


def _root(folder: Path) -> Path:
    """Return the outermost package that a folder is part of, the folder itself if it is in none."""
    while (folder / "__init__.py").is_file() and (folder.parent / "__init__.py").is_file():
        folder = folder.parent
    return folder


def _take_foreign(folder: Path) -> dict[str, ModuleType]:
    """Remove the modules that hide those in a folder from `sys.modules`, and return them."""
    here = {entry.stem for entry in folder.iterdir() if entry.suffix == ".py" or entry.is_dir()}
    hidden = [
        name
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] in here and _is_foreign(module, folder)
    ]
    return {name: sys.modules.pop(name) for name in hidden}


def _is_foreign(module: ModuleType, folder: Path) -> bool:
    """Return whether a module lies in another folder from which files were loaded."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return False
    homes = _FOLDERS.intersection(Path(file).resolve().parents)
    return bool(homes) and folder not in homes
