"""What TensorFlow keeps in `tf.autograph.experimental`."""

from shims._src import missing as _missing
from shims._src.autograph import do_not_convert as do_not_convert
from shims._src.autograph import set_loop_options as set_loop_options

__getattr__ = _missing.of("shims.autograph.experimental")
