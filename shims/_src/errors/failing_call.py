"""Find out from the traceback of an exception which call in the user's code failed."""

from __future__ import annotations

import ast
import dataclasses
import dis
import linecache
import types

from shims._src.errors import errors
from shims._src.platform import user_frames

_RAISE = dis.opmap["RAISE_VARARGS"]
_SEARCH = dis.opmap["CONTAINS_OP"]


@dataclasses.dataclass(frozen=True)
class FailingCall:
    """The user's innermost expression in the traceback of an error.

    Attributes:
      line: `file.py:41  source text`.
      function: the called function as the user spells it (`jnp.split`), or an empty string.
      package: the package that the function comes from (`numpy`), or an empty string.
      raised: whether the user's own code raised the error.
      searches: whether it is `value in values`.
    """

    line: str = ""
    function: str = ""
    package: str = ""
    raised: bool = False
    searches: bool = False

    @property
    def name(self) -> str:
        """The function without its module: `split` of `jnp.split`."""
        return self.function.rpartition(".")[2]


def failing_call(error: BaseException) -> FailingCall:
    """Find the user's innermost expression in the traceback of an error."""
    found, step = None, error.__traceback__
    while step is not None:
        if user_frames.is_user_frame(step.tb_frame):
            found = step
        step = step.tb_next
    if found is None:
        return FailingCall()
    code = found.tb_frame.f_code
    instruction = code.co_code[found.tb_lasti]
    function = _called_function(code, found.tb_lasti)
    return FailingCall(
        line=errors.line_of(code.co_filename, found.tb_lineno),
        function="" if function is None else ast.unparse(function),
        package="" if function is None else _package_of(function, found.tb_frame),
        raised=found.tb_next is None and instruction == _RAISE,
        searches=instruction == _SEARCH,
    )


def _called_function(code: types.CodeType, instruction: int) -> ast.expr | None:
    """Return the expression of the function that a bytecode instruction calls, or `None`.

    Only names (`split`) and attributes of names (`jnp.split`) are returned.
    """
    first, last, start, end = list(code.co_positions())[instruction // 2]
    if None in (first, last, start, end):
        return None
    lines = [
        linecache.getline(code.co_filename, number).encode()
        for number in range(first or 0, (last or 0) + 1)
    ]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        node = ast.parse(b"(" + b"".join(lines) + b")", mode="eval").body
    except SyntaxError:  # the file has changed, or the instruction is a part of a statement
        return None
    return node.func if isinstance(node, ast.Call) and _is_dotted(node.func) else None


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _package_of(function: ast.expr, frame: types.FrameType) -> str:
    root = function
    while isinstance(root, ast.Attribute):
        root = root.value
    assert isinstance(root, ast.Name)
    known = {**frame.f_builtins, **frame.f_globals, **frame.f_locals}
    value = known.get(root.id)
    owner = value.__name__ if isinstance(value, types.ModuleType) else _module_of(value)
    return owner.partition(".")[0]


def _module_of(value: object) -> str:
    return getattr(value, "__module__", None) or ""
