"""Write `graph_names.json`, the names that `shims.compat.v1` has.

The rewriter imports neither JAX nor `shims`, so it has the list as data.
"""

from __future__ import annotations

import sys

import shims
import shims.compat.v1.python
from shims._src.v1.names import names
from tools.data_files import ROOT, render

PATH = "tf2jax_port/rewrite/data/graph_names.json"


def generate() -> str:
    """Return the text of the data file."""
    every = {*names.every_name(), "__version__"}
    modules = ("app", "app.flags", "flags", "gfile", "io.gfile", "logging")
    every |= {f"{module}.{name}" for module in modules for name in names.names_in(module)}
    plain = {"errors": shims.errors, "nest": shims.nest}
    every |= {f"{n}.{name}" for n, m in plain.items() for name in dir(m) if name[0] != "_"}
    return render("tools.generate_graph_names", names=sorted(every), internal_modules=_internal())


def _internal() -> dict[str, str]:
    """Return the modules of `tensorflow.python` that can be imported, and where they look names up."""
    package = shims.compat.v1.python.__name__
    return {
        name.removeprefix("shims.compat.v1."): " ".join(getattr(module, "_namespaces", ()))
        for name, module in sorted(sys.modules.items())
        if f"{name}.".startswith(f"{package}.")  # not `python_io`
    }


if __name__ == "__main__":
    (ROOT / PATH).write_text(generate())
