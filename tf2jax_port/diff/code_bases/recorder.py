"""Record calls of the watched packages inside of the captured program, without an edit of its files."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import inspect
import json
import os
import sys
import threading
from collections.abc import Hashable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from tf2jax_port.diff.code_bases import local_functions
from tf2jax_port.diff.code_bases.attributes import Globals, has_changed, look
from tf2jax_port.diff.code_bases.call_file import Call, Calls, Function, is_constructor, moved
from tf2jax_port.diff.code_bases.eager_running import run_eagerly
from tf2jax_port.diff.code_bases.encoding import (
    SYMBOLIC,
    WEIGHT,
    Encoder,
    Met,
    Node,
    UnfitError,
    nodes_in,
    place_of,
)
from tf2jax_port.diff.code_bases.local_functions import LOCAL, is_part, may_be_recorded
from tf2jax_port.diff.code_bases.objects import Objects, Seen, complete, variables_of
from tf2jax_port.diff.code_bases.sampling import Sampling, kinds_of
from tf2jax_port.diff.code_bases.steps import Steps
from tf2jax_port.diff.code_bases.steps import encoded as encoded_steps
from tf2jax_port.diff.code_bases.tape import Tape, begun

VARIABLE = "TF2JAX_PORT_CAPTURE"
_NOTHING: Node = {"kind": "plain", "value": None}
_TENSORS = ("tensor", "variable", "ragged", "sparse")
_TOOL = 2  # the number of profilers
_MONITORING: Any = getattr(sys, "monitoring", None)  # since Python 3.12
_UNWATCHED = ("<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<module>")
# What these return is Keras's own, whose keys change with its release; no tensor passes through it.
_CONFIGURATIONS = ("get_config", "from_config")
_TOLD_APART = ("kind", "value", "name", "module", "member", "ordinal", "trainable")
# Why calls that were seen are not kept.
IN_GRAPHS = (
    "the function is called only while TensorFlow traces a graph, for example in `tf.data`, where tensors have no "
    "values"
)
RAISED = "the calls of the function raised an error in the original"
_MOST_KEPT = 1 << 26  # elements of all arrays, after which calls with larger ones are not kept
_SMALL = 1 << 12
_GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class _Open(NamedTuple):
    """A call that has begun.

    Attributes:
      call: what is known of it.
      kinds: the kinds of its arguments, in short.
      arrays: the arrays of its arguments.
      seen: the objects that it took.
      tensors: whether it took tensors.
      tape: the tape for its gradients, if it can have some.
      steps: the values of its names.
      branches: the branches that it takes.
      owner: the object of a method, or the object that a constructor makes.
      attributes: the owner's attributes before the call; `None` for a constructor.
    """

    call: Call
    kinds: Hashable
    arrays: list[np.ndarray]
    seen: list[Seen]
    tensors: bool
    tape: Tape | None
    steps: Steps
    branches: set[tuple[int, int]]
    owner: Any = None
    attributes: dict[str, tuple[Any, int]] | None = None

    @property
    def cost(self) -> int:
        """Return the number of objects that it took, as a measure of the work."""
        return 1 + len(self.seen)


class _Entered(NamedTuple):
    """A function that is running, its instructions, and its call if it may be kept."""

    function: Function
    code: CodeType
    call: _Open | None


class Recorder:
    """Collects calls through `sys.monitoring`.

    Args:
      packages: the import names of the watched packages.
      most: the most calls that are kept for a function.
    """

    def __init__(self, packages: tuple[str, ...], most: int) -> None:
        self.packages = packages
        self.sampling = Sampling(most)
        self.calls: list[Call] = []
        self.arrays: list[np.ndarray] = []
        self.size = 0
        self.edges: set[tuple[Function, Function]] = set()
        self.without_tensors: set[Function] = set()
        self.unkept: dict[Function, str] = {}
        self.objects = Objects(self._is_of_package)
        self.globals = Globals()
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
        monitoring.register_callback(_TOOL, events.LINE, self._line)
        monitoring.register_callback(_TOOL, events.BRANCH, self._branch)
        monitoring.set_events(_TOOL, events.PY_START | events.PY_RETURN | events.PY_UNWIND)

    def _is_watched(self, code: CodeType, frame: FrameType) -> bool:
        module = str(frame.f_globals.get("__name__", ""))
        last = module.rpartition(".")[2]
        if not code.co_flags & inspect.CO_OPTIMIZED:  # the body of a class or module
            return False
        if code.co_name in _UNWATCHED or code.co_flags & _GENERATORS:
            return False
        if LOCAL in code.co_qualname and not may_be_recorded(code):
            return False
        is_test = last.startswith("test_") or last.endswith("_test") or ".tests." in module
        if is_test and code.co_name != "__init__":  # whose objects may be arguments
            return False
        return self._is_of_package(module)

    def _is_of_package(self, module: str) -> bool:
        return any(module == p or module.startswith(f"{p}.") for p in self.packages)

    def _start(self, code: CodeType, _: int) -> Any:
        frame = sys._getframe(1)
        if not self.eager:
            self.eager = run_eagerly(self._traced, self._drop_tapes)
        if not self._is_watched(code, frame):
            return _MONITORING.DISABLE
        stack = self._stack()
        function = str(frame.f_globals["__name__"]), code.co_qualname
        if getattr(self.open, "busy", False):
            stack.append(_Entered(function, code, None))
            return None
        if LOCAL in function[1] and is_part(code, frame, [entered.function for entered in stack]):
            stack.append(_Entered(stack[-1].function if stack else function, code, None))
            return None
        self.open.busy = True
        try:
            if stack:
                self.edges.add((stack[-1].function, function))
            for entered in stack:
                if entered.call and entered.call.tape:
                    entered.call.tape.drop_if_long()
            stack.append(_Entered(function, code, self._begin(code, frame)))
        finally:
            self.open.busy = False
        return None

    def _stack(self) -> list[_Entered]:
        if not hasattr(self.open, "stack"):
            self.open.stack = []
        stack: list[_Entered] = self.open.stack
        return stack

    def _traced(self, function: Any) -> None:
        """Note that a function was called while a graph was traced, in which nothing has a value."""
        place = str(getattr(function, "__module__", "")), getattr(function, "__qualname__", "")
        if self._is_of_package(place[0]) and "<lambda>" not in place[1]:
            self.unkept.setdefault(place, IN_GRAPHS)

    def _drop_tapes(self) -> None:
        """Give up the gradients of the calls that run in this thread."""
        for entered in self._stack():
            if entered.call and entered.call.tape:
                entered.call.tape.drop()

    def _begin(self, code: CodeType, frame: FrameType) -> _Open | None:
        """Return what is known of a call before it runs, `None` if it is not kept."""
        module, name = str(frame.f_globals["__name__"]), code.co_qualname
        if code.co_name == "__init__":
            return self._constructor(code, frame)
        if code.co_name in _CONFIGURATIONS:
            self.without_tensors.add((module, name))
            return None
        function, kinds = (module, name), kinds_of(list(frame.f_locals.values()))
        if not self.sampling.wants(function, kinds):
            if self.sampling.is_done(function):
                _MONITORING.set_local_events(_TOOL, code, 0)
            return None
        events = _MONITORING.events
        _MONITORING.set_local_events(_TOOL, code, events.LINE | events.BRANCH)
        arrays, seen, held = list[np.ndarray](), list[Seen](), set[int]()
        tensors = _has_tensor(list(frame.f_locals.values()))
        steps = Steps(_array_of)
        met = Met(self.objects.numbers)
        encoder = Encoder(arrays, self.objects.encode_in(arrays, seen, held, met), met)
        self.globals.meet(module)
        try:
            arguments = self._arguments(code, frame, encoder)
            if changed := self.globals.changed(Encoder(arrays, encoder.of_object, met)):
                arguments["globals"] = {"kind": "dict", "items": changed}
        except Exception as error:  # noqa: BLE001, the program must go on whatever its objects do
            if str(error) == SYMBOLIC or _is_traced():
                self.unkept.setdefault(function, IN_GRAPHS)
                return None
            unfit = Call(module, name, {}, _NOTHING, str(error))
            return _Open(unfit, kinds, [], [], tensors, None, steps, set())
        steps.begin(frame.f_locals, code.co_firstlineno)
        variables = [(node["number"], value) for node, value in met.variables.values()]
        stateful = "owner" in arguments
        tape = begun(encoder.tensors, held, frame.f_locals, variables, stateful=stateful)
        call = Call(module, name, arguments, _NOTHING)
        owner = next((s.value for s in seen if s.node is arguments.get("owner")), None)
        attributes = None if owner is None else look(owner)
        return _Open(call, kinds, arrays, seen, tensors, tape, steps, set(), owner, attributes)

    def _constructor(self, code: CodeType, frame: FrameType) -> _Open | None:
        """Return what is known of the constructor of an object before it runs, `None` if it is not kept."""
        origin = self.objects.note(code, frame)
        module, name = str(frame.f_globals["__name__"]), code.co_qualname
        kinds = kinds_of(list(frame.f_locals.values())[1:])
        if origin is None or not self.sampling.wants((module, name), kinds):
            return None
        if origin.unfit:  # which its row tells, since its objects are restored
            if self.sampling.keeps_unfit((module, name), kinds, origin.unfit):
                self.calls.append(Call(module, name, {}, _NOTHING, origin.unfit))
            return None
        arrays = list(origin.arrays)
        self.globals.meet(module)
        met = Met(self.objects.numbers)
        arguments = {"call": origin.arguments}
        encoder = Encoder(arrays, self.objects.encode_in(arrays, met=met), met)
        if changed := self.globals.changed(encoder):
            arguments["globals"] = {"kind": "dict", "items": changed}
        call = Call(module, name, arguments, _NOTHING)
        owner = frame.f_locals[code.co_varnames[0]]
        steps = Steps(_array_of)
        return _Open(call, kinds, arrays, [], False, None, steps, set(), owner)

    def _arguments(self, code: CodeType, frame: FrameType, encoder: Encoder) -> dict[str, Node]:
        """Return the arguments of a call that has just begun, and the object or class of a method."""
        if LOCAL in code.co_qualname:
            function = local_functions.node_of(code, frame, encoder)
            return {"function": function, "call": self.objects.pack(code, frame, 0, encoder)}
        outer, _, method = code.co_qualname.rpartition(".")
        owner: Any = frame.f_globals.get(code.co_qualname.partition(".")[0])
        if owner is None:
            raise UnfitError("function that is not an attribute of its module")
        if not outer:
            return {"call": self.objects.pack(code, frame, 0, encoder)}
        for part in outer.split(".")[1:]:
            owner = inspect.getattr_static(owner, part)
        kept = inspect.getattr_static(owner, _mangled(outer, method), None)
        if isinstance(kept, staticmethod):
            return {"call": self.objects.pack(code, frame, 0, encoder)}
        first = frame.f_locals[code.co_varnames[0]] if code.co_argcount else None
        if isinstance(first, type):
            packed = {"owner": place_of(first)}
        else:
            packed = {"owner": encoder.encode(first)}
        if not isinstance(kept, property):
            packed["call"] = self.objects.pack(code, frame, 1, encoder)
        return packed

    def _end(self, code: CodeType, _: int, result: Any) -> Any:
        frame = sys._getframe(1)
        if not self._is_watched(code, frame):
            if code.co_name == "add_weight":
                with contextlib.suppress(AttributeError):
                    setattr(result, WEIGHT, True)
                return None
            return _MONITORING.DISABLE
        entered = self._pop()
        began = entered and entered.call
        if not began:
            return None
        self.open.busy = True
        try:
            began.steps.look(frame.f_locals, 0)
            self._keep(began, result)
        finally:
            self.open.busy = False
        return None

    def _keep(self, began: _Open, result: Any) -> None:
        """Keep a call that has ended, if tensors were computed, and the call is of a new kind or takes new branches."""
        call = began.call
        encoder = Encoder(began.arrays)
        encoded, unfit = _NOTHING, call.unfit
        if not unfit:
            try:
                complete(began.seen)
                encoded = self._result(call, began.seen, result, encoder)
            except Exception as error:  # noqa: BLE001, as above
                unfit = f"result: {error}"
        after = {} if unfit else self._after(began)
        taken = [a for key, a in call.arguments.items() if key != "globals"]
        nodes = [n for a in (*taken, encoded) for n in nodes_in(a, ("items",))]
        nodes += [n for n in nodes_in(after) if n is not after] if after else []
        makes = began.owner is not None and began.attributes is None
        tensors = began.tensors or _has_tensor(result)
        if not (makes or tensors or any(n["kind"] in _TENSORS for n in nodes)):
            self.without_tensors.add(call.function)
            self.sampling.leave(call.function, began.kinds, began.cost)
        elif unfit:
            if self.sampling.keeps_unfit(call.function, began.kinds, unfit):
                self.calls.append(Call(call.module, call.name, {}, encoded, unfit))
        elif self.sampling.keeps(
            call.function, began.kinds, _key(began), began.branches, began.cost
        ):
            whole = dataclasses.replace(
                call,
                result=encoded,
                gradients=_gradients(began, encoded, encoder),
                steps=encoded_steps(began.steps.found, encoder),
                after=after,
            )
            size = sum(array.size for array in began.arrays)
            if size > _SMALL and self.size + size > _MOST_KEPT:
                whole = Call(call.module, call.name, {}, _NOTHING, "too many large arrays")
                began.arrays.clear()
            else:
                self.size += size
            self.calls.append(moved(whole, len(self.arrays)))
            self.arrays += began.arrays
        if began.tape:
            began.tape.drop()

    def _after(self, began: _Open) -> Node:
        """Return the node of the object that a call has made or changed; empty if there is none."""
        if began.owner is None:
            return {}
        if began.attributes is not None and not has_changed(began.owner, began.attributes):
            return {}
        try:
            return self.objects.node_of(began.owner, began.arrays)
        except UnfitError:
            return {}

    def _result(self, call: Call, seen: list[Seen], result: Any, encoder: Encoder) -> Node:
        returned = encoder.encode(result)
        leaves = [n for n in nodes_in(returned) if "items" not in n]
        if leaves and all(isinstance(n.get("value"), str) for n in leaves):
            raise UnfitError("text")  # which names the kinds of arrays
        owner = call.arguments.get("owner", {})
        if "state" not in owner:
            return returned
        state = [np.array(variable.numpy()) for variable in _variables(owner, seen)]
        return {"kind": "dict", "items": {"returned": returned, "state": encoder.encode(state)}}

    def _line(self, code: CodeType, line: int) -> Any:
        running = self._running(code)
        if running:
            running.steps.look(sys._getframe(1).f_locals, line)

    def _branch(self, code: CodeType, offset: int, destination: int) -> Any:
        running = self._running(code)
        if running:
            running.branches.add((offset, destination))

    def _running(self, code: CodeType) -> _Open | None:
        """Return the call of the function that runs now, if it may be kept."""
        stack = self._stack()
        if not stack or stack[-1].code is not code or self.open.busy:
            return None
        return stack[-1].call

    def _fail(self, code: CodeType, *_: Any) -> None:
        if self._is_watched(code, sys._getframe(1)):
            entered = self._pop()
            if entered and entered.call:
                self.sampling.leave(entered.function, entered.call.kinds)
                self.unkept.setdefault(entered.function, RAISED)
                if entered.call.tape:
                    entered.call.tape.drop()

    def _pop(self) -> _Entered | None:
        stack = self._stack()
        return stack.pop() if stack else None

    def write(self, folder: Path) -> None:
        """Write the calls of this process."""
        _MONITORING.set_events(_TOOL, 0)
        self.calls = _with_used_constructors(self.calls)
        kept = {call.function for call in self.calls}
        found = Calls(
            tuple(self.calls),
            tuple(self.arrays),
            self.packages,
            frozenset(self.edges),
            frozenset(self.without_tensors - kept),
            {place: why for place, why in self.unkept.items() if place not in kept},
        )
        if self.calls or self.without_tensors or self.unkept:
            found.write(folder / f"{os.getpid()}.npz", compressed=False)


def _with_used_constructors(calls: list[Call]) -> list[Call]:
    """Return calls without the constructors of objects that no other call takes."""
    used = {
        (node["module"], node["name"])
        for call in calls
        if not is_constructor(call)
        for argument in call.arguments.values()
        for node in nodes_in(argument)
        if node["kind"] == "object"
    }

    def makes(call: Call) -> tuple[str, str]:
        outer = call.name.rpartition(".")[0]
        return call.after.get("module", call.module), call.after.get("name", outer)

    return [call for call in calls if not is_constructor(call) or makes(call) in used]


def _is_traced() -> bool:
    """Return whether TensorFlow traces a graph, in which nothing has a value."""
    tf: Any = sys.modules.get("tensorflow")
    return tf is not None and not tf.executing_eagerly()


def _mangled(outer: str, method: str) -> str:
    """Return the name by which a class has a method: private names are prefixed with the name of their class."""
    private = method.startswith("__") and not method.endswith("__")
    return f"_{outer.rpartition('.')[2].lstrip('_')}{method}" if private else method


def _has_tensor(value: Any, depth: int = 3) -> bool:
    """Return whether a value is a tensor, or a collection that has one."""
    tf: Any = sys.modules.get("tensorflow")
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple) and depth:
        return any(_has_tensor(item, depth - 1) for item in value)
    return tf is not None and isinstance(value, tf.Tensor | tf.RaggedTensor | tf.SparseTensor)


def _key(began: _Open) -> str:
    """Return the kinds of arguments in full: shapes, dtypes, and all that is not an array."""
    arguments = [a for key, a in began.call.arguments.items() if key != "globals"]
    nodes = [n for a in arguments for n in nodes_in(a, ("items",)) if "array" in n]
    shapes = [(began.arrays[n["array"]].shape, n["dtype"]) for n in nodes]
    return json.dumps([str(shapes), _static(began.call.arguments)])


def _variables(owner: Node, seen: list[Seen]) -> list[Any]:
    return variables_of(next(s.value for s in seen if s.node is owner))


def _array_of(value: Any) -> np.ndarray | None:
    """Return the value of a name as an array; `None` if it is not an array."""
    tf: Any = sys.modules.get("tensorflow")
    if isinstance(value, np.ndarray | bool | int | float):
        return np.asarray(value)
    if tf is not None and isinstance(value, tf.Tensor) and hasattr(value, "numpy"):
        return np.asarray(value.numpy())
    return None


def _gradients(began: _Open, result: Node, encoder: Encoder) -> dict[str, Any]:
    if began.tape is None:
        return {}
    owner = began.call.arguments.get("owner", {})
    with contextlib.suppress(Exception):  # an operator has no gradient, or it is too large
        state = _variables(owner, began.seen) if "state" in owner else []
        return began.tape.gradients(began.call, result, encoder.tensors, state, encoder)
    return {}


def _static(arguments: dict[str, Node]) -> str:
    """Return the arguments other than arrays as text, to distinguish calls."""

    def plain(node: Node) -> Any:
        if "array" in node:
            return node["kind"]
        items = node.get("items")
        rest = {key: node[key] for key in _TOLD_APART if key in node}
        if isinstance(items, dict):
            return {**rest, "items": {key: plain(item) for key, item in items.items()}}
        return {**rest, "items": [plain(item) for item in items or ()]}

    told = {key: plain(node) for key, node in arguments.items() if key != "globals"}
    around = arguments.get("function", {}).get(
        "fields", {}
    )  # with other values, it is another function
    told["around"] = {name: plain(node) for name, node in around.items()}
    return json.dumps(told, sort_keys=True)


def start() -> None:
    """Record the calls of this process as the environment asks for it, and write them when it ends."""
    asked = json.loads(os.environ[VARIABLE])
    recorder = Recorder(tuple(asked["packages"]), asked["most"])
    recorder.install()
    atexit.register(recorder.write, Path(asked["folder"]))
