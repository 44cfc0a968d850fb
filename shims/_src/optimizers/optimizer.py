"""`Optimizer`: a transformation of Optax over variables, used as TensorFlow's optimizers are."""

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
from shims._src.recording.indexed_slices import dense
from shims._src.variables.keras_state import standing_for
from shims._src.variables.variable import Variable

_RATE = ("learning_rate", "'learning_rate'")


class Optimizer:
    """Steps of variables by a transformation of Optax, whose state it keeps in variables.

    Args:
      transformation: `shims.optax.adam(0.1)`, or any other one.

    Raises:
      TypeError: it is no transformation of Optax.

    Differs from TensorFlow:
      `variables` are in an order of their own. There are no slots by name and no `get_config`.
      Weights are averaged by `shims.train.ExponentialMovingAverage`, gradients accumulated by
      `optax.MultiSteps`. A variable may stand only once in the list of a step.

    Under jit:
      Inside of `shims.function` the state is found as every variable is. Inside of a foreign
      `jax.jit` nothing can be assigned: use `init` and `update` there, which are pure.

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
                    "`transformation` is no transformation of Optax.",
                    required="optax.GradientTransformation",
                    received=type(transformation).__name__,
                )
            )
        self._transformation = transformation
        self._trained: list[Variable] = []
        # The leaves of the state by their paths in it, and how they are put together.
        self._leaves: dict[str, Variable] = {}
        self._paths: list[str] = []
        self._structure: Any = None
        if isinstance(transformation, Recipe):
            first = transformation.init([])
            self._keep(first._replace(shared={}, slots={}))
            self._iterations = self._leaves[".count"]
        else:
            self._iterations = Variable(jnp.zeros([], jnp.int32), False, name="iterations")

    # ---- the state -------------------------------------------------------------------------------

    @property
    def iterations(self) -> Variable:
        """How many steps were made, an integer."""
        return self._iterations

    @property
    def learning_rate(self):
        """A variable, or what the schedule says for the next step.

        Raises:
          AttributeError: the transformation does not keep it.
        """
        if isinstance(self._transformation, Recipe) and self._transformation.rate is not None:
            return jnp.asarray(self._transformation.rate(self._iterations.read_value()))
        return self._rate()

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
                "This optimizer was created with a number as its learning rate, for which no function "
                "can be set. Create the optimizer with that function."
            )
        self._rate().assign(value)

    def _rate(self) -> Variable:
        if not self._leaves:
            self._keep(self._transformation.init([]))
        for path, variable in self._leaves.items():
            if path.rpartition(".")[2] in _RATE or path.endswith("['learning_rate']"):
                return variable
        raise AttributeError(
            errors.message(
                "Optimizer.learning_rate",
                "the transformation does not keep its learning rate.",
                do="make it with a function of `shims.optax`, or with `optax.inject_hyperparams`.",
            )
        )

    @property
    def variables(self) -> list[Variable]:
        """All that must be saved: the count of steps, the learning rate, what is kept of variables."""
        kept = list(self._leaves.values())
        return kept if self._iterations in _Same(kept) else [self._iterations, *kept]

    @property
    def state(self):
        """The state of the transformation, a pytree of arrays.

        Raises:
          ValueError: there is none before `build` or the first step.
        """
        if self._structure is None or not self._trained:
            raise ValueError("Optimizer: there is no state yet. Call `build(variables)` first.")
        values = [self._leaves[path].read_value() for path in self._paths]
        return jax.tree.unflatten(self._structure, values)

    @state.setter
    def state(self, state) -> None:
        leaves, structure = jax.tree.flatten(state)
        if structure != self._structure:
            raise ValueError(
                "Optimizer: the state has another structure.\n"
                f"  Required: {self._structure}\n  Received: {structure}"
            )
        for path, leaf in zip(self._paths, leaves, strict=True):
            self._leaves[path].assign(leaf)

    def init(self, params):
        """The first state for a pytree of parameters: that of the transformation."""
        return self._transformation.init(params)

    def update(self, gradients, state, params=None):
        """The changes and the next state, a pure function: that of the transformation."""
        return self._transformation.update(gradients, state, params)

    def build(self, var_list: Iterable[Any]) -> None:
        """Make the state for variables.

        Args:
          var_list: variables of `shims` or of Keras.

        Raises:
          ValueError: there is a state already, for other variables.
          TypeError: something is no variable.
        """
        known = set(map(id, self._trained))
        new = [v for v in map(_variable, var_list) if id(v) not in known]
        if not new:
            return
        if self._trained and not getattr(self._transformation, "version_1", False):
            raise ValueError(
                f"Unknown variable: {new[0]!r}. This optimizer can only be called for the variables "
                "it was originally built with. When working with a new set of variables, you should "
                "recreate a new optimizer instance."
            )
        self._trained += new
        self._keep(self._transformation.init([v.read_value() for v in self._trained]))

    def _keep(self, state) -> None:
        """Take the leaves of a first state; those that are kept already stay what they are."""
        found, self._structure = jax.tree_util.tree_flatten_with_path(state)
        named = [(jax.tree_util.keystr(path), leaf) for path, leaf in found]
        self._paths = [path for path, _ in named]
        for path, leaf in named:
            if path not in self._leaves:
                name = path.strip(".").replace(".", "/") or "state"
                self._leaves[path] = Variable(leaf, False, name=f"optimizer/{name}")

    # ---- steps -----------------------------------------------------------------------------------

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Make one step.

        Args:
          grads_and_vars: pairs of a gradient, or `IndexedSlices`, or `None`, and a variable of
            `shims` or of Keras.
          global_step: a variable that is made larger by 1, as in TensorFlow 1.
          name: accepted.

        Returns:
          `iterations`.

        Raises:
          ValueError: there is no pair, no gradient, a variable comes twice, or it was not there when
            the state was made.
          TypeError: something is no variable.
        """
        del name
        pairs = [(gradient, _variable(v)) for gradient, v in grads_and_vars]
        self._check(pairs)
        self.build([v for _, v in pairs])
        given = {id(v): gradient for gradient, v in pairs if gradient is not None}
        values = [v.read_value() for v in self._trained]
        gradients = [
            jnp.zeros_like(value) if id(v) not in given else self._as_taken(given[id(v)])
            for v, value in zip(self._trained, values, strict=True)
        ]
        before = self.state
        changes, after = self._transformation.update(gradients, before, values)
        missing = [id(v) not in given for v in self._trained]
        self.state = self._without(missing, before, after) if any(missing) else after
        for variable, value, change in zip(self._trained, values, changes, strict=True):
            if id(variable) in given:
                _step(variable, value, change)
        if not isinstance(self._transformation, Recipe):
            self._iterations.assign_add(1)
        if global_step is not None:
            global_step.assign_add(1)
        return self._iterations

    def apply(self, grads: Sequence[Any], trainable_variables=None) -> None:
        """Make one step.

        Args:
          grads: the gradients.
          trainable_variables: their variables; those of `build` where there are none.

        Raises:
          ValueError: as `apply_gradients`, or the numbers of both do not fit.
        """
        variables = self._trained if trainable_variables is None else list(trainable_variables)
        if len(grads) != len(variables):
            raise ValueError(
                f"Optimizer: {len(grads)} gradients are given for {len(variables)} variables."
            )
        if grads:
            self.apply_gradients(zip(grads, variables, strict=True))

    def compute_gradients(self, loss, var_list=None, grad_loss=None, tape=None):
        """Pairs of a gradient and its variable.

        Args:
          loss: a function of no arguments that gives it, or with `tape` an array.
          var_list: the variables, or a function that gives them; all that were read when `None`.
          grad_loss: by what the derivative of the loss is multiplied.
          tape: the tape that recorded `loss`.

        Raises:
          ValueError: `loss` is an array, and there is no tape.
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
        """Make one step along the gradients of a loss.

        Args:
          loss: a function of no arguments that gives it, or with `tape` an array.
          var_list: the variables, or a function that gives them; all that were read when `None`.
          grad_loss: by what the derivative of the loss is multiplied.
          name: accepted.
          tape: the tape that recorded `loss`.
          global_step: a variable that is made larger by 1, as in TensorFlow 1.

        Returns:
          `iterations`.

        Raises:
          ValueError: as `compute_gradients` and `apply_gradients`.
        """
        pairs = self.compute_gradients(loss, var_list, grad_loss, tape)
        return self.apply_gradients(pairs, global_step, name)

    def _check(self, pairs: list[tuple[Any, Variable]]) -> None:
        """Refuses a step of nothing; says which variables get no gradient."""
        if not pairs:
            raise ValueError("No variables provided.")
        if len({id(v) for _, v in pairs}) < len(pairs):
            raise ValueError("Optimizer: a variable stands twice in the list of one step.")
        without = [v.name for gradient, v in pairs if gradient is None]
        if len(without) == len(pairs):
            raise ValueError(f"No gradients provided for any variable: {without}.")
        if without and not getattr(self._transformation, "version_1", False):
            text = f"Gradients do not exist for variables {without} when minimizing the loss."
            warnings.warn(text, stacklevel=3)

    def _as_taken(self, gradient):
        """Rows stay rows for those that know them."""
        return gradient if isinstance(self._transformation, Recipe) else dense(gradient)

    def _without(self, missing: list[bool], before, after):
        """The state after a step, but for what is kept of variables without a gradient."""
        stays = optax.tree_utils.tree_map_params(
            self._transformation,
            lambda _, is_missing: is_missing,
            after,
            missing,
            transform_non_params=lambda _: False,
        )
        return jax.tree.map(lambda old, x, y: x if old else y, stays, before, after)


class _Same:
    """Membership by identity: variables compare elementwise."""

    def __init__(self, members: list[Variable]):
        self._ids = set(map(id, members))

    def __contains__(self, variable: Variable) -> bool:
        return id(variable) in self._ids


def _variable(x) -> Variable:
    """A variable, or what stands for one of Keras.

    Raises:
      TypeError: it is neither.
    """
    found = standing_for(x)
    if not isinstance(found, Variable):
        raise TypeError(
            errors.message(
                "Optimizer",
                "it steps variables of `shims` and of Keras.",
                received=type(x).__name__,
                do="for arrays use `init` and `update`; in a graph use `shims.compat.v1.train`.",
            )
        )
    return found


def _step(variable: Variable, value, change) -> None:
    """Change a variable, and let its constraint change it again."""
    variable.assign((value + change).astype(value.dtype))
    constraint: Callable[[Any], Any] | None = variable.constraint
    if constraint is not None:
        variable.assign(constraint(variable.read_value()))
