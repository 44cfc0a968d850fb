"""Call functions of a port with captured arguments, eagerly, under `jit`, in `shims.function` and with gradients."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import textwrap
import traceback
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tf2jax_port.diff.code_bases.alike import Comparison, Different
from tf2jax_port.diff.code_bases.building import Builder
from tf2jax_port.diff.code_bases.call_file import Call, Calls, is_constructor
from tf2jax_port.diff.code_bases.encoding import Node, UnfitError, arrays_in, encode, nodes_in
from tf2jax_port.diff.code_bases.outcomes import (
    Outcome,
    Replayed,
    compare,
    is_within_spread,
    leaves,
)
from tf2jax_port.diff.code_bases.planted import planted
from tf2jax_port.diff.code_bases.port_objects import bound, place, value_of
from tf2jax_port.diff.code_bases.results import as_numpy, leaves_of
from tf2jax_port.diff.code_bases.slopes import GRADIENTS, gradients, named
from tf2jax_port.diff.values.other_seeds import other_seeds

LANES = ("eager", "jit", "function")
ALL_LANES = (*LANES, GRADIENTS)
_LONGEST = 900  # of an error's text: what it says to do comes last


class Form(NamedTuple):
    """The form in which a call is compiled.

    Attributes:
      fixed: whether integers with at most one axis are constants of the traced program.
      dynamic: whether `shims.dynamic` is inside of `jax.jit`, so sizes may depend on data.
      fresh: whether the call itself makes the variables of its object.
    """

    fixed: bool = False
    dynamic: bool = False
    fresh: bool = False


# What is tried where a compiled lane raises. Sizes and axes are numbers in a port, where they were tensors of a graph.
_FORMS = (
    (Form(fixed=True), "with integers passed as Python numbers"),
    (Form(dynamic=True), "in `shims.dynamic`"),
    (Form(fixed=True, dynamic=True), "in `shims.dynamic`, with integers passed as Python numbers"),
)
# Of these, what AutoGraph converts in `shims.dynamic` is no reason: control flow over arrays is written for it.
_NEEDS_VALUES = (
    "ConcretizationTypeError",
    "TracerArrayConversionError",
    "TracerIntegerConversionError",
)
_DRAWS = 4  # a call that draws a few integers may draw the same ones twice


class Replay:
    """Calls functions of the port with captured arguments.

    Args:
      calls: the captured calls.
      root: the folder of the port, to distinguish its lines from other lines.
    """

    def __init__(self, calls: Calls, root: str = "") -> None:
        self._root = root
        self.arrays = list(calls.arrays)
        self.calls = calls.calls
        self.nudge = 0  # the direction in which arguments are changed by one bit
        self._eager: tuple[Call, Replayed] | None = None  # what was called last, and its outcome
        # How the objects of a call are made: `True` from what they held, `False` by their constructors.
        self._ways: dict[int, tuple[bool, ...]] = {}
        self._touched: list[str] = []  # what could not be restored, and was used
        self._builder: Builder | None = None
        self._restores = False

    def run(self, call: Call, lane: str) -> Replayed:
        """Replay one call in one lane; a port that raises an error is never equal."""
        if lane == "function" and self._eager and self._eager[0] is call and _is_compiled(call):
            return self._eager[1]  # calling the function is calling `shims.function`
        found = self._try(call, lane, Form())
        if lane == "eager":
            self._eager = call, found
        if found.outcome is not Outcome.ERROR or lane in ("eager", GRADIENTS):
            return found
        errors = {False: found, True: found}  # of each form without `shims.dynamic`
        for form, detail in _FORMS:
            if form.fixed and not any(map(self._is_size, call.tensors)):
                continue
            if form.dynamic and lane == "function":  # which is dynamic
                continue
            if form.dynamic and errors[form.fixed].detail.startswith(_NEEDS_VALUES):
                continue  # `float(x)`, which `jax.jit` cannot compile: it is no program of sizes
            again = self._try(call, lane, form)
            if not form.dynamic:
                errors[form.fixed] = again
            if again.outcome is Outcome.EQUAL:
                return again._replace(detail=detail)
        return found

    def _try(self, call: Call, lane: str, form: Form) -> Replayed:
        """Replay a call with restored objects, and if that is not equal, with objects that constructors make.

        Constructors may depend on what earlier calls did, and the attributes of a port may differ
        from those of its original. A function is to blame only if it fails with objects that hold
        what the original's objects held.
        """
        nodes = [n for a in call.arguments.values() for n in nodes_in(a)]
        if "globals" not in call.arguments and all(n["kind"] != "object" for n in nodes):
            return self._try_with(call, lane, form, restores=False)
        found: dict[bool, Replayed] = {}
        for restores in self._ways.get(id(call), (True, False)):
            found[restores] = self._try_with(call, lane, form, restores=restores)
            if found[restores].outcome in (Outcome.EQUAL, Outcome.RANDOM):
                if lane == "eager":
                    self._ways[id(call)] = (restores,)
                return found[restores]
        restored, made = found.get(True), found.get(False)
        if restored is None or made is None:
            return next(iter(found.values()))
        if restored.outcome is not Outcome.NOT_REPLAYABLE:
            return restored
        known = made.outcome is not Outcome.NOT_REPLAYABLE and not _maker(call)
        if known and self._is_as_recorded(call):
            return made
        return restored

    def _is_as_recorded(self, call: Call) -> bool:
        """Return whether constructors make the objects of a call as they were in the original."""
        import jax.numpy as jnp

        def concrete(node: Node) -> Any:
            return jnp.asarray(self._array(node))

        nodes = list(call.arguments.values())
        with contextlib.suppress(Exception):
            builder = Builder(self._array, nodes)
            builder.make_objects(concrete)
            return all(
                self._is_like(node, builder.value(node, concrete))
                for argument in nodes
                for node in nodes_in(argument, ("items",))
                if node["kind"] == "object"
            )
        return False

    def _is_like(self, node: Node, made: Any) -> bool:
        """Return whether an object has the known attributes of the original's object."""
        for name, part in node.get("fields", {}).items():
            if part["kind"] == "plain" and getattr(made, name, part["value"]) != part["value"]:
                return False
            if "items" in part and part["kind"] in ("list", "dict", "tuple"):
                value: Any = getattr(made, name, None)
                if hasattr(value, "__len__") and len(value) != len(part["items"]):
                    return False
        return True

    def _try_with(self, call: Call, lane: str, form: Form, *, restores: bool) -> Replayed:
        self._restores = restores
        self._touched = []
        found = self._replayed(call, lane, form)
        if found.outcome in (Outcome.ERROR, Outcome.DIFFERENT) and self._touched:
            return Replayed(Outcome.NOT_REPLAYABLE, self._touched[0])
        fails = found.outcome not in (Outcome.EQUAL, Outcome.NOT_REPLAYABLE)
        if restores and lane != "eager" and fails and (maker := _maker(call)):
            return _makes_variables(maker)  # which a compiled call cannot do
        if found.outcome is Outcome.ERROR and restores and self._builder is not None:
            lacking = self._builder.restored and self._builder.restored.lacks(found.detail)
            if lacking:
                return Replayed(Outcome.NOT_REPLAYABLE, lacking)
        return found

    def _replayed(self, call: Call, lane: str, form: Form) -> Replayed:
        with self._globals(call):
            return self._told(call, lane, form)

    @contextlib.contextmanager
    def _globals(self, call: Call) -> Iterator[None]:
        """Set the port's global names to the values that earlier calls assigned to the original's global names."""
        import jax.numpy as jnp

        if not self._restores or "globals" not in call.arguments:
            yield
            return
        node = call.arguments["globals"]
        builder = Builder(self._array, [node], restores=True)
        with contextlib.ExitStack() as back:
            with contextlib.suppress(UnfitError, ImportError):
                found = builder.value(node, lambda part: jnp.asarray(self._array(part)))
                for key, value in found.items():
                    module, _, name = key.partition(":")
                    home = importlib.import_module(module)
                    if hasattr(home, name):
                        back.callback(setattr, home, name, getattr(home, name))
                        setattr(home, name, value)
            yield

    def _told(self, call: Call, lane: str, form: Form) -> Replayed:
        try:
            return self._made(call) if is_constructor(call) else self._judged(call, lane, form)
        except UnfitError as error:
            return Replayed(Outcome.NOT_REPLAYABLE, str(error))
        except Exception as error:  # noqa: BLE001, whatever the port raises is its outcome
            if is_constructor(call) and isinstance(error, OSError | StopIteration):
                what = f"{call.name} reads an object that no longer exists: {type(error).__name__}: {error}"
                return Replayed(Outcome.NOT_REPLAYABLE, what)
            return self._raised(error)

    def _judged(self, call: Call, lane: str, form: Form) -> Replayed:
        """Call the function, and compare its result; a difference may be random, or within rounding."""
        first = self.result(call, lane, form)
        verdict = self._compare(call, lane, first)
        if lane == "eager" and self._restores and (maker := _maker(call)):
            # The first values of what it makes are random.
            if verdict.outcome is not Outcome.EQUAL and not self._returns_alike(call, first):
                return _makes_variables(maker)
            return self._changed(call) if call.after else Replayed(Outcome.EQUAL)
        if verdict.outcome is Outcome.EQUAL and lane == "eager" and call.after:
            return self._changed(call)
        is_fresh = "fresh" in call.arguments.get("owner", ())
        if verdict.outcome is Outcome.DIFFERENT and is_fresh and lane == GRADIENTS:
            raise UnfitError("gradients of variables that the call itself created")
        if verdict.outcome is Outcome.DIFFERENT and is_fresh:
            # Its variables were made by this call: their first values are known to itself only.
            again = self._compare(call, lane, self.result(call, lane, form._replace(fresh=True)))
            if again.outcome is Outcome.EQUAL:
                return again
        if verdict.outcome is Outcome.DIFFERENT and self._has_doubles(call):
            wide = self._in_64_bits(call, lane, form)
            if wide.outcome is Outcome.EQUAL:
                return wide
        if verdict.outcome is Outcome.DIFFERENT and self._is_random(call):
            return Replayed(Outcome.RANDOM, verdict.detail)
        if verdict.outcome is Outcome.DIFFERENT and self._is_within_spread(call, lane, first, form):
            return Replayed(
                Outcome.EQUAL,
                "the difference is smaller than the effect of changing one bit of the inputs",
            )
        return verdict

    def _raised(self, error: Exception) -> Replayed:
        text = f"{type(error).__name__}: {error}"
        place = _place(error, self._root) if self._root else ""
        return Replayed(Outcome.ERROR, textwrap.shorten(text, _LONGEST, placeholder=" …"), place)

    def _is_random(self, call: Call) -> bool:
        results = []
        for number in range(_DRAWS):
            with other_seeds(number):
                results.append(self.result(call, "eager"))
        one, *others = results
        found = [self._compare_encoded(one, other).outcome for other in others]
        return Outcome.DIFFERENT in found

    def _is_within_spread(self, call: Call, lane: str, first: Any, form: Form) -> bool:
        """Return whether a difference is not larger than that from a change of the arguments by one bit."""

        def as_leaves(result: Any) -> list[Any]:
            arrays: list[np.ndarray] = []
            return leaves(encode(as_numpy(result), arrays), arrays)

        wanted, found = leaves(_expected(call, lane), self.arrays), as_leaves(first)
        if len(wanted) != len(found):
            return False
        nudged = []
        for sign in (1, -1):
            self.nudge = sign
            try:
                nudged.append(as_leaves(self.result(call, lane, form)))
            finally:
                self.nudge = 0
        return is_within_spread(wanted, found, nudged)

    def _is_size(self, node: Node) -> bool:
        return "int" in node["dtype"] and self.arrays[node["array"]].ndim < 2

    def _has_doubles(self, call: Call) -> bool:
        nodes = [n for a in (*call.arguments.values(), call.result) for n in arrays_in(a)]
        return any(node["dtype"] in ("float64", "complex128") for node in nodes)

    def _in_64_bits(self, call: Call, lane: str, form: Form) -> Replayed:
        """Replay a call with 64-bit types, which it may need because the original has them."""
        import jax

        with jax.enable_x64(True):
            found = self._compare(call, lane, self.result(call, lane, form))
        return found._replace(detail="with 64 bits")

    def planted(self, call: Call) -> Replayed:
        """Plant faults into a call that is equal eagerly, and return which of them change its result."""
        eager = self.run(call, "eager")
        if eager.outcome is not Outcome.EQUAL or is_constructor(call):
            return Replayed(
                Outcome.NOT_REPLAYABLE, "no faults were planted, because the call is not equal"
            )
        try:
            run, inputs, _ = self._prepared(call, "eager", Form())
            return planted(lambda *t: list(leaves_of(run(*t))), [np.asarray(i) for i in inputs])
        except Exception as error:  # noqa: BLE001, what records operations may lack one
            return Replayed(Outcome.NOT_REPLAYABLE, f"no faults were planted: {error}")

    def result(self, call: Call, lane: str, form: Form = Form()) -> Any:  # noqa: B008, it is immutable
        """Return the result of a call in a lane."""
        run, inputs, builder = self._prepared(call, lane, form)
        if lane == "eager":
            return run(*inputs)
        if lane == GRADIENTS:
            return gradients(run, inputs, call, builder)
        return _compiled(run, inputs, builder.every_variable(), lane, form)

    def _prepared(
        self, call: Call, lane: str, form: Form
    ) -> tuple[Callable[..., Any], list[Any], Builder]:
        """Return a function that calls the port with its tensors, the tensors, and the builder of its objects."""
        import jax.numpy as jnp

        nodes = [n for n in call.tensors if not (form.fixed and self._is_size(n))]
        inputs = [jnp.asarray(self._array(node)) for node in nodes]
        places = {node["array"]: index for index, node in enumerate(nodes)}
        builder = Builder(self._array, list(call.arguments.values()), restores=self._restores)
        self._builder = builder
        if builder.restored:
            builder.restored.touched = self._touched

        def run(*tensors: Any) -> Any:
            def tensor(node: Node) -> Any:
                known = node["array"] not in places
                return self._array(node)[()] if known else tensors[places[node["array"]]]

            return _call(call, builder, tensor, converts=lane == "function" or form.dynamic)

        def concrete(node: Node) -> Any:
            return jnp.asarray(self._array(node))

        builder.make_objects(concrete)
        if not form.fresh and not self._restores:
            if builder.lacks_variables() or builder.is_unbuilt():
                self._make_variables(call, builder, concrete)
            builder.set_states()
        return run, inputs, builder

    def _make_variables(
        self, call: Call, builder: Builder, concrete: Callable[[Node], Any]
    ) -> None:
        """Create the variables of a call's objects: by this call, or else by another call of such an object."""
        failure: Exception | None = None
        try:
            _call(call, builder, concrete, building=True)
        except Exception as error:  # noqa: BLE001, it may have made the variables before it fails
            failure = error
        owner = call.arguments.get("owner", {})
        for other in self.calls:
            if not builder.lacks_variables() or "state" not in owner:
                break
            like = other.arguments.get("owner", {})
            alike = "state" in like and like["name"] == owner["name"] and "call" in other.arguments
            if alike and self._shapes(like) == self._shapes(owner):
                same = {**other.arguments, "owner": owner}
                with contextlib.suppress(Exception):
                    _call(
                        dataclasses.replace(other, arguments=same), builder, concrete, building=True
                    )
        if builder.lacks_variables():
            if failure is not None and call.name.endswith(".call"):  # the layer itself fails
                raise failure
            has, wanted = builder.counts()
            why = "" if has else ", because they were created by calls that were not replayed"
            raise UnfitError(
                f"object of the port with {has} of the {wanted} variables of the original{why}"
            )

    def _returns_alike(self, call: Call, result: Any) -> bool:
        """Return whether a method returns the same as the original's method, whatever variables it has created."""
        arrays: list[np.ndarray] = []
        wanted = call.result["items"].get("returned") if "items" in call.result else None
        if wanted is None or not isinstance(result, dict) or "returned" not in result:
            return False
        found = encode(as_numpy(result["returned"]), arrays)
        return compare(wanted, found, self.arrays, arrays).outcome is Outcome.EQUAL

    def _changed(self, call: Call) -> Replayed:
        """Compare the object of a method after the call with the original's object."""

        def changed() -> Any:
            assert self._builder is not None
            return self._builder.owner(call.arguments["owner"])

        def changed_again() -> Any:
            self.result(call, "eager")
            return changed()

        return self._compared(call, (changed, changed_again), " afterwards")

    def _made(self, call: Call) -> Replayed:
        """Make an object by the constructor of the port, and compare it with the original's object."""
        import jax.numpy as jnp

        builder = Builder(self._array, list(call.arguments.values()), restores=self._restores)
        self._builder = builder

        def concrete(node: Node) -> Any:
            return jnp.asarray(self._array(node))

        builder.make_objects(concrete)

        def made() -> Any:
            args, kwargs = builder.value(call.arguments["call"], concrete)
            return place(call.after)(*args, **kwargs)  # whose class may inherit its constructor

        return self._compared(call, (made, made), "")

    def _compared(self, call: Call, ways: tuple[Callable[[], Any], ...], when: str) -> Replayed:
        """Compare a call's object with the original's; a part whose difference changes in a second replay is random."""
        first, second = ways
        found = dict(self._differences(call, first()))
        with other_seeds(1):
            again = dict(self._differences(call, second())) if found else {}
        for name, why in found.items():
            if again.get(name) == why:
                return Replayed(Outcome.DIFFERENT, f"`self.{name}`{when}: {why}")
        return Replayed(Outcome.EQUAL)

    def _differences(self, call: Call, made: Any) -> list[Different]:
        import jax.numpy as jnp

        builder = Builder(self._array, [call.after], restores=True)
        wanted = builder.value(call.after, lambda node: jnp.asarray(self._array(node)))
        return list(Comparison(call.after).differences(made, wanted))

    def _shapes(self, node: Node) -> list[tuple[int, ...]]:
        return [tuple(variable["shape"]) for variable in node["state"]]

    def _array(self, node: Node) -> np.ndarray:
        array = self.arrays[node["array"]]
        if node["dtype"] == "bfloat16":
            import jax.numpy as jnp

            return np.asarray(jnp.asarray(array, jnp.bfloat16))
        if self.nudge and array.dtype.kind == "f":
            away = np.random.RandomState(0).choice([-np.inf, np.inf], array.shape) * self.nudge
            return np.nextafter(array.astype(np.float32), away.astype(np.float32))
        return array.copy()

    def _compare(self, call: Call, lane: str, result: Any) -> Replayed:
        arrays: list[np.ndarray] = []
        wanted = _expected(call, lane)
        found = compare(wanted, encode(as_numpy(result), arrays), self.arrays, arrays)
        return found._replace(detail=named(found.detail, call)) if lane == GRADIENTS else found

    def _compare_encoded(self, one: Any, other: Any) -> Replayed:
        before: list[np.ndarray] = []
        after: list[np.ndarray] = []
        return compare(encode(as_numpy(one), before), encode(as_numpy(other), after), before, after)


def _makes_variables(maker: str) -> Replayed:
    return Replayed(Outcome.NOT_REPLAYABLE, f"{maker} has variables that the call itself creates")


def _maker(call: Call) -> str:
    """Return the name of an object that gets variables from the call itself, `""` if there is none."""
    nodes = [n for a in call.arguments.values() for n in nodes_in(a) if "makes" in n]
    return str(nodes[0]["name"]) if nodes else ""


def lanes_of(call: Call) -> tuple[str, ...]:
    """Return the lanes of a call: gradients are replayed where the original has some; constructors run eagerly."""
    if is_constructor(call):
        return LANES[:1]
    return ALL_LANES if call.gradients else LANES


def _expected(call: Call, lane: str) -> Node:
    found: Node = call.gradients["values"] if lane == GRADIENTS else call.result
    return found


def _is_compiled(call: Call) -> bool:
    """Return whether the function of the port is itself decorated with `shims.function`."""
    with contextlib.suppress(Exception):  # which the call raises again
        found = place({"module": call.module, "name": call.name})
        return hasattr(found, "get_concrete_function")
    return False


def _place(error: BaseException, root: str) -> str:
    """Return the last line of the port that led to an error, `""` if there is none."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if f.filename.startswith(f"{root}/")]
    return f"{own[-1].filename.removeprefix(f'{root}/')}:{own[-1].lineno}" if own else ""


def _compiled(
    run: Callable[..., Any], inputs: list[Any], variables: list[Any], lane: str, form: Form
) -> Any:
    """Return the result of a function that is compiled; `jax.jit` takes and returns the values of its variables."""
    import jax

    import shims

    static: list[Any] = []  # of the last trace: what is not an array, and the structure

    def traced(*tensors: Any) -> Any:
        found, tree = jax.tree.flatten(run(*tensors), is_leaf=lambda leaf: leaf is None)
        leaves = [value_of(leaf) if hasattr(leaf, "assign") else leaf for leaf in found]
        static[:] = [[(_is_static(leaf), leaf) for leaf in leaves], tree]
        return [leaf for leaf in leaves if not _is_static(leaf)]

    if lane == "function":
        results = iter(shims.function(traced)(*inputs))
    else:
        inner = shims.dynamic(traced) if form.dynamic else traced
        if variables:
            values = [value_of(variable) for variable in variables]
            found, _ = jax.jit(shims.stateless(inner, variables))(values, *inputs)
        else:
            found = jax.jit(inner)(*inputs)
        results = iter(found)
    leaves, tree = static
    return jax.tree.unflatten(tree, [leaf if fixed else next(results) for fixed, leaf in leaves])


def _is_static(leaf: Any) -> bool:
    return isinstance(leaf, str | bool | int | float | complex | type | np.dtype) or leaf is None


def _call(
    call: Call,
    builder: Builder,
    tensor: Callable[[Node], Any],
    *,
    building: bool = False,
    converts: bool = False,
) -> Any:
    """Call the function or method of the port; a property is read.

    Args:
      call: the recorded call.
      builder: makes the arguments.
      tensor: makes the tensors in them.
      building: whether the call is to make variables; a layer of Keras makes them when it is called itself.
      converts: whether control flow over arrays is converted, which `shims.function` does for its own function.
    """
    import shims

    builder.begin()
    owner_node = call.arguments.get("owner")
    if "function" in call.arguments:
        function = builder.value(call.arguments["function"], tensor)
    elif owner_node is None:
        function = place({"module": call.module, "name": call.name})
    else:
        owner = builder.value(owner_node, tensor)
        function = bound(call.name, call.module, owner)
        if building and call.name.endswith(".call"):
            function = owner
    if "call" in call.arguments:
        args, kwargs = builder.value(call.arguments["call"], tensor)
        function = shims.autograph.to_graph(function) if converts else function
        function = function(*args, **kwargs)
    if owner_node is None or "state" not in owner_node:
        return function
    return {"returned": function, "state": builder.state_of(owner_node, owner)}
