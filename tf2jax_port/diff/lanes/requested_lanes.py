"""Run the port in the optional lanes: under `vmap`, sharded over devices, on another backend."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tf2jax_port.diff.lanes.jax_gradients import is_padded
from tf2jax_port.diff.lanes.jax_lanes import JaxLanes
from tf2jax_port.diff.values import tree
from tf2jax_port.diff.values.arguments import Arguments, is_inexact
from tf2jax_port.diff.values.attempt import Failure, LaneError, attempt
from tf2jax_port.diff.values.cotangents import Feed, Steps, Tangents, trained
from tf2jax_port.diff.values.observation import Gradients, Outputs
from tf2jax_port.diff.vocabulary.lanes import BACKENDS, JAX_SHARDED, JAX_VMAP, REQUESTED


class RequestedLane:
    """A way to run the port only on request: under `vmap`, on sharded arrays, or on another backend.

    Args:
      lane: the name of this lane.
      lanes: the port in its other lanes, such as eager JAX.
    """

    def __init__(self, lane: str, lanes: JaxLanes) -> None:
        import jax

        backends = {REQUESTED[name].id: name for name in BACKENDS}
        self._lane: Any
        if lane == JAX_VMAP.id:
            self._lane = _Vmap(jax, lanes)
        elif lane == JAX_SHARDED.id:
            self._lane = _Sharded(jax, lanes)
        else:
            self._lane = _Backend(jax, lanes, backends[lane])

    def outputs(self, case: Arguments) -> Outputs:
        """Compute the outputs in this lane."""
        found: Outputs = self._lane.outputs(case)
        return found

    def gradients(self, case: Arguments, fed: Feed) -> Gradients:
        """Compute the gradients in this lane."""
        if isinstance(fed, Steps):
            return trained(self.gradients, case, fed)
        found: Gradients = self._lane.gradients(case, fed)
        return found


class _Vmap:
    """Runs the port under `vmap` on a batch of two: the case, and a copy with its floats reversed."""

    def __init__(self, jax: Any, lanes: JaxLanes) -> None:
        self._jax, self._lanes = jax, lanes
        self._programs: dict[Any, Any] = {}

    def outputs(self, case: Arguments) -> Outputs:
        def one(arrays: Sequence[Any]) -> Any:
            return self._lanes.given(*case.fill(arrays))

        result = self._run_batch(case, None, one, [])
        return self._lanes.plain(tree.rebuild(result, self._first_of_batch))

    def gradients(self, case: Arguments, fed: Any) -> Gradients:
        if isinstance(fed, Tangents):
            return self._forward(case, fed)
        paths = tuple(fed)

        def one(arrays: Sequence[Any], *cotangents: Any) -> Any:
            return self._lanes.gradients.of_one(case, arrays, cotangents, paths)

        found = self._run_batch(case, paths, one, list(fed.values()))
        inputs = [case.paths[i] for i in case.differentiable]
        return {path: np.asarray(g[0]) for path, g in zip(inputs, found, strict=True)}

    def _forward(self, case: Arguments, fed: Tangents) -> Gradients:
        def one(arrays: Sequence[Any], *moving: Any) -> Any:
            return self._lanes.gradients.of_one_forward(case, arrays, moving, fed.outputs)

        values, moved = self._run_batch(
            case, ("forward", *fed.outputs), one, list(fed.inputs.values())
        )
        found = {}
        for path, value, move in zip(fed.outputs, values, moved, strict=True):
            shape = np.shape(self._first_of_batch(value))
            array = np.asarray((move.values if is_padded(move) else move)[0])
            found[path] = array[tuple(map(slice, shape))]
        return found

    def _run_batch(
        self, case: Arguments, kind: Any, one: Callable[..., Any], fed: Sequence[np.ndarray]
    ) -> Any:
        """Run the batch; if the function rejects the reversed copy, use the case itself twice."""
        if any(a.dtype.kind in "OSU" for a in case.arrays):
            raise LaneError("strings cannot be batched")
        made = self._jax.jit(self._jax.vmap(one))
        program = self._programs.setdefault((case.key, kind), made)
        found: Any = Failure("none", "")
        for other in (_reversed, lambda array: array):
            arrays = [np.stack([a, other(a)]) for a in case.arrays]
            self._lanes.reseed()
            found = attempt(program, arrays, *(np.stack([ct, other(ct)]) for ct in fed))
            if not isinstance(found, Failure):
                return found
        raise LaneError(found.reason, found.detail)

    def _first_of_batch(self, leaf: Any) -> Any:
        if leaf is None:
            return None
        return leaf.unpad()[0] if is_padded(leaf) else leaf[0]


class _Sharded:
    """Runs the port with each input sharded over its first axis divisible by the device count."""

    def __init__(self, jax: Any, lanes: JaxLanes) -> None:
        self._jax, self._lanes = jax, lanes
        self._programs: dict[str, Any] = {}

    def outputs(self, case: Arguments) -> Outputs:
        arrays = self._shard_arrays(case)
        self._lanes.reseed()
        made = self._jax.jit(lambda arrays: self._lanes.given(*case.fill(arrays)))
        return self._lanes.plain(self._programs.setdefault(case.key, made)(arrays))

    def gradients(self, case: Arguments, fed: Any) -> Gradients:
        arrays = self._shard_arrays(case)
        self._lanes.reseed()
        if isinstance(fed, Tangents):
            return self._lanes.gradients.forward(case, arrays, fed, compiled=True)
        return self._lanes.gradients.jit_of_known_sizes(case, arrays, fed)

    def _shard_arrays(self, case: Arguments) -> list[Any]:
        devices = self._jax.devices()
        if len(devices) < 2:
            raise LaneError(
                "JAX has only one device; on a CPU, set XLA_FLAGS=--xla_force_host_platform_device_count=8 to get "
                "eight devices"
            )
        sizes = [n for a in case.arrays for n in a.shape if n]
        fitting = [d for d in range(2, len(devices) + 1) if any(n % d == 0 for n in sizes)]
        if not fitting:
            raise LaneError(f"no axis can be sharded over 2 to {len(devices)} devices")
        mesh = self._jax.sharding.Mesh(np.array(devices[: fitting[-1]]), ("devices",))
        return [
            self._jax.device_put(array, self._sharding_of(mesh, array, fitting[-1]))
            for array in self._lanes.arrays(case)
        ]

    def _sharding_of(self, mesh: Any, array: Any, count: int) -> Any:
        axes = [i for i, n in enumerate(array.shape) if n and n % count == 0][:1]
        spec = [*[None] * axes[0], "devices"] if axes else []
        return self._jax.sharding.NamedSharding(mesh, self._jax.sharding.PartitionSpec(*spec))


class _Backend:
    """Runs the compiled port on the first device of a backend."""

    def __init__(self, jax: Any, lanes: JaxLanes, name: str) -> None:
        self._jax, self._lanes, self._name = jax, lanes, name

    def outputs(self, case: Arguments) -> Outputs:
        with self._on_device():
            return self._lanes.jit(case)[0]

    def gradients(self, case: Arguments, fed: Any) -> Gradients:
        with self._on_device():
            return self._lanes.jit_gradients(case, fed)

    @contextlib.contextmanager
    def _on_device(self) -> Iterator[None]:
        """Run the block on the first device of the backend, with matrix products in full precision."""
        try:
            device = self._jax.devices(self._name)[0]
        except RuntimeError:
            others = ", ".join(sorted({d.platform for d in self._jax.devices()}))
            raise LaneError(
                f"JAX has no {self._name} on this machine; its devices are {others}"
            ) from None
        with (
            self._jax.default_device(device),
            self._jax.default_matmul_precision("highest"),
        ):
            yield


def _reversed(array: np.ndarray) -> np.ndarray:
    return np.flip(array) if is_inexact(array.dtype) else array
