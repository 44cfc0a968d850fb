"""State where JAX's own results of nothing differ between its releases, so that tests expect those of the installed JAX.

Each constant asks JAX itself, not for its version. The comments name the release on the one side.
"""

import jax
import jax.numpy as jnp

_NOTHING = jnp.zeros(0)


def _refuses(function) -> bool:
    try:
        function(_NOTHING)
    except ValueError:
        return True
    return False


# JAX 0.9 raises the error of `min`, which has no result for nothing.
HISTOGRAM_OF_NOTHING = not _refuses(lambda x: jnp.histogram(x, 2))

# In JAX 0.9, the result has the shape of the quantiles; later it is a single NaN.
QUANTILES_OF_NOTHING_KEEP_THEIR_SHAPE = jnp.nanquantile(_NOTHING, _NOTHING).shape == (0,)

# In JAX 0.9, no positions are integers, whatever the fill value is.
NO_POSITIONS_HAVE_THE_DTYPE_OF_THE_FILL_VALUE = jax.dtypes.issubdtype(
    jnp.nonzero(_NOTHING, fill_value=0.5)[0].dtype, jnp.floating
)
