"""Define the pages of the reference, and choose the page of an entry."""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any, NamedTuple

from tf2jax_port import table
from tools.data_files import ROOT
from tools.operator_pages.subjects import Subject


class Page(NamedTuple):
    """A page of the reference.

    Attributes:
      stem: the name of the file.
      title: the title.
      modules: the modules of the table whose rows it describes.
      namespaces: the namespaces whose other names it describes.
      rooms: the folders of code whose functions among these names it describes.
      guides: the pages of `docs/` that explain the subject.
    """

    stem: str
    title: str
    modules: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    rooms: tuple[str, ...] = ()
    guides: tuple[str, ...] = ()


PAGES = (
    Page(
        "core",
        "tf: functions, control flow, variables, types",
        modules=("dtypes", "program"),
        namespaces=(
            *("", "autodiff", "autograph", "compat", "experimental", "nest"),
            "UnconnectedGradients",
        ),
        guides=("sizes", "state"),
    ),
    Page(
        "arrays",
        "tf: create, select, join and reshape arrays",
        modules=("array", "array_windows"),
        guides=("cookbook", "sizes"),
    ),
    Page("elementwise", "tf.math: functions of each element", modules=("math_elementwise",)),
    Page(
        "math",
        "tf.math: special functions and numbers",
        modules=("math_numbers", "math_special"),
        namespaces=("math",),
    ),
    Page(
        "reductions",
        "tf.math: reductions, segments, sorting and counting",
        modules=("math_reduction", "math_segment"),
        guides=("cookbook",),
    ),
    Page(
        "linalg",
        "tf.linalg: matrices",
        modules=("linalg", "linalg_matrices"),
        namespaces=("linalg",),
        guides=("linear_algebra",),
    ),
    Page(
        "linear_operators",
        "tf.linalg: linear operators",
        modules=("linear_operator",),
        guides=("linear_algebra",),
    ),
    Page(
        "bitwise",
        "tf.bitwise, tf.quantization and tf.raw_ops",
        modules=("bitwise", "quantization", "raw_ops"),
    ),
    Page(
        "nn",
        "tf.nn: activations, losses and normalization",
        modules=("nn", "nn_losses", "nn_normalization"),
        namespaces=("nn",),
    ),
    Page(
        "convolutions",
        "tf.nn: convolutions and pooling",
        modules=("nn_convolutions", "nn_depthwise", "nn_pools"),
    ),
    Page(
        "image",
        "tf.image: pixels, boxes and resizing",
        modules=("image", "image_pixels"),
        namespaces=("image",),
    ),
    Page("image_random", "tf.image: random changes, patches and files", modules=("image_random",)),
    Page(
        "signal",
        "tf.signal and tf.audio",
        modules=("signal",),
        namespaces=("audio",),
    ),
    Page(
        "strings",
        "tf.strings and tf.lookup",
        modules=("strings",),
        namespaces=("lookup",),
        guides=("data",),
    ),
    Page(
        "ragged",
        "tf.ragged and tf.RaggedTensor",
        modules=("ragged",),
        namespaces=("RaggedTensor",),
        guides=("ragged_and_sparse",),
    ),
    Page(
        "sparse",
        "tf.sparse and tf.sets",
        modules=("sparse", "sets"),
        guides=("ragged_and_sparse",),
    ),
    Page(
        "random",
        "tf.random, dropout and initializers",
        modules=("random",),
        namespaces=("random",),
        guides=("random",),
    ),
    Page(
        "debugging",
        "tf.debugging and tf.test",
        modules=("debugging",),
        namespaces=("debugging", "test"),
        guides=("summaries",),
    ),
    Page("errors", "tf.errors", namespaces=("errors",)),
    Page("data", "tf.data", namespaces=("data",), guides=("data",)),
    Page("io", "tf.io", namespaces=("io",), guides=("data",)),
    Page(
        "train",
        "tf.train and tf.saved_model",
        namespaces=("train", "saved_model"),
        guides=("checkpoints", "saved_models"),
    ),
    Page("config", "tf.config", namespaces=("config",), guides=("devices",)),
    Page("distribute", "tf.distribute", namespaces=("distribute",), guides=("devices",)),
    Page(
        "summary",
        "tf.summary and tf.profiler",
        namespaces=("summary", "profiler"),
        guides=("summaries",),
    ),
    Page(
        "keras",
        "tf.keras: names that differ in Keras 3",
        namespaces=("keras",),
        guides=("keras",),
    ),
    Page(
        "keras_backend",
        "tf.keras.backend",
        namespaces=("keras.backend",),
        guides=("keras",),
    ),
    Page(
        "v1",
        "tf.compat.v1: graphs, sessions and settings",
        namespaces=("v1",),
        guides=("tensorflow_1", "way_out"),
    ),
    Page(
        "v1_variables",
        "tf.compat.v1: variables",
        rooms=("shims/_src/v1/variables",),
        guides=("tensorflow_1", "way_out"),
    ),
    Page(
        "v1_operators",
        "tf.compat.v1: operators and control flow",
        rooms=("shims/_src/v1/control_flow", "shims/_src/v1/gradients", "shims/_src/v1/ops"),
        guides=("tensorflow_1",),
    ),
    Page(
        "v1_train",
        "tf.compat.v1.train",
        namespaces=("v1.train",),
        guides=("tensorflow_1", "optimizers", "checkpoints"),
    ),
    Page(
        "v1_layers",
        "tf.compat.v1.layers, nn and initializers",
        namespaces=("v1.layers", "v1.nn", "v1.initializers", "v1.keras"),
        guides=("tensorflow_1",),
    ),
    Page(
        "v1_losses",
        "tf.compat.v1.losses and metrics",
        namespaces=("v1.losses", "v1.metrics"),
        guides=("tensorflow_1",),
    ),
    Page(
        "v1_data",
        "tf.compat.v1: data, estimators and summaries",
        namespaces=(
            *("v1.data", "v1.estimator", "v1.feature_column", "v1.io", "v1.lookup"),
            *("v1.logging", "v1.summary", "v1.saved_model", "v1.test"),
        ),
        guides=("tensorflow_1", "data", "summaries"),
    ),
    Page(
        "contrib_layers",
        "tf.contrib: layers, framework and slim",
        namespaces=("contrib.layers", "contrib.framework", "contrib.slim"),
        guides=("tensorflow_1",),
    ),
    Page(
        "contrib_rnn",
        "tf.contrib: recurrent networks and sequences",
        namespaces=(
            *("contrib.rnn", "contrib.seq2seq", "contrib.legacy_seq2seq", "contrib.crf"),
            "contrib.cudnn_rnn",
        ),
        guides=("tensorflow_1",),
    ),
    Page("contrib", "tf.contrib: other names", namespaces=("contrib",), guides=("tensorflow_1",)),
)


def page_of(subject: Subject) -> Page:
    """Return the page of an entry: that of its module of the table, or of its longest namespace.

    Raises:
      LookupError: no page describes the namespace.
    """
    module = "" if subject.name.startswith("v1.") else _module_of(subject)
    for page in PAGES:
        if module and module in page.modules:
            return page
    namespaces = {namespace: page for page in PAGES for namespace in page.namespaces}
    parts = subject.name.split(".")[:-1]
    prefixes = [".".join(parts[:n]) for n in range(len(parts), 0, -1)] or [""]
    found = next((namespaces[prefix] for prefix in prefixes if prefix in namespaces), None)
    if found is None:
        raise LookupError(f"no page describes `{subject.name}`: add its namespace to a page here")
    if found.namespaces != ("v1",):
        return found
    place = _file_of(subject.value)
    rooms = (page for page in PAGES if place.startswith(page.rooms or ("-",)))
    return next(rooms, found)


def _file_of(value: Any) -> str:
    """Return the file that defines a function or a class, empty for all other objects."""
    try:
        file = inspect.getsourcefile(inspect.unwrap(value)) or ""
    except TypeError:
        return ""
    return file.removeprefix(f"{ROOT}/")


@functools.cache
def _modules() -> dict[str, str]:
    """Return a dict from the names of rows to the module of the table that defines them."""
    found = {}
    for page in PAGES:
        for name in page.modules:
            module = importlib.import_module(f"{table.__name__}.{name}")
            found.update({row.name: name for row in module.ROWS})
    return found


def _module_of(subject: Subject) -> str:
    return _modules().get(subject.row.name, "") if subject.row else ""
