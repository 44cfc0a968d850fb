"""Provide `Optimizer`, which applies an Optax transformation to variables as TensorFlow does."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from shims._src.errors import errors
from shims._src.gradients.tape import GradientTape
from shims._src.optimizers.library import optax
from shims._src.optimizers.recipe import Recipe
from shims._src.recording import replicas
from shims._src.recording.indexed_slices import dense
from shims._src.recording.state import changing
from shims._src.variables.keras_state import standing_for
from shims._src.variables.tracked import resume_restorations
from shims._src.variables.variable import Variable

_RATE = ("learning_rate", "'learning_rate'")


class Optimizer:
    """An optimizer that applies an Optax transformation to variables and keeps its state in variables.

    Args:
      transformation: an Optax transformation, such as `shims.optax.adam(0.1)`.

    Raises:
      TypeError: `transformation` is not an Optax transformation.

    Differs from TensorFlow:
      The order of `variables` differs. There are no named slots and no `get_config`. To average
      weights use `shims.train.ExponentialMovingAverage`; to accumulate gradients use
      `optax.MultiSteps`. A variable may occur only once in the list of a step.

    Under jit:
      Inside `shims.function` the state is captured like any variable. In an enclosing `jax.jit`
      variables cannot be assigned: use the pure functions `init` and `update` there.

    Example:
      >>> import shims
      >>> w = shims.Variable([1.0, 2.0])
      >>> optimizer = Optimizer(shims.optax.sgd(0.5))
      >>> _ = optimizer.apply_gradients([(shims.constant([1.0, 0.0]), w)])
      >>> w.numpy().tolist()
      [0.5, 2.0]

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/Optimizer
    """

    __module__ = "shims.optax"

    def __init__(self, transformation):
        if not isinstance(transformation, optax.GradientTransformation):
            raise TypeError(
                errors.message(
                    "Optimizer",
                    "`transformation` is not an Optax transformation.",
                    required="optax.GradientTransformation",
                    received=type(transformation).__name__,
                )
            )
        self._transformation = transformation
        self._trained: list[Variable] = []
        # The leaves of the state by path, and its pytree structure.
        self._leaves: dict[str, Variable] = {}
        self._paths: list[str] = []
        self._structure: Any = None
        if isinstance(transformation, Recipe):
            first = transformation.init([])
            self._store_state(first._replace(shared={}, slots={}))
            self._iterations = self._leaves[".count"]
        else:
            self._iterations = Variable(jnp.zeros([], jnp.int32), False, name="iterations")

    # ---- the state -------------------------------------------------------------------------------

    @property
    def iterations(self) -> Variable:
        """The number of steps taken so far."""
        return self._iterations

    @property
    def learning_rate(self):
        """The learning rate: a variable, or the value of the schedule for the next step.

        Raises:
          AttributeError: the transformation does not store it.
        """
        if isinstance(self._transformation, Recipe) and self._transformation.rate is not None:
            return jnp.asarray(self._transformation.rate(self._iterations.read_value()))
        return self._learning_rate_variable()

    @learning_rate.setter
    def learning_rate(self, value) -> None:
        if isinstance(self._transformation, Recipe) and self._transformation.rate is not None:
            raise TypeError(
                "This optimizer was created with a function as its learning rate, hence its learning "
                "rate is not settable. If you need it to be settable, create the optimizer with a "
                "number."
            )
        if callable(value) and not isinstance(value, Variable):
            raise TypeError(
                "This optimizer was created with a number as its learning rate, so no function can be set later. "
                "Create the optimizer with a function as its learning rate instead."
            )
        self._learning_rate_variable().assign(value)

    def _learning_rate_variable(self) -> Variable:
        if not self._leaves:
            self._store_state(self._transformation.init([]))
        for path, variable in self._leaves.items():
            if path.rpartition(".")[2] in _RATE or path.endswith("['learning_rate']"):
                return variable
        raise AttributeError(
            errors.message(
                "Optimizer.learning_rate",
                "the transformation does not store the learning rate in its state.",
                do=(
                    "create the transformation with a function of `shims.optax` or with "
                    "`optax.inject_hyperparams`."
                ),
            )
        )

    @property
    def variables(self) -> list[Variable]:
        """All variables to save: the step count, the learning rate and the slots."""
        kept = list(self._leaves.values())
        return kept if self._iterations in _IdentitySet(kept) else [self._iterations, *kept]

    def named_state(self) -> list[tuple[str, Variable]]:
        """Return the variables of the state with their paths in it, by which checkpoints name them."""
        return [(path, v) for path, v in self._leaves.items() if v is not self._iterations]

    @property
    def state(self):
        """The state of the transformation, a pytree of arrays.

        Raises:
          ValueError: `build` was not called and no step was taken.
        """
        if self._structure is None or not self._trained:
            raise ValueError(
                "Optimizer: the optimizer has no state yet. Call `build(variables)` first."
            )
        values = [self._leaves[path].read_value() for path in self._paths]
        return jax.tree.unflatten(self._structure, values)

    @state.setter
    def state(self, state) -> None:
        leaves, structure = jax.tree.flatten(state)
        if structure != self._structure:
            raise ValueError(
                "Optimizer: the structure of the given state differs from the structure of the optimizer's own "
                f"state.\n  Required: {self._structure}\n  Received: {structure}"
            )
        for path, leaf in zip(self._paths, leaves, strict=True):
            self._leaves[path].assign(leaf)

    def init(self, params):
        """Return the initial state of the transformation for a pytree of parameters."""
        return self._transformation.init(params)

    def update(self, gradients, state, params=None):
        """Return the updates and the next state of the transformation; a pure function."""
        return self._transformation.update(gradients, state, params)

    def build(self, var_list: Iterable[Any]) -> None:
        """Create the state for variables.

        Args:
          var_list: variables of `shims` or of Keras.

        Raises:
          ValueError: a state for other variables exists already.
          TypeError: an element is not a variable.
        """
        known = set(map(id, self._trained))
        new = [v for v in map(_as_variable, var_list) if id(v) not in known]
        if not new:
            return
        if self._trained and not getattr(self._transformation, "version_1", False):
            raise ValueError(
                f"Unknown variable: {new[0]!r}. This optimizer can only be called for the variables "
                "it was originally built with. When working with a new set of variables, you should "
                "recreate a new optimizer instance."
            )
        self._trained += new
        self._store_state(self._transformation.init([v.read_value() for v in self._trained]))

    def _store_state(self, state) -> None:
        """Store the leaves of an initial state in variables; existing variables keep their values."""
        found, self._structure = jax.tree_util.tree_flatten_with_path(state)
        named = [(jax.tree_util.keystr(path), leaf) for path, leaf in found]
        self._paths = [path for path, _ in named]
        for path, leaf in named:
            if path not in self._leaves:
                name = path.strip(".").replace(".", "/") or "state"
                self._leaves[path] = Variable(leaf, False, name=f"optimizer/{name}")
        resume_restorations(self)

    # ---- steps -----------------------------------------------------------------------------------

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Apply gradients to variables.

        Args:
          grads_and_vars: pairs `(gradient, variable)`. The gradient is an array, `IndexedSlices` or
            `None`; the variable is one of `shims` or of Keras.
          global_step: a variable to increment by 1, as in TensorFlow 1.
          name: ignored.

        Returns:
          `iterations`. If a strategy runs the caller on several replicas, the gradients of all replicas
          are added.

        Raises:
          ValueError: there is no pair or no gradient, a variable occurs twice, or it was not passed
            to `build`.
          TypeError: an element is not a variable.
        """
        del name
        pairs = [(gradient, _as_variable(v)) for gradient, v in grads_and_vars]
        self._check_pairs(pairs)
        self.build([v for _, v in pairs])
        given = {id(v): replicas.summed(g) for g, v in pairs if g is not None}
        with changing():
            self._make_step(given)
        if global_step is not None:
            global_step.assign_add(1)
        return self._iterations

    def _make_step(self, given: dict[int, Any]) -> None:
        """Update the variables, given their gradients by `id`, and the state."""
        values = [v.read_value() for v in self._trained]
        gradients = [
            jnp.zeros_like(value) if id(v) not in given else self._as_supported(given[id(v)])
            for v, value in zip(self._trained, values, strict=True)
        ]
        before = self.state
        changes, after = self._transformation.update(gradients, before, values)
        missing = [id(v) not in given for v in self._trained]
        self.state = self._keep_missing_slots(missing, before, after) if any(missing) else after
        for variable, value, change in zip(self._trained, values, changes, strict=True):
            if id(variable) in given:
                _update_variable(variable, value, change)
        if not isinstance(self._transformation, Recipe):
            self._iterations.assign_add(1)

    def apply(self, grads: Sequence[Any], trainable_variables=None) -> None:
        """Apply gradients to variables.

        Args:
          grads: the gradients.
          trainable_variables: the variables of the gradients; the variables of `build` when `None`.

        Raises:
          ValueError: see `apply_gradients`; or the numbers of gradients and variables differ.
        """
        variables = self._trained if trainable_variables is None else list(trainable_variables)
        if len(grads) != len(variables):
            raise ValueError(
                f"Optimizer: {len(grads)} gradients are given for {len(variables)} variables."
            )
        if grads:
            self.apply_gradients(zip(grads, variables, strict=True))

    def compute_gradients(self, loss, var_list=None, grad_loss=None, tape=None):
        """Compute pairs of a gradient and its variable.

        Args:
          loss: a function without arguments that returns the loss; with `tape`, the loss as an array.
          var_list: the variables, or a function that returns them; all variables that were read when `None`.
          grad_loss: the cotangent of the loss.
          tape: the tape that recorded `loss`.

        Raises:
          ValueError: `loss` is an array and `tape` is `None`.
        """
        if callable(loss):
            tape = GradientTape() if tape is None else tape
            with tape:
                loss = loss()
        elif tape is None:
            raise ValueError("`tape` is required when a `Tensor` loss is passed.")
        if callable(var_list):
            var_list = var_list()
        variables = list(tape.watched_variables() if var_list is None else var_list)
        gradients = tape.gradient(loss, variables, output_gradients=grad_loss)
        return list(zip(gradients, variables, strict=True))

    def minimize(
        self, loss, var_list=None, grad_loss=None, name=None, tape=None, *, global_step=None
    ):
        """Compute the gradients of a loss and apply them.

        Args:
          loss: a function without arguments that returns the loss; with `tape`, the loss as an array.
          var_list: the variables, or a function that returns them; all variables that were read when `None`.
          grad_loss: the cotangent of the loss.
          name: ignored.
          tape: the tape that recorded `loss`.
          global_step: a variable to increment by 1, as in TensorFlow 1.

        Returns:
          `iterations`.

        Raises:
          ValueError: see `compute_gradients` and `apply_gradients`.
        """
        pairs = self.compute_gradients(loss, var_list, grad_loss, tape)
        return self.apply_gradients(pairs, global_step, name)

    def _check_pairs(self, pairs: list[tuple[Any, Variable]]) -> None:
        """Check that a step has gradients; warn about variables without one."""
        if not pairs:
            raise ValueError("No variables provided.")
        if len({id(v) for _, v in pairs}) < len(pairs):
            raise ValueError(
                "Optimizer: a variable occurs twice in the list of gradients and variables."
            )
        without = [v.name for gradient, v in pairs if gradient is None]
        if len(without) == len(pairs):
            raise ValueError(f"No gradients provided for any variable: {without}.")
        if without and not getattr(self._transformation, "version_1", False):
            text = f"Gradients do not exist for variables {without} when minimizing the loss."
            warnings.warn(text, stacklevel=3)

    def _as_supported(self, gradient):
        """Convert `IndexedSlices` to an array if the transformation accepts only arrays."""
        return gradient if isinstance(self._transformation, Recipe) else dense(gradient)

    def _keep_missing_slots(self, missing: list[bool], before, after):
        """Restore the previous slots of variables without a gradient."""
        stays = optax.tree_utils.tree_map_params(
            self._transformation,
            lambda _, is_missing: is_missing,
            after,
            missing,
            transform_non_params=lambda _: False,
        )
        return jax.tree.map(lambda old, x, y: x if old else y, stays, before, after)


class _IdentitySet:
    """A set that compares members by identity, because variables compare elementwise."""

    def __init__(self, members: list[Variable]):
        self._ids = set(map(id, members))

    def __contains__(self, variable: Variable) -> bool:
        return id(variable) in self._ids


def _as_variable(x) -> Variable:
    """Return a variable of `shims`; a Keras variable is converted to the variable that represents it.

    Raises:
      TypeError: `x` is neither.
    """
    found = standing_for(x)
    if not isinstance(found, Variable):
        raise TypeError(
            errors.message(
                "Optimizer",
                "only variables of `shims` and of Keras can be optimized.",
                received=type(x).__name__,
                do=(
                    "to optimize arrays use `init` and `update`; in a graph use "
                    "`shims.compat.v1.train`."
                ),
            )
        )
    return found


def _update_variable(variable: Variable, value, change) -> None:
    """Update a variable and apply its constraint."""
    variable.assign((value + change).astype(value.dtype))
    constraint: Callable[[Any], Any] | None = variable.constraint
    if constraint is not None:
        variable.assign(constraint(variable.read_value()))
