"""The names of `tf.autograph`."""

from shims._src.autograph import convert as convert
from shims._src.autograph import do_not_convert as do_not_convert
from shims._src.autograph import set_loop_options as set_loop_options
from shims._src.autograph import to_code as to_code
from shims._src.autograph import to_graph as to_graph


class experimental:
    """The names of `tf.autograph.experimental`."""

    do_not_convert = staticmethod(do_not_convert)
    set_loop_options = staticmethod(set_loop_options)
