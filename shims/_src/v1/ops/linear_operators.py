"""Provide linear operators of a graph: what makes one is kept, and each method adds an operation."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import jax

from shims._src.linear_operator.base import LinearOperator
from shims._src.types.composite import Composite, OperatorCall
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.operator_calls import as_leaf
from shims._src.v1.graph.output_specs import outline
from shims._src.v1.graph.shapes import GraphShape

# Methods whose result is an operator; a product with an operator is one, too.
_OPERATORS = frozenset(["adjoint", "inverse", "cholesky"])
_PRODUCTS = frozenset(["matmul", "solve"])
_METHODS = (
    *(
        "matmul",
        "matvec",
        "solve",
        "solvevec",
        "determinant",
        "log_abs_determinant",
        "trace",
        "cond",
    ),
    *("eigvals", "to_dense", "diag_part", "add_to_tensor", "adjoint", "inverse", "cholesky"),
    *("shape_tensor", "batch_shape_tensor", "tensor_rank_tensor", "domain_dimension_tensor"),
    *(
        "range_dimension_tensor",
        "assert_non_singular",
        "assert_positive_definite",
        "assert_self_adjoint",
    ),
)


@jax.tree_util.register_pytree_node_class
class _Recipe(Composite):
    """A linear operator that is to be made: the function that makes it, and the arguments."""

    def __init__(self, make, args, kwargs):
        self.make, self.args, self.kwargs = make, args, kwargs

    def tree_flatten(self):
        return (self.args, self.kwargs), self.make

    @classmethod
    def tree_unflatten(cls, make, children):
        return cls(make, *children)

    def made(self):
        """Make the operator; the arguments must be arrays."""
        return self.make(*_made(self.args), **_made(self.kwargs))

    def __shims_call__(self, call: OperatorCall):
        return call.operator(*_made(call.args), **_made(dict(call.kwargs)))


def _made(value):
    """Replace recipes in nested arguments by the operators that they make."""
    if isinstance(value, _Recipe):
        return value.made()
    if isinstance(value, (list, tuple)):
        return type(value)(map(_made, value))
    if isinstance(value, dict):
        return {key: _made(v) for key, v in value.items()}
    return value


class _GraphOperatorMeta(type):
    """The metaclass of the classes of linear operators, whose constructors accept tensors of a graph.

    An operator of arrays is an instance of its class, too.
    """

    _arrays: type

    def __call__(cls, *args, **kwargs):
        made = cls._arrays
        if executing_eagerly():
            return made(*args, **kwargs)
        return _operator(_Recipe(made, args, kwargs))

    def __instancecheck__(cls, instance) -> bool:
        return isinstance(instance, cls._arrays)


class _InGraph:
    """The methods of a linear operator of a graph, mixed into its class."""

    _recipe: _Recipe
    _known: GraphShape

    def tree_flatten(self):
        return self._recipe.tree_flatten()

    @property
    def shape(self):
        """The shape of the matrices, `[..., n, m]`."""
        return self._known

    @property
    def batch_shape(self):
        """The sizes of the leading axes."""
        return self._known[:-2]

    @property
    def tensor_rank(self):
        """The number of axes; `None` if it is unknown."""
        return self._known.rank

    @property
    def domain_dimension(self):
        """The number of columns."""
        return GraphShape(None)[0] if self._known.rank is None else self._known[-1]

    @property
    def range_dimension(self):
        """The number of rows."""
        return GraphShape(None)[0] if self._known.rank is None else self._known[-2]

    @property
    def is_square(self):
        """Whether the matrices are square; `None` if it is unknown."""
        return self._hints.square or self.domain_dimension == self.range_dimension

    @property
    def graph_parents(self):
        """The tensors among the arguments of the constructor."""
        leaves = map(as_leaf, jax.tree.leaves(self._recipe))
        return [x for x in leaves if isinstance(x, Tensor)]

    @property
    def H(self):
        """The adjoint."""
        return self.adjoint()

    def __matmul__(self, other):
        return self.matmul(other)

    def __getattr__(self, name):
        """Return an argument of the constructor, which operators of arrays keep in attributes."""
        arguments = self.__dict__.get("_parameters", {})
        if name.lstrip("_") not in arguments:
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}.")
        value = arguments[name.lstrip("_")]
        nested = isinstance(value, (list, tuple)) and any(
            isinstance(v, LinearOperator) for v in value
        )
        if nested or value is None or isinstance(value, LinearOperator):
            return value
        return convert_to_tensor(value, self.dtype)


def _call_of(method: str, made, args, kwargs):
    return getattr(made, method)(*args, **kwargs)


def _method(method: str):
    """Make the method of a graph's operator: it adds an operation, or makes another operator."""

    @functools.wraps(getattr(LinearOperator, method))
    def call(self, *args, **kwargs):
        name = kwargs.pop("name", None)
        given = (functools.partial(_call_of, method), (self, args, kwargs), {})
        first = next(iter((*args, *kwargs.values())), None)
        if method in _OPERATORS or (method in _PRODUCTS and isinstance(first, LinearOperator)):
            return _operator(_Recipe(*given))
        recipe = _Recipe(given[0], (self._recipe, *_recipes(given[1][1:])), {})
        with get_default_graph().name_scope(self.name):
            return operation_of(_value_of, (recipe,), {}, public=method, name=name)

    return call


def _value_of(recipe):
    return recipe.made()


def _recipes(value):
    """Replace operators of a graph in nested arguments by their recipes."""
    if isinstance(value, _InGraph):
        return value._recipe
    if isinstance(value, (list, tuple)):
        return type(value)(map(_recipes, value))
    if isinstance(value, dict):
        return {key: _recipes(v) for key, v in value.items()}
    return value


def _operator(recipe: _Recipe):
    """Return the operator of a graph that a recipe makes; what is static about it is found by tracing.

    Raises:
      ValueError, TypeError: the arguments do not make an operator.
    """
    recipe = _Recipe(recipe.make, _recipes(recipe.args), _recipes(recipe.kwargs))
    leaves, tree = jax.tree.flatten(recipe, is_leaf=lambda x: x is None)
    leaves = [as_leaf(x) for x in leaves]
    operands = list(dict.fromkeys(x for x in leaves if isinstance(x, Tensor)))
    found: list[LinearOperator] = []

    def dense(*values):
        known = dict(zip(operands, values, strict=True))
        full = [known[x] if isinstance(x, Tensor) else x for x in leaves]
        found.append(jax.tree.unflatten(tree, full).made())
        return found[-1].to_dense()

    shape = outline(dense, operands).shapes[0]
    made: Any = found[-1]
    kind: Any = graph_class(made.__class__)
    out: Any = object.__new__(kind)
    out._recipe = jax.tree.unflatten(tree, leaves)
    out._known = GraphShape(shape)
    out._hints, out._dtype, out._name = made._hints, made._dtype, made._name
    out._parameters = _arguments(recipe, kind)
    return out


def _arguments(recipe: _Recipe, kind) -> dict[str, Any]:
    """Return the arguments of the constructor by name; none for an operator that a method makes."""
    if recipe.make is not kind._arrays:
        return {}
    bound = inspect.signature(recipe.make.__init__).bind(None, *recipe.args, **recipe.kwargs)
    arguments = dict(list(bound.arguments.items())[1:])
    return {key: _operators_of(v) for key, v in arguments.items()}


def _operators_of(value):
    if isinstance(value, _Recipe):
        return _operator(value)
    if isinstance(value, (list, tuple)) and any(isinstance(v, _Recipe) for v in value):
        return type(value)(map(_operators_of, value))
    return value


@functools.cache
def graph_class(arrays: type) -> type:
    """Return the class of the graph's operators that belongs to a class of operators of arrays.

    The base class, of which programs derive their own operators, belongs to itself.
    """
    if arrays is LinearOperator:
        return arrays
    methods = {method: _method(method) for method in _METHODS}
    members = {
        **methods,
        "_arrays": arrays,
        "__doc__": arrays.__doc__,
        "__module__": "shims.compat.v1",
    }
    mixed = _GraphOperatorMeta(arrays.__name__, (_InGraph, arrays), members)
    jax.tree_util.register_pytree_node(
        mixed, lambda made: made._recipe.tree_flatten(), _Recipe.tree_unflatten
    )
    return mixed
