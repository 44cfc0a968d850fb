"""Represent a golden, the recorded results of an original program, as plain data."""

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
    """A summary of one intermediate value of the original program.

    Attributes:
      op: the operation, `MatMul`.
      at: the line of the original that called it, `model.py:12`.
      dtype: the dtype of the value.
      shape: the shape of the value.
      numbers: mean, root mean square, minimum and maximum of its finite elements.
      finite: the number of finite elements.
    """

    op: str
    at: str
    dtype: str
    shape: tuple[int, ...]
    numbers: tuple[float, float, float, float]
    finite: int


@dataclass(frozen=True, slots=True)
class GoldenCase:
    """One case, and the results of the original program for it.

    Attributes:
      case: the call.
      lanes: the observation of each lane.
      in_double: the results in double precision.
      in_single: the results in single precision, if the inputs are wider than JAX allows.
      reruns: the results of running it again, on the same and on slightly perturbed inputs; `None`
        if that fails.
      intermediates: the intermediate values, in the order in which they were computed.
      coarsest: as in `Facts`.
    """

    case: Arguments
    lanes: Mapping[str, Observation]
    in_double: Observation | Failure
    in_single: Observation | Failure | None
    reruns: Reruns | None
    intermediates: tuple[Fingerprint, ...] = ()
    coarsest: str = ""


@dataclass(frozen=True, slots=True)
class Golden:
    """The recorded results of an original program for all cases.

    Attributes:
      spec: the specification of the original on the command line.
      framework: the framework that ran it, `"tensorflow"` or `"jax"`.
      seed: the seed of cotangents and random numbers.
      x64: whether the inputs are meant for JAX with 64-bit types.
      terms: the contract by which a port is judged.
      versions: the versions of the libraries that were used.
      device: the device on which it ran.
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
    """Convert a golden to JSON and arrays.

    Raises:
      DiffError: it contains something that cannot be stored as plain data.
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
        "cases": [_pack_case(case, store) for case in golden.cases],
    }
    return document, store


def from_document(document: Mapping[str, Any], store: Store) -> Golden:
    """Restore a golden that `to_document` converted."""
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
    """Convert the arguments of one call to JSON and arrays.

    Raises:
      DiffError: an argument has a type that JSON cannot represent.
    """
    return {
        "index": case.index,
        "template": pack(case.template),
        "arrays": [store.put(array) for array in case.arrays],
        "paths": list(case.paths),
    }


def unpack_call(entry: Mapping[str, Any], store: Store) -> Arguments:
    """Restore a call that `pack_call` converted."""
    arrays = tuple(store.get(key) for key in entry["arrays"])
    found = tuple(array for array in arrays if array is not None)
    return Arguments(entry["index"], unpack(entry["template"]), found, tuple(entry["paths"]))


def _pack_case(golden: GoldenCase, store: Store) -> dict[str, Any]:
    def run(found: Observation | Failure | None) -> Any:
        return None if found is None else _pack_run(found, store)

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
        "intermediates": [_pack_fingerprint(one) for one in golden.intermediates],
        **({"coarsest": golden.coarsest} if golden.coarsest else {}),
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
        entry.get("coarsest", ""),
    )


def _pack_fingerprint(one: Fingerprint) -> list[Any]:
    return [one.op, one.at, one.dtype, list(one.shape), [pack(n) for n in one.numbers], one.finite]


def _read_fingerprint(entry: list[Any]) -> Fingerprint:
    op, at, dtype, shape, numbers, finite = entry
    mean, rms, low, high = (unpack(n) for n in numbers)
    return Fingerprint(op, at, dtype, tuple(shape), (mean, rms, low, high), finite)


def _pack_run(found: Observation | Failure, store: Store) -> dict[str, Any]:
    if isinstance(found, Failure):
        return {"failure": list(asdict(found).values())}
    return {
        "outputs": _pack_arrays(found.outputs, store.put),
        "gradients": {kind: _pack_arrays(g, store.put) for kind, g in found.gradients.items()},
        "note": found.note,
    }


def _read_run(entry: Mapping[str, Any], store: Store) -> Observation | Failure:
    if "failure" in entry:
        return Failure(*entry["failure"])
    gradients = {kind: _read_arrays(g, store.get) for kind, g in entry["gradients"].items()}
    return Observation(_read_arrays(entry["outputs"], store.get), gradients, entry["note"])


def _pack_arrays(
    found: Gradients | Failure, put: Callable[[np.ndarray | None], Any]
) -> dict[str, Any]:
    if isinstance(found, Failure):
        return {"failure": list(asdict(found).values())}
    # A list keeps the order, which is compared, too.
    return {"arrays": [[path, put(array)] for path, array in found.items()]}


def _read_arrays(
    entry: Mapping[str, Any], get: Callable[[Any], np.ndarray | None]
) -> Gradients | Failure:
    if "failure" in entry:
        return Failure(*entry["failure"])
    return {path: get(key) for path, key in entry["arrays"]}
