"""Re-export the names of `tf.summary.experimental` that have a counterpart."""

from shims._src.facade import missing as _missing
from shims._src.summary.operators import summary_scope as summary_scope
from shims._src.summary.writers import get_step as get_step
from shims._src.summary.writers import set_step as set_step

__getattr__ = _missing.of("shims.summary.experimental")
