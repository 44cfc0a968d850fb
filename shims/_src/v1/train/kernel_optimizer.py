"""Define a base class for optimizers with one update formula for dense and sparse gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.train.optimizer import Optimizer
from shims._src.v1.variables.training_kernels import apply_dense, apply_rows, as_dtype_of
from shims._src.v1.variables.variables import GraphVariable


class KernelOptimizer(Optimizer):
    """An optimizer with the same update formula for whole variables and for gathered rows.

    A subclass names the hyperparameters of the formula in `_hyperparameters` and the slots of a
    variable in `_slot_names`, and implements the formula in `_formula`.

    Attributes:
      _kernel: the name of TensorFlow's kernel, without the prefix `Apply`.
      _slot_names: the names of the slots, in the order of the parameters of the formula.
    """

    _kernel: str
    _slot_names: tuple[str, ...] = ()

    def _hyperparameters(self) -> Sequence[tuple[str, Any]]:
        """Return pairs of name and value, in the order in which the formula takes them."""
        raise NotImplementedError

    def _formula(self, *arrays):
        """Compute the new values of the variable and of its slots.

        Args:
          *arrays: the variable, its slots, the gradient, and the hyperparameters.
        """
        raise NotImplementedError

    def _prepare(self) -> None:
        given = ((name, self._call_if_callable(value)) for name, value in self._hyperparameters())
        self._tensors: list[Tensor] = [convert_to_tensor(v, name=name) for name, v in given]

    def _kept_for(self, variable) -> list[GraphVariable]:
        slots = [self.get_slot(variable, name) for name in self._slot_names]
        return [variable, *(slot for slot in slots if slot is not None)]

    def _hyperparameters_for(self, variable) -> list[Tensor]:
        return [as_dtype_of(variable, t) for t in self._tensors]

    def _apply_whole(self, grad, var):
        kept, numbers = self._kept_for(var), self._hyperparameters_for(var)
        return apply_dense(f"Apply{self._kernel}", kept, self._formula, grad, numbers)

    def _apply_rows(self, rows, var, indices):
        kept, numbers = self._kept_for(var), self._hyperparameters_for(var)
        name = f"SparseApply{self._kernel}"
        return apply_rows(name, kept, self._formula, rows, indices, numbers)

    def _apply_dense(self, grad, var):
        return self._apply_whole(grad, var)

    def _resource_apply_dense(self, grad, handle):
        return self._apply_whole(grad, handle)

    def _apply_sparse(self, grad, var):
        return self._apply_rows(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad, handle, indices):
        return self._apply_rows(grad, handle, indices)
