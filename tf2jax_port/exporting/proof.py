"""Compare a written module with the session that it was made from: values, gradients, training."""

from __future__ import annotations

import importlib.util
import inspect
import pathlib
import warnings
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tf2jax_port.exporting.replay import Key, replaying
from tf2jax_port.exporting.writing import Export

_RATE = 0.01
# A gradient below this part of the largest gradient is rounding, and steps along it are arbitrary.
_ROUNDING = 1e-6
# How many times its own drift from variables one bit away the session may differ from the module.
_AS_FAR = 4.0


def prove(export: Export, path: pathlib.Path, steps: int, tolerance: float) -> dict[str, Any]:
    """Compare the module at a path with the session.

    Returns:
      For each of the loss, the new state, the gradients and the training: whether both sides are equal, and the largest
      difference divided by the largest number.
    """
    module = _load(path)
    sides = Sides(export, module)
    with replaying(module):
        found = {"loss": sides.loss(), "gradients": sides.gradients()}
        if export.outputs:
            found["outputs"] = sides.outputs()
        for entry in found.values():
            entry["equal"] = bool(entry["difference"] <= tolerance)
        found["training"] = sides.training(steps, tolerance)
    return found


def _load(path: pathlib.Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Sides:
    """The session and the module, brought to the same state before each comparison."""

    def __init__(self, export: Export, module: Any):
        self.export, self.module = export, module
        self.step, self.session = export.step, export.step.session
        self.feeds = {**self.step.feeds, **{i.tensor: i.value for i in export.inputs}}
        self.start = dict(self.session.values)
        self.places = {
            p: np.array(slot.stored_value) for p, (slot, _) in self.session.counters.items()
        }
        self.descent: list[Any] = []

    # ---- comparisons -----------------------------------------------------------------------------

    def loss(self) -> dict[str, Any]:
        """Compare the loss, and the new values of variables that are updated beside the step."""
        self._reset()
        key = self._key([self.step.loss])
        updates = [u.writer for u in self.step.updates]
        ours = self._loss(self._params(), self._state(), key)
        value, *_ = self._run([self.step.loss, *updates])
        pairs = {"loss": (ours[0] if self.step.updates else ours, value)}
        if self.step.updates:
            flat = _flat(ours[1])
            for variable, (root, path) in self.export.paths.items():
                if root == "state":
                    pairs["/".join(path)] = (flat["/".join(path)], self.session.values[variable])
        return _worst(pairs)

    def outputs(self) -> dict[str, Any]:
        """Compare the results that were asked for besides the loss."""
        self._reset()
        names = list(self.export.outputs)
        key = self._key(names, "outputs")
        function = self.module.outputs
        ours = function(self._params(), **self._given(key, function, state=self._state()))
        theirs = dict(zip(names, self._run(names), strict=True))
        return _worst({n: (ours[n], theirs[n]) for n in names})

    def gradients(self) -> dict[str, Any]:
        """Compare the gradients of the loss with respect to all parameters."""
        self._reset()
        outputs = self._gradient_tensors()
        key = self._key(outputs)
        theirs = self._dense(self._run(outputs))
        ours = self._gradients(key)
        self.sizes = {n: float(np.max(np.abs(g), initial=0.0)) for n, g in theirs.items()}
        largest = max(self.sizes.values(), default=0.0)
        return _worst({n: (ours[n], g) for n, g in theirs.items()}, largest)

    def training(self, steps: int, tolerance: float) -> dict[str, Any]:
        """Compare the losses and the variables of some training steps on one batch.

        A difference above the tolerance counts as equal if a change of the session's initial variables by one bit
        changes its own result as much: rounding then decides.
        """
        ours, theirs = self._trained(steps)
        largest = max(self.sizes.values(), default=0.0)
        skipped = [n for n, size in self.sizes.items() if size <= _ROUNDING * largest]
        names = [n for n in theirs if n not in skipped]
        gaps = {n: _gap(ours[n], theirs[n], 0.0) for n in names}
        where = max(names, key=lambda n: gaps[n])
        found = {"difference": gaps[where], "where": where, "count": len(names), "steps": steps}
        found |= {"only_rounding": skipped, "equal": gaps[where] <= tolerance}
        if not found["equal"]:
            other = self._session_alone(steps)
            drift = {n: _gap(other[n], theirs[n], 0.0) for n in names}
            found["drift"] = drift[where]
            found["equal"] = all(gaps[n] <= max(tolerance, _AS_FAR * drift[n]) for n in names)
        if not found["equal"]:
            found["steps_before"] = self._steps_before()
        return found

    def _steps_before(self) -> int:
        """Return the global step at which the session starts; 0 if the program counts no steps."""
        counters = self.session.graph.get_collection("global_step")
        values = [self.start[v] for v in counters if v in self.start]
        return int(np.max(values, initial=0))

    def _trained(self, steps: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Train both sides; return the losses and the variables of the module and of the session."""
        self._reset()
        operations, loss = self._training_operations(), self.step.loss
        params, state = self._params(), self._state()
        optimizer_state = self.module.optimizer().init(params)
        losses: list[tuple[float, float]] = []
        for _ in range(steps):
            key = self._key([loss, *operations])
            value = self._run([loss, *operations])[0]
            params, state, optimizer_state, own = self._train(params, state, optimizer_state, key)
            losses.append((float(own), float(value)))
        ours = {"params": _flat(params), "state": _flat(state)}
        mine = {
            "/".join(path): ours[root]["/".join(path)] for root, path in self.export.paths.values()
        }
        return (
            {"the losses": np.array([a for a, _ in losses]), **mine},
            {"the losses": np.array([b for _, b in losses]), **self._variables()},
        )

    def _session_alone(self, steps: int) -> dict[str, Any]:
        """Train the session from variables one bit away; return its losses and variables."""
        self._reset()
        for variable in self.step.trained:
            value = np.asarray(self.session.values[variable])
            self.session.values[variable] = np.nextafter(value, np.inf, dtype=value.dtype)
        fetched = [self.step.loss, *self._training_operations()]
        losses = [float(self._run(fetched)[0]) for _ in range(steps)]
        return {"the losses": np.array(losses), **self._variables()}

    def _variables(self) -> dict[str, np.ndarray]:
        values = self.session.values
        return {"/".join(path): np.asarray(values[v]) for v, (_, path) in self.export.paths.items()}

    # ---- the module ------------------------------------------------------------------------------

    def _params(self) -> Any:
        return self._tree("params")

    def _state(self) -> Any:
        return self._tree("state")

    def _tree(self, root: str) -> dict[str, Any]:
        """Return the values of the session's variables, as the module takes them."""
        found: dict[str, Any] = {}
        for variable, (kind, path) in self.export.paths.items():
            if kind == root:
                place = found
                for part in path[:-1]:
                    place = place.setdefault(part, {})
                place[path[-1]] = jnp.asarray(self.session.values[variable])
        return found

    def _given(self, key: Key, function: Any, **more: Any) -> dict[str, Any]:
        """Return the arguments of a function of the module, except `params`."""
        given = {
            i.name: i.python_value() if i.is_static else jnp.asarray(i.value)
            for i in self.export.inputs
        }
        takes = inspect.signature(function).parameters
        return {n: v for n, v in {**given, "key": key, **more}.items() if n in takes}

    def _loss(self, params: Any, state: Any, key: Key) -> Any:
        function = self.module.loss_fn
        return function(params, **self._given(key, function, state=state))

    def _gradients(self, key: Key) -> dict[str, np.ndarray]:
        state = self._state()
        scalar = lambda p: (
            self._loss(p, state, key)[0] if self.step.updates else self._loss(p, state, key)
        )
        return _flat(jax.grad(scalar)(self._params()))

    def _train(self, params: Any, state: Any, optimizer_state: Any, key: Key) -> Any:
        function = self.module.train_step
        found = function(
            params, **self._given(key, function, state=state, opt_state=optimizer_state)
        )
        return found if self.step.updates else (found[0], state, *found[1:])

    # ---- the session -----------------------------------------------------------------------------

    def _reset(self) -> None:
        self.session.values = dict(self.start)
        for place, (slot, _) in self.session.counters.items():
            slot.stored_value = self.places.get(place, np.zeros_like(slot.stored_value))

    def _run(self, fetches: list[Any]) -> list[Any]:
        return self.session.run(fetches, self.feeds)

    def _key(self, fetches: list[Any], function: str = "loss_fn") -> Key:
        """Return a key that draws what the next run of the session will draw."""
        graph = self.session.graph
        found = [graph.as_graph_element(f) for f in fetches]
        tensors = [t for t in found if hasattr(t, "op") and t not in self.feeds]
        operations = [f for f in found if not hasattr(f, "op")]
        from shims._src.v1.session.execution_plan import Plan, counters_of

        counters_of(Plan(operations, tensors, list(self.feeds)), self.session.counters)
        places = {}
        for path, op in self.export.drawn[function].items():
            slot, words = self.session.counters[op, 0]
            before = np.asarray(slot.stored_value)
            places[path] = jnp.asarray(np.concatenate([words[:2], before, words[2:]]), jnp.uint32)
        return Key(places, ())

    def _gradient_tensors(self) -> list[Any]:
        return list(self.step.gradients.outputs)

    def _dense(self, outputs: list[Any]) -> dict[str, np.ndarray]:
        """Return gradients by the names of their variables; gradients of gathered rows become whole arrays."""
        found, rest = {}, iter(outputs)
        for variable, is_rows in zip(self.step.trained, self.step.rows, strict=True):
            name = "/".join(self.export.paths[variable][1])
            if not is_rows:
                found[name] = np.asarray(next(rest))
                continue
            values, indices, shape = next(rest), next(rest), next(rest)
            found[name] = np.zeros(shape, values.dtype)
            np.add.at(found[name], indices, values)
        return found

    def _training_operations(self) -> list[Any]:
        """Return the operations of a training step: the program's own, or plain gradient descent."""
        if not self.export.optimizer.why_not:
            return [op for op in self.step.after if op.writes] + [
                u.writer for u in self.step.updates
            ]
        if not self.descent:
            self.descent = self._new_descent()
        return self.descent

    def _new_descent(self) -> list[Any]:
        """Add plain gradient descent to the graph of the program."""
        import shims.compat.v1 as tf

        graph = self.session.graph
        graph._unsafe_unfinalize()
        with graph.as_default(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            descent = tf.train.GradientDescentOptimizer(_RATE)
            return [
                descent.minimize(self.step.loss, var_list=list(self.step.trained)),
                *(u.writer for u in self.step.updates),
            ]


def _flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, np.ndarray]:
    """Return the arrays of nested dictionaries by their paths."""
    found: dict[str, np.ndarray] = {}
    for name, value in tree.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{prefix}{name}/")
        else:
            found[prefix + name] = np.asarray(value)
    return found


def _gap(ours: Any, theirs: Any, scale: float) -> float:
    """Return the largest difference between two arrays, divided by a scale (by default, the largest number)."""
    ours, theirs = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    if ours.shape != theirs.shape:
        return float("inf")
    gap = float(np.max(np.abs(ours - theirs), initial=0.0))
    scale = scale or float(np.max(np.abs(theirs), initial=0.0)) or 1.0
    return gap / scale if np.isfinite(gap) else float("inf")


def _worst(pairs: Mapping[str, tuple[Any, Any]], scale: float = 0.0) -> dict[str, Any]:
    """Return the largest difference of pairs of arrays, and where it is."""
    gaps = {name: _gap(ours, theirs, scale) for name, (ours, theirs) in pairs.items()}
    where = max(gaps, key=lambda n: gaps[n])
    return {"difference": gaps[where], "where": where, "count": len(pairs)}
