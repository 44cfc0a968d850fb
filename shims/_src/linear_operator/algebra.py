"""Multiply and divide linear operators; known structure is preserved."""

from __future__ import annotations

from shims._src.linear_operator import hints
from shims._src.linear_operator.base import LinearOperator, keywords
from shims._src.linear_operator.block_diag import LinearOperatorBlockDiag
from shims._src.linear_operator.circulant import LinearOperatorCirculant
from shims._src.linear_operator.composition import LinearOperatorComposition
from shims._src.linear_operator.diag import LinearOperatorDiag
from shims._src.linear_operator.identity import LinearOperatorIdentity
from shims._src.linear_operator.inversion import LinearOperatorInversion
from shims._src.linear_operator.lower_triangular import LinearOperatorLowerTriangular
from shims._src.linear_operator.scaled_identity import LinearOperatorScaledIdentity
from shims._src.linear_operator.zeros import LinearOperatorZeros


def product(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """Return the operator that applies `right`, then `left`."""
    if isinstance(left, LinearOperatorIdentity):
        return right
    if isinstance(left, LinearOperatorZeros) or isinstance(right, LinearOperatorZeros):
        return _product_with_zeros(left, right)
    if isinstance(right, LinearOperatorIdentity):
        return left
    return _known_product(left, right) or _compose([left, right])


def _product_with_zeros(left, right):
    if not left.is_square or not right.is_square:
        raise ValueError(
            "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not "
            "supported at this time."
        )
    return left if isinstance(left, LinearOperatorZeros) else right


def _known_product(left, right):
    commuting = hints.of_commuting(left, right)
    if isinstance(left, LinearOperatorDiag):
        if isinstance(right, LinearOperatorDiag):
            return LinearOperatorDiag(left.diag * right.diag, **keywords(commuting))
        if isinstance(right, LinearOperatorScaledIdentity):
            diagonal = left.diag * right.multiplier[..., None]
            return LinearOperatorDiag(diagonal, **keywords(commuting))
        if isinstance(right, LinearOperatorLowerTriangular):
            return _triangle(left.diag[..., None] * right.to_dense(), commuting)
    if isinstance(left, LinearOperatorLowerTriangular) and isinstance(right, LinearOperatorDiag):
        return _triangle(left.to_dense() * right.diag[..., None, :], commuting)
    if isinstance(left, LinearOperatorScaledIdentity):
        if isinstance(right, LinearOperatorScaledIdentity):
            multiplier = left.multiplier * right.multiplier
            return left._scaled(multiplier, **keywords(commuting))
        if isinstance(right, LinearOperatorDiag):
            diagonal = right.diag * left.multiplier[..., None]
            return LinearOperatorDiag(diagonal, **keywords(commuting))
    return _product_of_same_kind(left, right)


def _product_of_same_kind(left, right):
    if isinstance(left, LinearOperatorBlockDiag) and isinstance(right, LinearOperatorBlockDiag):
        return _combine_blocks(left, right, product)
    if isinstance(left, LinearOperatorCirculant) and type(left) is type(right):
        return type(left)(
            left.spectrum * right.spectrum,
            input_output_dtype=left.dtype,
            **keywords(hints.of_commuting(left, right)),
        )
    return None


def _triangle(tril, commuting):
    return LinearOperatorLowerTriangular(
        tril, **keywords(commuting._replace(positive_definite=None))
    )


def _compose(operators):
    return LinearOperatorComposition(operators, **keywords(hints.of_product(*operators)))


def _combine_blocks(left, right, combine):
    pairs = list(zip(left.operators, right.operators, strict=False))
    if len(left.operators) != len(right.operators) or any(
        a.domain_dimension != b.range_dimension for a, b in pairs
    ):
        raise ValueError(
            "The blocks are incompatible: the operators have different numbers of blocks, or blocks of "
            "different sizes."
        )
    return LinearOperatorBlockDiag(
        [combine(a, b) for a, b in pairs],
        is_non_singular=hints.non_singular(left, right),
        is_square=True,
    )


def quotient(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """Return the operator that applies `right`, then the inverse of `left`."""
    if isinstance(left, LinearOperatorIdentity):
        return right
    if isinstance(left, LinearOperatorInversion):
        return product(left.operator, right)
    if isinstance(right, LinearOperatorIdentity):
        return left.inverse()
    return _known_quotient(left, right) or _compose([LinearOperatorInversion(left), right])


def _known_quotient(left, right):
    both = keywords(hints.of_commuting(left, right))
    if isinstance(left, LinearOperatorDiag):
        if isinstance(right, LinearOperatorDiag):
            return LinearOperatorDiag(right.diag / left.diag, **both)
        if isinstance(right, LinearOperatorScaledIdentity):
            return LinearOperatorDiag(right.multiplier[..., None] / left.diag, **both)
        if isinstance(right, LinearOperatorLowerTriangular):
            tril = right.to_dense() / left.diag[..., None]
            return _triangle(tril, hints.of_commuting(left, right))
    if isinstance(left, LinearOperatorScaledIdentity):
        if isinstance(right, LinearOperatorScaledIdentity):
            return left._scaled(right.multiplier / left.multiplier, **both)
        if isinstance(right, LinearOperatorDiag):
            return LinearOperatorDiag(right.diag / left.multiplier[..., None], **both)
    if isinstance(left, LinearOperatorBlockDiag) and isinstance(right, LinearOperatorBlockDiag):
        return _combine_blocks(left, right, quotient)
    if isinstance(left, LinearOperatorCirculant) and type(left) is type(right):
        return type(left)(right.spectrum / left.spectrum, left.dtype, **both)
    return None
