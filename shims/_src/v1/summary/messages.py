"""Provide protocol buffer classes for event files, such as `tf.Summary`, from `tensorboardX`."""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = {
    "Event": "event_pb2",
    "HistogramProto": "summary_pb2",
    "SessionLog": "event_pb2",
    "Summary": "summary_pb2",
    "SummaryDescription": "summary_pb2",
    "SummaryMetadata": "summary_pb2",
    "TaggedRunMetadata": "event_pb2",
    "TensorProto": "tensor_pb2",
}


def library(name: str) -> Any:
    """Import a module of `tensorboardX`, which is an optional dependency.

    Raises:
      ImportError: `tensorboardX` is not installed.
    """
    try:
        return importlib.import_module(f"tensorboardX.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "tensorboardX":
            raise
        raise ImportError(
            "tf.summary: event files are written with tensorboardX, which is not installed.\n"
            "  Do:       pip install tensorboardX"
        ) from None


def __getattr__(name: str) -> Any:
    """Return the protocol buffer class with the given name."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(library(f"proto.{_MODULES[name]}"), name)
