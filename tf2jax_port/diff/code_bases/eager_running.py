"""Run a captured program eagerly, so that its calls are recorded with their values."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable
from typing import Any


def run_eagerly(traced: Callable[[Any], None], drop_tapes: Callable[[], None]) -> bool:
    """Run functions under `tf.function`, and functions that TensorFlow itself calls, as Python.

    TensorFlow converts functions that are passed to `tf.map_fn` and similar operators, even if nothing is traced.
    Then a converted copy runs, not the program's own function.

    Args:
      traced: called with each function that is called while a graph is traced.
      drop_tapes: closes the tapes that record gradients of the calls that run.

    Returns:
      Whether TensorFlow was imported.
    """
    tf: Any = sys.modules.get("tensorflow")
    switch = getattr(getattr(tf, "config", None), "run_functions_eagerly", None)
    if switch is None:
        return False
    switch(True)
    with contextlib.suppress(ImportError, AttributeError):  # another release keeps it elsewhere
        api: Any = importlib.import_module("tensorflow.python.autograph.impl.api")
        converted = api.converted_call

        def call(f: Any, args: Any, kwargs: Any, *rest: Any, **named: Any) -> Any:
            if tf.executing_eagerly():
                return f(*args, **(kwargs or {}))
            traced(f)
            return converted(f, args, kwargs, *rest, **named)

        api.converted_call = call
    with contextlib.suppress(ImportError, AttributeError):
        _let_graphs_run(drop_tapes)
    return True


def _let_graphs_run(drop_tapes: Callable[[], None]) -> None:
    """Call a graph again without the recorder's tapes, if these fail because one of its operators has no gradient.

    TensorFlow builds the gradient of a graph, such as that of `tf.vectorized_map`, before it runs under a tape; the
    program itself has none there.
    """
    home: Any = importlib.import_module(
        "tensorflow.python.eager.polymorphic_function.concrete_function"
    )
    graph = home.ConcreteFunction
    call_flat = graph._call_flat

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return call_flat(self, *args, **kwargs)
        except LookupError as error:
            if "No gradient defined" not in str(error):
                raise
            drop_tapes()
            return call_flat(self, *args, **kwargs)

    graph._call_flat = call
