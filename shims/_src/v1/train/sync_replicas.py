"""Define `SyncReplicasOptimizer` for a single worker, which applies the wrapped optimizer."""

from __future__ import annotations

from shims._src.errors import errors
from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.grouping import group, no_op
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.train.optimizer import Optimizer
from shims._src.v1.train.session_hooks import SessionRunHook
from shims._src.v1.variables.variable_lists import global_variables, report_uninitialized_variables
from shims._src.v1.variables.variables import GraphKeys, GraphVariable


class SyncReplicasOptimizer(Optimizer):
    """An optimizer that waits for the gradients of all workers; a single worker is supported.

    Args:
      opt: the wrapped optimizer, which applies the gradients.
      replicas_to_aggregate: must be 1.
      total_num_replicas: must be 1 or `None`.
      variable_averages: an `ExponentialMovingAverage` that each step updates.
      variables_to_average: the variables to average; if `None`, those that
        `ExponentialMovingAverage.apply` averages by default.
      use_locking: accepted and ignored.
      name: the name scope of the training step.

    Raises:
      UnimplementedError: there is more than one replica.

    Differs from TensorFlow:
      More than one replica is an error, because there are no other workers. A run of the training
      step returns after its gradients are applied. TensorFlow guarantees this only with
      `num_tokens=0`, and a run without the hook and the queue runner never returns. There is no
      token queue, and there are no accumulators. Between two runs, the slots of sparse gradients
      hold the state of the last step; in TensorFlow the next step may already have begun.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/SyncReplicasOptimizer
    """

    __module__ = "shims.compat.v1.train"

    def __init__(
        self,
        opt,
        replicas_to_aggregate,
        total_num_replicas=None,
        variable_averages=None,
        variables_to_average=None,
        use_locking=False,
        name="sync_replicas",
    ):
        _check_one(replicas_to_aggregate, total_num_replicas)
        super().__init__(use_locking, name)
        self._opt = opt
        self._averages = variable_averages
        self._averaged = variables_to_average
        self._applied = False

    def compute_gradients(self, *args, **kwargs) -> list[tuple]:
        """Compute the gradients of a loss with the wrapped optimizer."""
        return self._opt.compute_gradients(*args, **kwargs)

    # TensorFlow returns a tensor here, and an operation in all other optimizers.
    def apply_gradients(  # type: ignore[override]
        self, grads_and_vars, global_step=None, name=None
    ) -> Tensor:
        """Apply gradients with the wrapped optimizer; return the incremented global step.

        Args:
          grads_and_vars: pairs of gradient and variable, as `compute_gradients` returns them.
          global_step: the variable to increment; required.
          name: ignored, as in TensorFlow.

        Raises:
          ValueError: there is no variable or no `global_step`, or a gradient has an unknown type.
        """
        del name
        if not grads_and_vars:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        pairs = list(grads_and_vars)
        if not all(g is None or isinstance(g, (Tensor, IndexedSlices)) for g, _ in pairs):
            raise ValueError("Unknown grad type!")
        local_step = GraphVariable(
            0,
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
            dtype=global_step.dtype.base_dtype,
            name="sync_rep_local_step",
        )
        self.local_step_init_op = local_step.assign(global_step)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        graph = get_default_graph()
        with graph.name_scope(self._name):
            with graph.name_scope(""):
                train = self._step(pairs, global_step, local_step)
            self.chief_init_op = group(self.local_step_init_op)
        self._applied = True
        return train

    def _step(self, pairs, global_step, local_step) -> Tensor:
        """Apply the gradients, update the moving averages, and set the local step, in this order."""
        graph = get_default_graph()
        update = self._opt.apply_gradients(pairs, global_step)
        if self._averages is not None:
            with graph.control_dependencies([update]):
                update = self._averages.apply(self._averaged)
        with graph.control_dependencies([update]):
            return local_step.assign(global_step.read_value())

    # ---- slots -----------------------------------------------------------------------------------

    def get_slot(self, *args, **kwargs) -> GraphVariable | None:
        """Return a slot of a variable, as the wrapped optimizer does."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs) -> list[str]:
        """Return the names of the slots of the wrapped optimizer."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> list[GraphVariable]:
        """Return the variables of the wrapped optimizer, without the local step."""
        return self._opt.variables()

    # ---- hooks and queue runners -----------------------------------------------------------------

    def make_session_run_hook(self, is_chief, num_tokens=-1) -> SessionRunHook:
        """Create a hook that sets the local step when a session begins.

        Args:
          is_chief: accepted and ignored.
          num_tokens: accepted if it is at least -1.
        """
        del is_chief
        return _Hook(self, num_tokens)

    def get_chief_queue_runner(self) -> NoThreads:
        """Return a queue runner without threads.

        Raises:
          ValueError: `apply_gradients` was not called yet.
        """
        self._check_applied("Should be called after apply_gradients().")
        return NoThreads()

    def get_init_tokens_op(self, num_tokens=-1) -> Operation:
        """Return an operation that does nothing, since a single worker needs no tokens.

        Raises:
          ValueError: `apply_gradients` was not called yet, or `num_tokens` is less than -1.
        """
        self._check_applied("get_init_tokens_op() should be called after apply_gradients().")
        if num_tokens < -1:
            raise ValueError(
                f"Too few tokens to finish the first step: {num_tokens} (given) vs 0 (needed)"
            )
        return no_op(name="no_init_tokens")

    def _check_applied(self, message: str) -> None:
        if not self._applied:
            raise ValueError(message)


class NoThreads:
    """A queue runner that starts no threads, because there is no queue."""

    def create_threads(self, sess, coord=None, daemon=False, start=False) -> list:
        """Return an empty list of threads; all arguments are ignored."""
        del sess, coord, daemon, start
        return []


class _Hook(SessionRunHook):
    """A hook that sets the local step to the global step when a session begins."""

    def __init__(self, optimizer: SyncReplicasOptimizer, num_tokens: int):
        self._optimizer = optimizer
        self._num_tokens = num_tokens

    def begin(self) -> None:
        self._optimizer._check_applied(
            "SyncReplicasOptimizer.apply_gradient should be called before using the hook."
        )
        self._optimizer.get_init_tokens_op(self._num_tokens)

    def after_create_session(self, session, coord) -> None:
        del coord
        session.run(self._optimizer.chief_init_op)


def _check_one(replicas, total) -> None:
    if replicas == 1 and total in (None, 1):
        return
    raise errors.UnimplementedError(
        errors.message(
            "SyncReplicasOptimizer",
            "parameter servers and other workers are not supported.",
            required="replicas_to_aggregate=1, total_num_replicas=1 or None",
            received=f"replicas_to_aggregate={replicas}, total_num_replicas={total}",
            do=(
                "pass 1 for both arguments, and feed one batch for all workers; to distribute the batch among "
                "devices, convert the step to a JAX function with `graph.to_function(...)` and shard the batch with "
                "`jax.sharding`"
            ),
        )
    )
