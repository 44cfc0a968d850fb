"""`SyncReplicasOptimizer`: refused, since there are no workers to wait for."""

from __future__ import annotations

from shims._src import errors
from shims._src.graph.train.optimizer import Optimizer


class SyncReplicasOptimizer(Optimizer):
    """Refused: gradients of several workers are averaged by `jax.lax.pmean` or by a sharded batch.

    Args:
      opt: the optimiser that would apply the average.
      *args: refused with it.
      **kwargs: refused with it.

    Raises:
      UnimplementedError: always.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/SyncReplicasOptimizer
    """

    def __init__(self, opt, *args, **kwargs):
        del args, kwargs
        raise errors.UnimplementedError(
            errors.message(
                "SyncReplicasOptimizer",
                "there are no parameter servers and no workers that a step could wait for.",
                received=type(opt).__name__,
                do="use the optimiser itself; turn the step into a JAX function with "
                "`graph.to_function(...)` and shard the batch with `jax.sharding`",
            )
        )
