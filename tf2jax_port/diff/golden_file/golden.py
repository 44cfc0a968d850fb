"""A golden: everything that an original gave, case by case, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tf2jax_port.diff.closeness.facts import Reruns
from tf2jax_port.diff.golden_file.document import FORMAT, Store, pack, unpack
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.values.observation import Gradients, Observation


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """One intermediate value of the original.

    Attributes:
      op: the operation, `MatMul`.
      at: the line of the original that asked for it, `model.py:12`.
      dtype: of the value.
      shape: of the value.
      numbers: mean, root mean square, least and largest of its finite elements.
      finite: how many elements are finite.
    """

    op: str
    at: str
    dtype: str
    shape: tuple[int, ...]
    numbers: tuple[float, float, float, float]
    finite: int


@dataclass(frozen=True, slots=True)
class GoldenCase:
    """One case and what the original gave for it.

    Attributes:
      case: the call.
      lanes: lane to what it gave.
      in_double: the original in double precision.
      in_single: the original in single precision, where its inputs are wider than JAX has them.
      reruns: the original on the same and on slightly moved inputs; `None` where it does not run.
      intermediates: the values on the way, in the order in which they were computed.
    """

    case: Arguments
    lanes: Mapping[str, Observation]
    in_double: Observation | Failure
    in_single: Observation | Failure | None
    reruns: Reruns | None
    intermediates: tuple[Fingerprint, ...] = ()


@dataclass(frozen=True, slots=True)
class Golden:
    """What `record` wrote.

    Attributes:
      spec: the original as it was named on the command line.
      framework: what it was run with, `"tensorflow"` or `"jax"`.
      seed: for cotangents and random numbers.
      x64: whether the inputs are those of a JAX with 64-bit types.
      terms: the contract that a port is held to.
      versions: of what was run.
      device: where it ran.
      skipped: inputs that could not be run, and why.
      cases: the cases.
    """

    spec: str
    framework: str
    seed: int
    x64: bool
    terms: Mapping[str, Any]
    versions: Mapping[str, str]
    device: str
    skipped: tuple[tuple[str, str, tuple[int, ...]], ...]
    cases: tuple[GoldenCase, ...]


def to_document(golden: Golden) -> tuple[dict[str, Any], Store]:
    """The golden as JSON and arrays.

    Raises:
      DiffError: it has something in it that a file without code cannot hold.
    """
    store = Store()
    document = {
        "format": FORMAT,
        "spec": golden.spec,
        "framework": golden.framework,
        "seed": golden.seed,
        "x64": golden.x64,
        "terms": dict(golden.terms),
        "versions": dict(golden.versions),
        "device": golden.device,
        "skipped": [list(entry) for entry in golden.skipped],
        "cases": [_case(case, store) for case in golden.cases],
    }
    return document, store


def from_document(document: Mapping[str, Any], store: Store) -> Golden:
    """The golden that `to_document` made JSON of."""
    return Golden(
        spec=document["spec"],
        framework=document["framework"],
        seed=document["seed"],
        x64=document["x64"],
        terms=document["terms"],
        versions=document["versions"],
        device=document["device"],
        skipped=tuple((what, why, tuple(n)) for what, why, n in document["skipped"]),
        cases=tuple(_read_case(entry, store) for entry in document["cases"]),
    )


def pack_call(case: Arguments, store: Store) -> dict[str, Any]:
    """The arguments of one call.

    Raises:
      DiffError: only code could make one of them again.
    """
    return {
        "index": case.index,
        "template": pack(case.template),
        "arrays": [store.put(array) for array in case.arrays],
        "paths": list(case.paths),
    }


def unpack_call(entry: Mapping[str, Any], store: Store) -> Arguments:
    """The call that `pack_call` made JSON of."""
    arrays = tuple(store.get(key) for key in entry["arrays"])
    found = tuple(array for array in arrays if array is not None)
    return Arguments(entry["index"], unpack(entry["template"]), found, tuple(entry["paths"]))


def _case(golden: GoldenCase, store: Store) -> dict[str, Any]:
    def run(found: Observation | Failure | None) -> Any:
        return None if found is None else _run(found, store)

    reruns = golden.reruns
    return {
        **pack_call(golden.case, store),
        "lanes": {lane: run(found) for lane, found in golden.lanes.items()},
        "double": run(golden.in_double),
        "single": run(golden.in_single),
        "reruns": None
        if reruns is None
        else {
            "again": run(reruns.again),
            "moved": [[run(a), run(b)] for a, b in reruns.moved],
            "decides": reruns.decides,
        },
        "intermediates": [_packed(one) for one in golden.intermediates],
    }


def _read_case(entry: Mapping[str, Any], store: Store) -> GoldenCase:
    def run(found: Any) -> Any:
        return None if found is None else _read_run(found, store)

    kept = entry["reruns"]
    reruns = kept and Reruns(
        run(kept["again"]), [(run(a), run(b)) for a, b in kept["moved"]], kept["decides"]
    )
    return GoldenCase(
        unpack_call(entry, store),
        {lane: run(found) for lane, found in entry["lanes"].items()},
        run(entry["double"]),
        run(entry["single"]),
        reruns,
        tuple(_read_fingerprint(one) for one in entry["intermediates"]),
    )


def _packed(one: Fingerprint) -> list[Any]:
    return [one.op, one.at, one.dtype, list(one.shape), [pack(n) for n in one.numbers], one.finite]


def _read_fingerprint(entry: list[Any]) -> Fingerprint:
    op, at, dtype, shape, numbers, finite = entry
    mean, rms, low, high = (unpack(n) for n in numbers)
    return Fingerprint(op, at, dtype, tuple(shape), (mean, rms, low, high), finite)


def _run(found: Observation | Failure, store: Store) -> dict[str, Any]:
    if isinstance(found, Failure):
        return {"failure": list(asdict(found).values())}
    return {
        "outputs": _arrays(found.outputs, store.put),
        "gradients": {kind: _arrays(g, store.put) for kind, g in found.gradients.items()},
        "note": found.note,
    }


def _read_run(entry: Mapping[str, Any], store: Store) -> Observation | Failure:
    if "failure" in entry:
        return Failure(*entry["failure"])
    gradients = {kind: _read_arrays(g, store.get) for kind, g in entry["gradients"].items()}
    return Observation(_read_arrays(entry["outputs"], store.get), gradients, entry["note"])


def _arrays(found: Gradients | Failure, put: Callable[[np.ndarray | None], Any]) -> dict[str, Any]:
    if isinstance(found, Failure):
        return {"failure": list(asdict(found).values())}
    # A list keeps the order: outputs are compared in it.
    return {"arrays": [[path, put(array)] for path, array in found.items()]}


def _read_arrays(
    entry: Mapping[str, Any], get: Callable[[Any], np.ndarray | None]
) -> Gradients | Failure:
    if "failure" in entry:
        return Failure(*entry["failure"])
    return {path: get(key) for path, key in entry["arrays"]}
