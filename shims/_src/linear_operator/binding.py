"""Set the subclasses and functions that methods of `LinearOperator` call but cannot import.

The package imports this file, so that they are set before any linear operator exists.
"""

from __future__ import annotations

from shims._src.linear_operator import adjoint, algebra, inversion, lower_triangular
from shims._src.linear_operator.delegates import DELEGATES

DELEGATES.adjoint = adjoint.LinearOperatorAdjoint
DELEGATES.inversion = inversion.LinearOperatorInversion
DELEGATES.lower_triangular = lower_triangular.LinearOperatorLowerTriangular
DELEGATES.product = algebra.product
DELEGATES.quotient = algebra.quotient
