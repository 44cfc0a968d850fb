"""Re-export the names of `tf.config.threading`; XLA chooses the number of threads."""

from shims._src.config.execution import (
    get_inter_op_parallelism_threads as get_inter_op_parallelism_threads,
)
from shims._src.config.execution import (
    get_intra_op_parallelism_threads as get_intra_op_parallelism_threads,
)
from shims._src.config.execution import (
    set_inter_op_parallelism_threads as set_inter_op_parallelism_threads,
)
from shims._src.config.execution import (
    set_intra_op_parallelism_threads as set_intra_op_parallelism_threads,
)
