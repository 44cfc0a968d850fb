"""Decide names of `tf.distribute`: with `--target shims`, a program keeps its strategy.

A strategy of TensorFlow cannot run functions of `shims`. Therefore either all names of a file move, or none.
"""

from __future__ import annotations

from collections.abc import Iterable

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.knowledge.host_names import OF_STRATEGIES
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.reading.resolve import Reference
from tf2jax_port.rewrite.reading.scopes import Names
from tf2jax_port.rewrite.sites.decision import Decision, File
from tf2jax_port.rewrite.writing.edits import Edit

_MODULE = "distribute."
_FIT = ("fit", "fit_generator")


def moves_strategies(options: Options, references: Iterable[Reference], names: Names) -> bool:
    """Return whether the strategies of a file are moved to `shims`.

    This is on request, if `shims` has every such name that the file uses. A file that calls `fit` is not moved: `fit`
    of Keras on JAX ignores a strategy and would use one device.
    """
    if options.target != "shims" or any(node.attr in _FIT for node in names.attributes):
        return False
    used = [r for r in references if r.path.startswith(_MODULE)]
    return all(r.path in OF_STRATEGIES and r.version == 2 and not r.ambiguous for r in used)


def decide_strategy(file: File, reference: Reference, symbol: str) -> Decision | None:
    """Return the decision for a name of strategies that moves to `shims`, or `None`."""
    if not file.moves_strategies or reference.path not in OF_STRATEGIES:
        return None
    function, node = f"shims.{reference.path}", reference.node
    edit = Edit(*file.source.span(node), (file.spelling.text(function),))
    message = (
        f"`{function}`, on a mesh of JAX; for `fit` of Keras, use `keras.distribution.DataParallel`"
    )
    return Decision(State.SHIM, "TJ407", message, symbol, node, (edit,), plain=True)
