"""Generate points of Sobol's low-discrepancy sequence."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import static_int
from shims._src.types.dtypes import array_dtype, canonical_dtype

_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))


def sobol_sample(dim, num_results, skip=0, dtype=np.float32, name=None):
    """Generate points of Sobol's sequence, without the first point, the origin.

    Args:
      dim: the number of coordinates of a point.
      num_results: the number of points.
      skip: the number of points to skip at the beginning.
      dtype: float32 or float64.
      name: ignored.

    Returns:
      An array `[num_results, dim]`, in `[0, 1)`.

    Raises:
      InvalidArgumentError: `dim` or `num_results` is not positive, `skip` is negative, or
        TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing. SciPy uses the same direction numbers as TensorFlow.

    Under jit:
      The points are constants; all sizes must be static.

    https://www.tensorflow.org/api_docs/python/tf/math/sobol_sample
    """
    from scipy.stats import qmc  # type: ignore[import-untyped]

    counts = {"dim": dim, "num_results": num_results, "skip": skip}
    counts = {what: static_int("sobol_sample", what, n) for what, n in counts.items()}
    for what, least in (("dim", 1), ("num_results", 1), ("skip", 0)):
        if counts[what] < least:
            received = f"{counts[what]}"
            raise checks.invalid(
                "sobol_sample", f"`{what}` is too small.", required=f">= {least}", received=received
            )
    wanted = np.dtype(array_dtype(dtype, "sobol_sample"))
    if wanted not in _DTYPES:
        raise checks.invalid("sobol_sample", f"there is no kernel for {wanted.name}.")
    points = qmc.Sobol(counts["dim"], scramble=False, bits=32)
    points.fast_forward(1 + counts["skip"])
    return jnp.asarray(points.random(counts["num_results"]).astype(canonical_dtype(wanted)))
