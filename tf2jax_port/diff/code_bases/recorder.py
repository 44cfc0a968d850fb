"""Record calls of the watched packages inside of the captured program, without an edit of its files."""

from __future__ import annotations

import atexit
import contextlib
import inspect
import json
import os
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

from tf2jax_port.diff.code_bases.call_file import Call, Calls
from tf2jax_port.diff.code_bases.encoding import Node, UnfitError, arrays_in, encode

VARIABLE = "TF2JAX_PORT_CAPTURE"
_NOTHING: Node = {"kind": "plain", "value": None}
_TOOL = 2  # the number of profilers
_MONITORING: Any = getattr(sys, "monitoring", None)  # since Python 3.12
_UNWATCHED = ("<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<module>")
_GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Recorder:
    """Collects calls through `sys.monitoring`.

    Args:
      packages: the import names of the watched packages.
      most: the most calls that are kept for a function.
    """

    def __init__(self, packages: tuple[str, ...], most: int) -> None:
        self.packages = packages
        self.most = most
        self.calls: list[Call] = []
        self.arrays: list[np.ndarray] = []
        self.counts: dict[tuple[str, str], int] = {}
        self.seen: set[str] = set()
        self.made: dict[int, Node | str] = {}  # objects, and the arguments that made them
        self.open = threading.local()
        self.eager = False

    def install(self) -> None:
        """Watch every call from now on."""
        monitoring = _MONITORING
        monitoring.use_tool_id(_TOOL, "tf2jax-port")
        events = monitoring.events
        monitoring.register_callback(_TOOL, events.PY_START, self._start)
        monitoring.register_callback(_TOOL, events.PY_RETURN, self._end)
        monitoring.register_callback(_TOOL, events.PY_UNWIND, self._fail)
        monitoring.set_events(_TOOL, events.PY_START | events.PY_RETURN | events.PY_UNWIND)

    def _is_watched(self, code: CodeType, frame: FrameType) -> bool:
        module = str(frame.f_globals.get("__name__", ""))
        last = module.rpartition(".")[2]
        if not code.co_flags & inspect.CO_OPTIMIZED:  # the body of a class or module
            return False
        if (
            "<locals>" in code.co_qualname
            or code.co_name in _UNWATCHED
            or code.co_flags & _GENERATORS
        ):
            return False
        if last.startswith("test_") or last.endswith("_test") or ".tests." in module:
            return False
        return any(module == p or module.startswith(f"{p}.") for p in self.packages)

    def _start(self, code: CodeType, _: int) -> Any:
        frame = sys._getframe(1)
        if not self.eager:
            self._run_eagerly()
        if not self._is_watched(code, frame):
            return _MONITORING.DISABLE
        stack = self._stack()
        if getattr(self.open, "busy", False):
            stack.append(None)
            return None
        self.open.busy = True
        try:
            stack.append(self._begin(code, frame))
        finally:
            self.open.busy = False
        return None

    def _stack(self) -> list[Any]:
        if not hasattr(self.open, "stack"):
            self.open.stack = []
        stack: list[Any] = self.open.stack
        return stack

    def _run_eagerly(self) -> None:
        """Let the functions under `tf.function` run as Python, so that their calls are seen."""
        config = getattr(sys.modules.get("tensorflow"), "config", None)
        switch = getattr(config, "run_functions_eagerly", None)
        if switch is not None:
            self.eager = True
            switch(True)

    def _begin(self, code: CodeType, frame: FrameType) -> Call | None:
        """Return what is known of a call before it runs, `None` if it is not kept."""
        module, name = str(frame.f_globals["__name__"]), code.co_qualname
        if code.co_name == "__init__":
            self._note_object(code, frame)
            return None
        if self.counts.get((module, name), 0) >= self.most:
            return None
        before = len(self.arrays)
        try:
            arguments = self._arguments(code, frame)
        except Exception as error:  # noqa: BLE001, the program must go on whatever its objects do
            del self.arrays[before:]
            if str(error) == "symbolic tensor":
                return None
            return Call(module, name, {}, _NOTHING, str(error))
        shapes = [
            (self.arrays[n["array"]].shape, n["dtype"])
            for a in arguments.values()
            for n in arrays_in(a)
        ]
        key = json.dumps([module, name, str(shapes), _static(arguments)])
        if key in self.seen:
            del self.arrays[before:]
            return None
        self.seen.add(key)
        return Call(module, name, arguments, _NOTHING)

    def _note_object(self, code: CodeType, frame: FrameType) -> None:
        names = code.co_varnames
        owner = frame.f_locals.get(names[0]) if names else None
        if owner is None or type(owner).__init__.__code__ is not code:
            return
        before = len(self.arrays)
        try:
            self.made[id(owner)] = _pack(code, frame, 1, self.arrays)
        except Exception as error:  # noqa: BLE001, as above
            del self.arrays[before:]
            self.made[id(owner)] = str(error)

    def _arguments(self, code: CodeType, frame: FrameType) -> dict[str, Node]:
        outer = code.co_qualname.partition(".")[0]
        if outer not in frame.f_globals:
            raise UnfitError("function that its module does not name")
        if "." not in code.co_qualname:
            return {"call": _pack(code, frame, 0, self.arrays)}
        first = code.co_varnames[0] if code.co_argcount else ""
        if first != "self":
            raise UnfitError("method of a class")
        owner = frame.f_locals["self"]
        made = self.made.get(id(owner), "object of unknown origin")
        if isinstance(made, str):
            raise UnfitError(f"object made of {made}")
        if _has_state(owner):
            raise UnfitError("object with variables")
        made = {**made, "class": type(owner).__qualname__, "module": type(owner).__module__}
        return {"init": made, "call": _pack(code, frame, 1, self.arrays)}

    def _end(self, code: CodeType, _: int, result: Any) -> Any:
        frame = sys._getframe(1)
        if not self._is_watched(code, frame):
            return _MONITORING.DISABLE
        began = self._pop()
        if began is None:
            return None
        call = began
        self.counts[call.module, call.name] = self.counts.get((call.module, call.name), 0) + 1
        self.open.busy = True
        try:
            encoded = _NOTHING if call.unfit else encode(result, self.arrays)
            nodes = [n for a in (*call.arguments.values(), encoded) for n in arrays_in(a)]
            if call.unfit or any(node["kind"] == "tensor" for node in nodes):
                self.calls.append(Call(call.module, call.name, call.arguments, encoded, call.unfit))
        except Exception as error:  # noqa: BLE001, as above
            self.calls.append(Call(call.module, call.name, {}, _NOTHING, f"result: {error}"))
        finally:
            self.open.busy = False
        return None

    def _fail(self, code: CodeType, *_: Any) -> None:
        if self._is_watched(code, sys._getframe(1)):
            self._pop()

    def _pop(self) -> Any:
        stack = getattr(self.open, "stack", [])
        return stack.pop() if stack else None

    def write(self, folder: Path) -> None:
        """Write the calls of this process."""
        _MONITORING.set_events(_TOOL, 0)
        if self.calls:
            Calls(tuple(self.calls), tuple(self.arrays)).write(folder / f"{os.getpid()}.npz")


def _pack(code: CodeType, frame: FrameType, skip: int, arrays: list[np.ndarray]) -> Node:
    """Return the arguments of a call that has just begun: `{"args": ..., "kwargs": ...}`."""
    names, values = code.co_varnames, frame.f_locals
    positional = names[skip : code.co_argcount]
    only = names[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    rest = code.co_argcount + code.co_kwonlyargcount
    args = [values[name] for name in positional]
    kwargs = {name: values[name] for name in only}
    if code.co_flags & inspect.CO_VARARGS:
        args += values[names[rest]]
        rest += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        kwargs.update(values[names[rest]])
    return {"kind": "list", "items": [encode(args, arrays), encode(kwargs, arrays)]}


def _static(arguments: dict[str, Node]) -> str:
    """Return the arguments other than arrays as text, to tell calls apart."""

    def plain(node: Node) -> Any:
        if "array" in node:
            return node["kind"]
        items = node.get("items")
        if isinstance(items, dict):
            return {key: plain(item) for key, item in items.items()}
        return [plain(item) for item in items] if items is not None else {**node}

    return json.dumps({key: plain(node) for key, node in arguments.items()}, sort_keys=True)


def _has_state(owner: Any) -> bool:
    """Return whether an object holds variables, whose values its constructor does not give."""
    tf: Any = sys.modules.get("tensorflow")
    with contextlib.suppress(Exception):
        if getattr(owner, "weights", None) or getattr(owner, "variables", None):
            return True
        return tf is not None and any(isinstance(v, tf.Variable) for v in vars(owner).values())
    return True


def start() -> None:
    """Record the calls of this process as the environment asks for it, and write them when it ends."""
    asked = json.loads(os.environ[VARIABLE])
    recorder = Recorder(tuple(asked["packages"]), asked["most"])
    recorder.install()
    atexit.register(recorder.write, Path(asked["folder"]))
