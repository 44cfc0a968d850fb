"""Bind the subclasses and functions that methods of `LinearOperator` delegate to.

The package imports this file, so that no linear operator exists before they are bound.
"""

from __future__ import annotations

from shims._src.linear_operator import adjoint, algebra, inversion, lower_triangular
from shims._src.linear_operator.delegates import DELEGATES

DELEGATES.adjoint = adjoint.LinearOperatorAdjoint
DELEGATES.inversion = inversion.LinearOperatorInversion
DELEGATES.lower_triangular = lower_triangular.LinearOperatorLowerTriangular
DELEGATES.product = algebra.product
DELEGATES.quotient = algebra.quotient
