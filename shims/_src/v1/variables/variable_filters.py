"""Select variables by scope, name suffix or pattern (`tf.contrib.framework`, slim).

https://github.com/google-research/tf-slim
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.variables.variable_scope import VariableScope
from shims._src.v1.variables.variables import GraphKeys, GraphVariable


def get_variables(
    scope=None, suffix: str | None = None, collection=GraphKeys.GLOBAL_VARIABLES
) -> list:
    """Return the variables of a collection in the order of their creation.

    Args:
      scope: a variable scope, or a regular expression that matches the beginning of the names.
      suffix: the end of the names, without `:0`.
      collection: the collection; that of global variables by default.
    """
    pattern = scope.name if isinstance(scope, VariableScope) else scope
    if suffix is not None:
        end = suffix if ":" in suffix else f"{suffix}:"
        pattern = f"{pattern or ''}.*{end}"
    return get_default_graph().get_collection(collection, pattern)


def get_model_variables(scope=None, suffix=None) -> list:
    """Return the variables that layers created as part of the model; see `get_variables`."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope=None, suffix=None) -> list:
    """Return the local variables; see `get_variables`."""
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope=None, suffix=None) -> list:
    """Return the trainable variables; see `get_variables`."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix, scope=None) -> list:
    """Return the global variables whose names end in `suffix`; see `get_variables`."""
    return get_variables(scope, suffix)


def get_variables_by_name(given_name, scope=None) -> list:
    """Return the global variables with the given name, in any scope; see `get_variables`."""
    return get_variables(scope, f"/{given_name}:|^{given_name}:")


def get_unique_variable(var_op_name: str) -> GraphVariable:
    """Return the global variable called `var_op_name`.

    Args:
      var_op_name: the full name, without `:0`.

    Raises:
      ValueError: there is no such variable.
    """
    candidates = get_variables(var_op_name)
    if not candidates:
        raise ValueError(f"Couldn't find variable {var_op_name}")
    for candidate in candidates:
        if candidate.op.name == var_op_name:
            return candidate
    raise ValueError(f"Variable {var_op_name} does not uniquely identify a variable")


def get_variables_to_restore(include=None, exclude=None) -> list:
    """Return the global variables of the included scopes, without those of the excluded ones.

    Args:
      include: scopes; all scopes when `None`.
      exclude: scopes.

    Raises:
      TypeError: an argument is neither a list nor a tuple.
    """
    for name, given in (("include", include), ("exclude", exclude)):
        if given is not None and not isinstance(given, (list, tuple)):
            raise TypeError(f"{name} is provided but is not a list or a tuple.")
    scopes = [None] if include is None else include
    included = [v for scope in scopes for v in get_variables(scope)]
    excluded = {v for scope in exclude or () for v in get_variables(scope)}
    return [v for v in included if v not in excluded]


def filter_variables(
    var_list, include_patterns=None, exclude_patterns=None, reg_search=True
) -> list:
    """Return the variables whose names match an included pattern and no excluded pattern.

    Args:
      var_list: the variables.
      include_patterns: regular expressions; all variables are included when `None`.
      exclude_patterns: regular expressions.
      reg_search: whether a pattern may match anywhere in a name; if not, it must match at the beginning.
    """
    match = re.search if reg_search else re.match

    def matches(variable, patterns: Sequence[str]) -> bool:
        return any(match(pattern, variable.name) for pattern in patterns)

    included = [v for v in var_list if include_patterns is None or matches(v, include_patterns)]
    return [v for v in included if not matches(v, exclude_patterns or ())]


def get_variable_full_name(var) -> str:
    """Return the name of a variable in checkpoints: for a part, the name of the whole variable."""
    return var.op.name if var._save_slice_info is None else var._save_slice_info.full_name
