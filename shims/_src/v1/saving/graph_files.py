"""Define functions that would read or write graph files; all raise errors."""

from __future__ import annotations

from typing import Any

from shims._src.errors import errors


def no_meta_graph(function: str) -> errors.UnimplementedError:
    """Return the error for a function that reads or writes graph files, which is not supported."""
    return errors.UnimplementedError(
        errors.message(
            function,
            "`shims` does not store graphs as protocol buffers, so there are no `.meta` files.",
            do="rebuild the graph with its original code, then call `Saver().restore`; "
            "if that code is lost, freeze the graph in TensorFlow and run `tf2jax-port "
            "import-graph`",
        )
    )


def export_meta_graph(*args, **kwargs) -> Any:
    """Raise an error: `shims` does not store graphs as protocol buffers.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/export_meta_graph
    """
    raise no_meta_graph("export_meta_graph")


def import_meta_graph(meta_graph_or_file, clear_devices=False, import_scope=None, **kwargs) -> Any:
    """Raise an error: `shims` does not store graphs as protocol buffers.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/import_meta_graph
    """
    raise no_meta_graph("import_meta_graph")
