"""Decide imports of libraries that depend on TensorFlow, such as TensorFlow Probability and TF-Agents."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from tf2jax_port.rewrite.findings.findings import Finding, State
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.reading.ignoring import Ignored
from tf2jax_port.rewrite.reading.neighbors import Neighbors
from tf2jax_port.rewrite.reading.scopes import Names
from tf2jax_port.rewrite.reading.source import Source
from tf2jax_port.rewrite.writing.edits import Edit

_PROBABILITY = "tensorflow_probability"
_SUBSTRATE = f"{_PROBABILITY}.substrates"
# Parts of TensorFlow Probability that its JAX substrate lacks.
_LACKING = ("layers", "debugging", "python", "version")
_LEFT = {
    "tensorflow_addons": (
        "the library needs TensorFlow and is no longer maintained: Keras 3 and Optax have most of the library's "
        "layers, losses and optimizers; `keras.ops.image` and `jax.scipy.ndimage` have most of the image operators"
    ),
    "tensorflow_hub": (
        "the library loads SavedModels: use a model of Keras 3 or Flax, read the variables with `tf2jax-port "
        "weights`, or convert the functions with `tf2jax-port import-graph`"
    ),
    "sonnet": (
        "the library needs TensorFlow: Haiku has the same modules on JAX; Flax NNX and `shims.Module` are alternatives"
    ),
    "tf_keras": "the library is Keras 2 on TensorFlow: use `import keras`, which imports Keras 3 and can run on JAX",
    "graph_nets": "the library needs TensorFlow: the package `jraph` has the same graph networks on JAX",
    "keras_cv": "the library is now a part of KerasHub (`keras_hub`): the models of KerasHub run on JAX",
    "keras_nlp": "the library is now called KerasHub (`keras_hub`): the models of KerasHub run on JAX",
    "horovod.tensorflow": "the library needs TensorFlow: use JAX's meshes and `jax.distributed` instead",
    "tensorflow_decision_forests": (
        "the library needs TensorFlow: the package `ydf` trains the same forests without TensorFlow, and "
        "converts them to JAX functions"
    ),
    "tensorflow_gnn": (
        "the library needs TensorFlow: `jax.ops.segment_sum` and Jraph have the same operations on graphs"
    ),
    "tensorflow_model_optimization": (
        "the library needs Keras 2: Keras 3 has `model.quantize`, and Optax has masks of weights for pruning"
    ),
    "tensorflow_privacy": (
        "the library needs TensorFlow: `optax.contrib.differentially_private_aggregate` clips gradients and adds noise"
    ),
    "tensorflow_ranking": (
        "the library needs TensorFlow: the package `rax` has ranking losses and metrics on JAX"
    ),
    "tensorflow_recommenders": (
        "the library needs Keras 2: Keras Recommenders (`keras_rs`) has retrieval and ranking layers on JAX"
    ),
    "tf_agents": (
        "the library needs TensorFlow: write the agent with Flax NNX and Optax; the package `rlax` has the "
        "losses of reinforcement learning"
    ),
    "tf_slim": (
        "the library needs TensorFlow: `shims.compat.v1.contrib.slim` has the same layers, for programs "
        "whose graph `shims.compat.v1` builds"
    ),
    "trfl": "the library needs TensorFlow: the package `rlax` has the same losses on JAX",
}
_KEPT = {
    "tensorflow_data_validation": "the library runs on the host and is not changed: it examines files of examples",
    "tensorflow_datasets": (
        "the library runs on the host and is not changed: `tfds.as_numpy` and `tfds.data_source` return NumPy arrays"
    ),
    "tensorflow_io": "the library runs on the host and is not changed: convert its results to NumPy arrays",
    "tensorflow_text": "the library runs on the host and is not changed: convert its tokens to arrays of numbers",
    "tensorflow_transform": (
        "the library prepares data on the host and is not changed: convert its examples to NumPy arrays"
    ),
}
# Libraries of which only some names need TensorFlow: the pattern of these names, and what to do.
_IN_PART = {
    "transformers": (
        re.compile(
            r"TF[A-Z]\w*|AdamWeightDecay|GradientAccumulator|WarmUp|create_optimizer|"
            r"KerasMetricCallback|PushToHubCallback|shape_list"
        ),
        "this part of the library computes with TensorFlow: use the same model from a library for JAX, such as "
        "KerasHub (`keras_hub`), or a model in Flax",
    ),
}
# Libraries of this family are known by their names, even if nothing else is known about them.
_FAMILY = "tensorflow_"
_OF_FAMILY = (
    "judging by its name, the library needs TensorFlow: use a library for JAX or for NumPy instead"
)
_ROOTS = (_PROBABILITY, *_LEFT, *_KEPT, *_IN_PART)
_WORDS = tuple(root.encode() for root in _ROOTS if not root.startswith("tensorflow"))


Statement = ast.Import | ast.ImportFrom


class Companion(NamedTuple):
    """The decision about one imported name of a library that is built on TensorFlow."""

    statement: Statement
    path: str
    state: State
    code: str
    message: str
    edits: tuple[Edit, ...] = ()

    def finding(self, source: Source) -> Finding:
        """Return the finding; a comment above the import marks manual work."""
        line, marked = self.statement.lineno, self.state is State.MANUAL and self.code != "TJ313"
        start, end = source.span(self.statement)
        text = source.data[start:end].decode()
        after = "".join(str(piece) for edit in self.edits for piece in edit.pieces)
        column = self.statement.col_offset + 1
        said = (self.path, self.state, self.code, self.message, text, after)
        return Finding(line, column, *said, marker=line if marked else 0)


def may_import(raw: bytes) -> bool:
    """Return whether a text may import such a library, judging by words other than `tensorflow`."""
    return any(word in raw for word in _WORDS)


def find_companions(
    source: Source, names: Names, neighbors: Neighbors, options: Options, ignored: Ignored
) -> list[Companion]:
    """Return the decisions about all imported names of such libraries, in text order."""
    found = _decide(source, names, neighbors) if _is_named(names) else ()
    return [_choose(companion, options, ignored) for companion in found]


def for_graph(companions: list[Companion]) -> list[Companion]:
    """Return the decisions for a program whose graph `shims.compat.v1` builds: nothing moves."""
    message = "the library's operations cannot be part of a graph that `shims.compat.v1` builds"
    left = (State.MANUAL, "TJ335", message)
    return [
        Companion(c.statement, c.path, *left) if c.state is State.REVIEW else c for c in companions
    ]


def _is_named(names: Names) -> bool:
    return any(_library(path) for _, path in names.imported)


def _library(path: str) -> str:
    """Return the library on TensorFlow to which an imported name belongs, `""` if there is none."""
    root, _, rest = path.partition(".")
    for name in (root, f"{root}.{rest.partition('.')[0]}"):
        if name in _ROOTS:
            return name
    return root if root.startswith(_FAMILY) else ""


def _choose(companion: Companion, options: Options, ignored: Ignored) -> Companion:
    """Return a decision, without its edits if options or an ignore comment forbid them."""
    code = companion.code
    if ignored.covers(companion.statement, code):
        left = (State.KEPT, "TJ502", f"a comment excludes {code} here")
    elif not options.selects(code):
        left = (State.KEPT, "TJ503", f"{code} is not selected")
    elif options.safe_only and companion.state is State.REVIEW:
        left = (State.MANUAL, "TJ313", f"{code}: {companion.message}")
    else:
        return companion
    return Companion(companion.statement, companion.path, *left)


def _decide(source: Source, names: Names, neighbors: Neighbors) -> Iterator[Companion]:
    for statement in names.imports:
        paths = [_path(statement, alias) for alias in statement.names]
        for alias, path in zip(statement.names, paths, strict=True):
            library = _library(path)
            if not library or path.startswith(_SUBSTRATE):
                continue
            if neighbors.export(library.partition(".")[0]):
                continue  # a module of the project has this name
            if library == _PROBABILITY:
                yield _of_probability(source, names, statement, alias)
            elif library in _KEPT:
                yield Companion(statement, path, State.KEPT, "TJ505", _KEPT[library])
            elif library in _IN_PART:
                yield from _of_part(names, statement, alias, path, *_IN_PART[library])
            else:
                message = _LEFT.get(library, _OF_FAMILY)
                yield Companion(statement, path, State.MANUAL, "TJ335", message)


def _of_part(
    names: Names,
    statement: Statement,
    alias: ast.alias,
    path: str,
    pattern: re.Pattern[str],
    message: str,
) -> Iterator[Companion]:
    """Yield a decision for each name that matches a pattern: an imported name, or attributes of a module."""
    if isinstance(statement, ast.ImportFrom) and pattern.fullmatch(alias.name):
        yield Companion(statement, path, State.MANUAL, "TJ335", message)
        return
    bound = alias.asname or alias.name
    for name in dict.fromkeys(filter(pattern.fullmatch, _attributes(names, bound))):
        yield Companion(statement, f"{path}.{name}", State.MANUAL, "TJ335", message)


def _attributes(names: Names, bound: str) -> Iterator[str]:
    """Yield the attributes that a file reads from a bound name, in text order."""
    for attribute in names.attributes:
        if isinstance(attribute.value, ast.Name) and attribute.value.id == bound:
            yield attribute.attr


def _path(statement: Statement, alias: ast.alias) -> str:
    """Return the path of an imported name; for a relative import it begins with a dot."""
    if isinstance(statement, ast.Import):
        return alias.name
    return "." * statement.level + f"{statement.module}.{alias.name}"


def _of_probability(
    source: Source, names: Names, statement: Statement, alias: ast.alias
) -> Companion:
    """Return the decision about a name of TensorFlow Probability, which has a JAX substrate."""
    path = _path(statement, alias)
    together = statement.names if isinstance(statement, ast.ImportFrom) else [alias]
    lacking = next(filter(None, (_lacking(names, statement, each) for each in together)), "")
    if lacking:
        message = (
            f"TensorFlow Probability on JAX has no `{lacking}`: write this code with Keras 3, or do not use "
            f"`{lacking}`"
        )
        return Companion(statement, path, State.MANUAL, "TJ335", message)
    message = (
        "TensorFlow Probability on JAX: methods that draw random numbers need "
        "`seed=jax.random.key(...)`"
    )
    edits = _move(source, statement, alias)
    return Companion(statement, path, State.REVIEW, "TJ210", message, edits)


def _lacking(names: Names, statement: Statement, alias: ast.alias) -> str:
    """Return the first used part of a name that the substrate lacks, `""` if there is none."""
    parts = _path(statement, alias).split(".")[1:]
    if parts and isinstance(statement, ast.Import) and not alias.asname:
        return ".".join(parts)  # the name that it binds is the library's
    if parts:
        return parts[0] if parts[0] in _LACKING else ""
    used = _attributes(names, alias.asname or _PROBABILITY)
    return next((name for name in used if name in _LACKING), "")


def _move(source: Source, statement: Statement, alias: ast.alias) -> tuple[Edit, ...]:
    """Return the edits that import from the JAX substrate instead."""
    if isinstance(statement, ast.ImportFrom):
        if alias is not statement.names[0]:
            return ()  # with the first name of the statement all of them have moved
        place = source.data.index(_PROBABILITY.encode(), source.span(statement)[0])
    else:
        place = source.offset(alias.lineno, alias.col_offset)
    bare = isinstance(statement, ast.Import) and not alias.asname
    written = f"{_SUBSTRATE}.jax" + (f" as {_PROBABILITY}" if bare else "")
    return (Edit(place, place + len(_PROBABILITY), (written,)),)
