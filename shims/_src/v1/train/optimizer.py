"""Define `train.Optimizer`, the base class of optimizers."""

from __future__ import annotations

from typing import Any

from shims._src.errors import errors
from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.types import dtypes
from shims._src.v1.gradients.gradients import gradients
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.grouping import group
from shims._src.v1.graph.grouping import tuple as gated
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Operation, Tensor, variable_behind
from shims._src.v1.train.flat_variables import flat_variables
from shims._src.v1.train.slots import (
    Slots,
    create_slot,
    create_slot_with_initializer,
    create_zeros_slot,
)
from shims._src.v1.variables.get_variable import get_variable
from shims._src.v1.variables.training_kernels import assigning, deduplicated
from shims._src.v1.variables.variable_scope import variable_scope
from shims._src.v1.variables.variables import GraphKeys, GraphVariable

_FLOATING = ("float16", "bfloat16", "float32", "float64")


class Optimizer:
    """The base class of optimizers: computes gradients and applies them to variables.

    Args:
      use_locking: accepted and ignored; a session runs one program at a time.
      name: the name of the operations and slots.
      use_own_namescope_for_non_slot_vars: whether variables that are not slots are named outside of
        the open name scope.

    Raises:
      ValueError: the name is empty.

    A subclass implements `_apply_dense` and `_apply_sparse`, or `_resource_apply_dense` and
    `_resource_apply_sparse`, or all of them; and, if needed, `_create_slots`, `_prepare`
    and `_finish`.

    Differs from TensorFlow:
      Requires a graph: in eager execution, `loss` cannot be a function.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/Optimizer
    """

    __module__ = "shims.compat.v1.train"
    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking, name, use_own_namescope_for_non_slot_vars=False):
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._own_scope = None
        if use_own_namescope_for_non_slot_vars:
            with variable_scope(None, default_name=name) as scope:
                self._own_scope = scope
        self._slots = Slots()
        self._non_slots: dict[tuple, GraphVariable] = {}

    def get_name(self) -> str:
        """Return the name of the optimizer, which its operations and slots contain."""
        return self._name

    # ---- gradients -------------------------------------------------------------------------------

    def minimize(
        self,
        loss,
        global_step=None,
        var_list=None,
        gate_gradients=GATE_OP,
        aggregation_method=None,
        colocate_gradients_with_ops=False,
        name=None,
        grad_loss=None,
    ):
        """Create the operation that computes gradients and applies them once.

        Args:
          loss: the tensor to minimize.
          global_step: a variable to increment.
          var_list: the variables; the trainable variables when `None`.
          gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH`; has no effect, as a run always computes
            all gradients before it applies them.
          aggregation_method: accepted and ignored.
          colocate_gradients_with_ops: accepted and ignored.
          name: the name of the operation.
          grad_loss: weights of the elements of `loss`.

        Raises:
          ValueError: there are no variables, or `loss` depends on none of them.
        """
        found = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(g is None for g, _ in found):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not "
                f"support gradients, between variables {[str(v) for _, v in found]} and loss "
                f"{loss}."
            )
        return self.apply_gradients(found, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss,
        var_list=None,
        gate_gradients=GATE_OP,
        aggregation_method=None,
        colocate_gradients_with_ops=False,
        grad_loss=None,
    ) -> list[tuple]:
        """Compute the gradients of a loss with respect to variables.

        Args:
          loss: the tensor to minimize.
          var_list: the variables or tensors; the trainable variables when `None`.
          gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH`; has no effect, see `minimize`.
          aggregation_method: accepted and ignored.
          colocate_gradients_with_ops: accepted and ignored.
          grad_loss: weights of the elements of `loss`.

        Returns:
          Pairs of gradient and variable; the gradient is `None` where the loss does not depend on
          the variable, and `IndexedSlices` where the loss gathers rows of it.

        Raises:
          ValueError: there are no variables, or a dtype is not floating-point.
          NotImplementedError: `var_list` holds an object of a different type.
        """
        if callable(loss) or executing_eagerly():
            raise _no_graph_error()
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, "
                f"Optimizer.GATE_GRAPH.  Not {gate_gradients}"
            )
        loss = convert_to_tensor(loss)
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([convert_to_tensor(grad_loss)])
        variables = self._variables_of(var_list)
        found: list[Any] = gradients(
            loss,
            variables,
            grad_ys=grad_loss,
            gate_gradients=gate_gradients == self.GATE_OP,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gate_gradients == self.GATE_GRAPH:
            found = gated(found)
        pairs = list(zip(found, variables, strict=True))
        self._assert_valid_dtypes([v for g, v in pairs if g is not None])
        return pairs

    def _variables_of(self, var_list) -> list:
        graph = get_default_graph()
        if var_list is None:
            found = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
            found += graph.get_collection(GraphKeys.TRAINABLE_RESOURCE_VARIABLES)
        else:
            found = flat_variables(var_list)
        for v in found:
            if not isinstance(v, (GraphVariable, Tensor)):
                raise NotImplementedError("Trying to optimize unsupported type ", v)
        if not found:
            raise ValueError("No variables to optimize.")
        return found

    # ---- applying --------------------------------------------------------------------------------

    def apply_gradients(self, grads_and_vars, global_step=None, name=None) -> Operation:
        """Create the operation that applies gradients to variables.

        Args:
          grads_and_vars: pairs of gradient and variable, as `compute_gradients` returns them.
          global_step: a variable to increment after the updates.
          name: the name of the operation.

        Raises:
          ValueError: there are no variables, or none has a gradient.
          TypeError: a gradient cannot be converted to a tensor.
        """
        pairs = [(_convert_gradient(g), v) for g, v in grads_and_vars]
        if not pairs:
            raise ValueError("No variables provided.")
        kept = [(g, v) for g, v in pairs if g is not None]
        if not kept:
            raise ValueError(
                f"No gradients provided for any variable: {[str(v) for _, v in pairs]}."
            )
        graph = get_default_graph()
        with graph.control_dependencies(None):
            self._create_slots([v for _, v in kept])
        with graph.name_scope(name or self._name) as scope:
            self._prepare()
            updates = []
            for gradient, variable in kept:
                with graph.name_scope(f"update_{variable.op.name}"):
                    updates.append(self._apply_gradient(gradient, variable))
                    _operation(updates[-1]).attributes["optimizer"] = (self, gradient, variable)
            if global_step is None:
                done = self._finish(updates, scope)
            else:
                with graph.control_dependencies([self._finish(updates, "update")]):
                    done = _increment_step(global_step, scope)
        done = _operation(done)
        steps = graph.get_collection_ref(GraphKeys.TRAIN_OP)
        if done not in steps:
            steps.append(done)
        return done

    def _apply_gradient(self, gradient, variable):
        """Create the operation that applies a gradient to its variable."""
        if not isinstance(variable, GraphVariable):
            raise NotImplementedError("Trying to update a Tensor ", variable)
        constraint = variable.constraint
        if isinstance(gradient, IndexedSlices):
            if constraint is not None:
                raise RuntimeError("Cannot use a constraint function on a sparse variable.")
            if not variable.is_resource:
                return self._apply_sparse_duplicate_indices(gradient, variable)
            return self._resource_apply_sparse_duplicate_indices(
                gradient.values, variable, gradient.indices
            )
        apply = self._resource_apply_dense if variable.is_resource else self._apply_dense
        update = apply(gradient, variable)
        if constraint is None:
            return update
        with get_default_graph().control_dependencies([update]):
            return variable.assign(constraint(variable.read_value()))

    # ---- slots -----------------------------------------------------------------------------------

    def get_slot(self, var, name) -> GraphVariable | None:
        """Return a slot of a variable, such as `"momentum"`, or `None` if there is none."""
        return self._slots.get(var, name)

    def get_slot_names(self) -> list[str]:
        """Return the names of the slots."""
        return self._slots.kinds()

    def variables(self) -> list[GraphVariable]:
        """Return all variables of the optimizer in the default graph, sorted by name."""
        graph = get_default_graph()
        every = [*self._non_slots.values(), *self._slots.every()]
        return sorted((v for v in every if v.graph is graph), key=lambda v: v.name)

    def _create_non_slot_variable(self, initial_value, name, colocate_with) -> GraphVariable:
        """Return a variable that is not a slot, such as a step count; create it if it does not exist."""
        graph = colocate_with.graph
        found = self._non_slots.get((name, graph))
        if found is None:
            options = {
                "name": name,
                "trainable": False,
                "use_resource": getattr(colocate_with, "is_resource", None),
            }
            if self._own_scope is None:
                found = GraphVariable(initial_value, **options)
            else:
                with graph.name_scope(None), variable_scope(self._own_scope):
                    found = get_variable(initializer=initial_value, **options)
            self._non_slots[name, graph] = found
        return found

    def _get_non_slot_variable(self, name, graph=None) -> GraphVariable | None:
        """Return the variable that is not a slot and has the given name, or `None`."""
        return self._non_slots.get((name, graph))

    def _non_slot_variables(self) -> list[GraphVariable]:
        """Return the optimizer's variables that are not slots."""
        return list(self._non_slots.values())

    def _slot_dict(self, slot_name) -> dict:
        """Return a dict from variables to their slots with the given name."""
        return self._slots.of_kind(slot_name)

    def _get_or_make_slot(self, var, val, slot_name, op_name) -> GraphVariable:
        """Return a slot of a variable; create it with the initial value `val` if it does not exist."""
        return self._get_or_create(var, slot_name, lambda: create_slot(var, val, op_name))

    def _get_or_make_slot_with_initializer(
        self, var, initializer, shape, dtype, slot_name, op_name
    ) -> GraphVariable:
        """Return a slot of a variable; create it with an initializer function if it does not exist."""
        make = lambda: create_slot_with_initializer(var, initializer, shape, dtype, op_name)
        return self._get_or_create(var, slot_name, make)

    def _zeros_slot(self, var, slot_name, op_name) -> GraphVariable:
        """Return a slot of a variable; create it with zeros if it does not exist."""
        return self._get_or_create(var, slot_name, lambda: create_zeros_slot(var, op_name))

    def _get_or_create(self, var, slot_name, make) -> GraphVariable:
        slots = self._slots.of_kind(slot_name)
        if var not in slots:
            slots[var] = make()
        return slots[var]

    # ---- methods for subclasses to implement -----------------------------------------------------

    def _create_slots(self, var_list) -> None:
        """Create the slots of the variables."""

    def _prepare(self) -> None:
        """Create the tensors that the updates of all variables use, such as the learning rate."""

    def _apply_dense(self, grad, var):
        """Create the operation that applies a gradient to a reference variable."""
        raise NotImplementedError

    def _resource_apply_dense(self, grad, handle):
        """Create the operation that applies a gradient to a resource variable."""
        raise NotImplementedError

    def _apply_sparse(self, grad, var):
        """Create the operation that applies gradient rows with unique indices to a reference variable."""
        raise NotImplementedError

    def _resource_apply_sparse(self, grad, handle, indices):
        """Create the operation that applies gradient rows with unique indices to a resource variable."""
        raise NotImplementedError

    def _apply_sparse_duplicate_indices(self, grad, var):
        """Create the operation that applies gradient rows to a reference variable.

        Rows with equal indices are summed first.
        """
        values, indices = deduplicated(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        """Create the operation that applies gradient rows to a resource variable.

        Rows with equal indices are summed first.
        """
        values, indices = deduplicated(grad, indices)
        return self._resource_apply_sparse(values, handle, indices)

    def _finish(self, update_ops, name_scope):
        """Create the operation that runs all updates."""
        return group(*update_ops, name=name_scope)

    def _call_if_callable(self, param):
        """Return the result of `param()` if it is a function, otherwise `param`."""
        return param() if callable(param) else param

    def _valid_dtypes(self) -> set:
        """Return the dtypes that losses and variables may have."""
        return {getattr(dtypes, name) for name in _FLOATING}

    def _assert_valid_dtypes(self, tensors) -> None:
        """Check that the dtypes of all tensors are among `_valid_dtypes`."""
        valid = self._valid_dtypes()
        for t in tensors:
            if t.dtype not in valid:
                raise ValueError(f"Invalid type {t.dtype!r} for {t.name}, expected: {[*valid]}.")


def _convert_gradient(g):
    """Convert a gradient to a tensor; return `IndexedSlices` and `None` unchanged."""
    if g is None or isinstance(g, (Tensor, IndexedSlices)):
        return g
    try:
        return convert_to_tensor(g)
    except (TypeError, ValueError):
        raise TypeError(
            f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {g}"
        ) from None


def _operation(done) -> Operation:
    return done.op if isinstance(done, Tensor) else done


def _increment_step(global_step, scope: str) -> Operation:
    """Create the operation that increments the global step."""
    behind = variable_behind(global_step)
    global_step = global_step if behind is None else behind
    type_ = "AssignAddVariableOp" if global_step.is_resource else "AssignAdd"
    return assigning(type_, scope, [global_step], lambda step: [step + 1])


def _no_graph_error():
    return errors.UnimplementedError(
        errors.message(
            "Optimizer.compute_gradients",
            "an optimizer of TensorFlow 1 needs a graph, but this code runs eagerly.",
            do=(
                "call tf.disable_v2_behavior(), or build inside `with tf.Graph().as_default():`; "
                "in eager code use `tf.GradientTape` and an optimizer of Keras or Optax"
            ),
        )
    )
