"""Re-export the names of `tf.autograph.experimental`."""

from shims._src.autograph import do_not_convert as do_not_convert
from shims._src.autograph import set_loop_options as set_loop_options
from shims._src.facade import missing as _missing

__getattr__ = _missing.of("shims.autograph.experimental")
