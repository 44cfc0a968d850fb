"""Replace known symbolic sizes in a traced program by numbers.

The equations stay the same. The symbols that remain are data-dependent sizes; if there are none,
the result is the program that `jax.jit` would have traced for arrays of these shapes.
"""

from __future__ import annotations

import types
from typing import Any

import jax
import numpy as np

from shims._src.numeric import extremes_held
from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs
from shims._src.sizes import dims

# Calls with a derivative rule, and the parameter that holds the program of the function itself.
_WITH_DERIVATIVES = {"custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr"}

# Callable parameters that compute nothing.
_NO_FUNCTIONS = (type, jax.sharding.Mesh)


class NotExactError(Exception):
    """Raised if sizes cannot be replaced in some parameter or constant of a program."""


def exact_program(jaxpr, sizes: dict[str, int]):
    """Return a closed jaxpr in which numbers replace some symbolic sizes.

    Args:
      jaxpr: the traced program, with symbolic shapes.
      sizes: a dict from the names of sizes to numbers.

    Raises:
      NotExactError: a part of the program may depend on sizes in a way that cannot be inspected.
    """
    return _Substitution(sizes).program(jaxpr)


class _Substitution:
    def __init__(self, sizes: dict[str, int]):
        self.sizes = sizes
        self._programs: dict[int, tuple[Any, Any]] = {}

    def program(self, jaxpr):
        """Return a jaxpr with numbers for the known sizes; convert one that occurs repeatedly only once."""
        known = self._programs.get(id(jaxpr))
        if known is None:
            known = self._programs[id(jaxpr)] = (jaxpr, self._program(jaxpr))
        return known[1]

    def _program(self, jaxpr):
        inner, consts = jp.open_jaxpr(jaxpr)
        if any(jp.variable_of(c) is not None for c in consts):
            raise NotExactError("a constant that belongs to another program")
        env: dict[Any, Any] = {v: v for v in inner.constvars}
        equations: list[Any] = []
        invars = list(map(self._new_variable, inner.invars))
        env.update(zip(inner.invars, invars, strict=True))
        outvars = self._add_equations(inner, env, equations)
        return jaxprs.with_equations(jaxpr, invars, equations, outvars)

    def _add_equations(self, jaxpr, env, equations) -> list:
        """Append the converted equations of a jaxpr to a list; return its output variables and literals."""
        held = extremes_held.barriered_operands(jaxpr)

        def step(eqn, operands):
            if extremes_held.is_extreme(eqn) and eqn.invars[0] in held:
                var = operands[0]
                operands[0] = env[eqn.invars[0]] = jp.another_variable(var, var.aval)
                equations.append(extremes_held.barrier(eqn, var, operands[0]))
            return self._add_equation(eqn, operands, equations)

        return jaxprs.evaluate(jaxpr, env, step, lambda literal: literal)

    def _add_equation(self, eqn, operands, equations) -> list:
        name = eqn.primitive.name
        if name in _WITH_DERIVATIVES:  # an exact program is never differentiated
            return self._inline(eqn.params[_WITH_DERIVATIVES[name]], operands, equations)
        params = {k: self._substitute(v) for k, v in eqn.params.items()}
        if name == "dim_as_value" and not jp.is_symbolic(params["dim"]):
            aval = eqn.outvars[0].aval
            return [jp.Literal(np.asarray(params["dim"], aval.dtype)[()], aval)]
        outvars = list(map(self._new_variable, eqn.outvars))
        equations.append(eqn.replace(invars=operands, outvars=outvars, params=params))
        return outvars

    def _inline(self, jaxpr, operands, equations) -> list:
        inner, consts = jp.open_jaxpr(jaxpr)
        if consts or inner.constvars:
            raise NotExactError("a function with a custom derivative has constants")
        env = dict(zip(inner.invars, operands, strict=True))
        return self._add_equations(inner, env, equations)

    def _new_variable(self, var):
        """Return a new jaxpr variable for `var`, with numbers for the sizes in its type."""
        return jp.another_variable(var, self._substitute(var.aval))

    def _substitute(self, value):
        """Replace sizes in a parameter or type by numbers; return it unchanged if it has none."""
        if jp.is_symbolic(value):
            return dims.substituted(value, self.sizes)
        if isinstance(value, (tuple, list)):
            return jaxprs.with_items(value, [self._substitute(v) for v in value])
        if isinstance(value, dict):
            return {k: self._substitute(v) for k, v in value.items()}
        if jaxprs.is_jaxpr(value):
            return self.program(value)
        if isinstance(value, jp.ShapedArray):
            if not any(map(jp.is_symbolic, value.shape)):
                return value
            return value.update(shape=self._substitute(value.shape))
        if callable(value) and not isinstance(value, _NO_FUNCTIONS) and not _is_closed(value):
            raise NotExactError(f"a function of Python: {value!r}")
        return value


def _is_closed(value) -> bool:
    """Return whether a Python function depends only on its arguments: no closure, no default values."""
    return isinstance(value, types.FunctionType) and not (value.__closure__ or value.__defaults__)
