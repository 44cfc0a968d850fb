"""How the operations of a `with` block are seen: a JAX trace that computes as before, and tells.

Arrays stay what they are, so nothing is wrapped and values stay concrete; an array is known by its
identity. A recorder sees every primitive that is applied in its thread while its trace is the
present one, from `jax.numpy` and from operators alike. Recorders nest: the trace of the inner one
computes under the trace of the outer one, which therefore sees the same operations.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

from shims._src.platform import jax_private as jp
from shims._src.platform.thread_state import ThreadSlot, ThreadStack
from shims._src.recording import state
from shims._src.recording.connectivity import joined, links_between, links_of
from shims._src.recording.operation import (
    Application,
    Bound,
    Capturing,
    Explicit,
    Identity,
    Rule,
    built_in_arrays,
)

# The recorders of each thread, from the outside in; they may end in any order.
_RECORDERS: ThreadStack[Recorder] = ThreadStack()
# Whether what is called now is one operation.
_WHOLE = ThreadSlot(False)


class Recorder:
    """Something that wants to know of operations. Subclasses say of which, and what they do then.

    Attributes:
      recording: whether it wants to know at present.
    """

    # Whether reads of variables inside of inner traces count.
    reads_everywhere = False

    def __init__(self):
        self.recording = False
        self._trace: RecordingTrace | None = None

    def start(self) -> None:
        """Begin: everything that follows in this thread is seen."""
        self._trace = RecordingTrace(jp.current_trace(), self)
        jp.set_trace(self._trace)
        _remember(self)
        self.recording = True

    def stop(self) -> None:
        """End. Recorders may end in any order."""
        self.recording = False
        if self._trace is not None:
            self._trace.ended = True
        self._trace = None
        _forget(self)
        present = jp.current_trace()
        while isinstance(present, RecordingTrace) and present.ended:
            present = present.parent
        jp.set_trace(present)

    @property
    def base(self):
        """The trace in which everything that is recorded is computed."""
        return jp.below(self._trace)

    def sees(self, owner) -> bool:
        """Whether arrays of a trace can be known here: of this one, or of one around it."""
        return self._trace is not None and (owner is None or jp.is_within(self.base, owner))

    def follows(self, x) -> bool:
        """Whether operations on an array matter."""
        raise NotImplementedError

    def record(self, operation) -> None:
        """Take note of an operation, under the trace in which it was computed."""
        raise NotImplementedError

    def read(self, variable, value) -> None:
        """Take note of a read of a variable, which gave `value`."""


class RecordingTrace(jp.core.Trace):
    """The trace of one recorder."""

    looks_on = True

    def __init__(self, parent, recorder: Recorder):
        super().__init__()
        self.parent = self.parent_trace = parent
        self.recorder = recorder
        self.ended = False

    def is_valid(self) -> bool:
        """Whether operations may still come here."""
        return self.parent.is_valid()

    def stage_value(self, val):
        """A value as an array of the trace below."""
        with jp.under(self.parent):
            out = self.parent.stage_value(val)
        if out is not val:
            links = links_between([val], [out])
            (out,) = self._tell([val], [out], lambda: (links, Identity()))
        return out

    def process_primitive(self, primitive, tracers, params, /):
        """Compute below, then tell the recorder."""
        with jp.under(self.parent):
            out = primitive.bind(*tracers, **params)
        if not self.recorder.recording:
            return out
        outputs = list(out) if primitive.multiple_results else [out]
        outputs = self._tell_bound(primitive, params, list(tracers), outputs)
        return outputs if primitive.multiple_results else outputs[0]

    def _tell_bound(self, primitive, params, inputs, outputs):
        built_in = [c for c in built_in_arrays(primitive, params) if self.recorder.follows(c)]

        def described():
            if built_in:
                full = [*inputs, *built_in]
                return links_between(full, outputs), Capturing(params["jaxpr"], built_in)
            links = links_of(primitive, params, inputs, outputs)
            if _WHOLE.value:
                links = joined(links, outputs)
            return links, Bound(primitive, params)

        return self._tell([*inputs, *built_in], outputs, described)

    def _tell(self, inputs, outputs, described: Callable) -> list:
        """Let the recorder know of an operation, whose results then are arrays of their own."""
        if not self.recorder.recording or not any(map(self.recorder.follows, inputs)):
            return outputs
        links, program = described()
        with jp.under(self.parent):
            outputs = _distinct(inputs, outputs)
            self.recorder.record(Application(inputs, outputs, links, program))
        return outputs

    def process_custom_jvp_call(self, primitive, fun, jvp, tracers, /, *, symbolic_zeros):
        """Compute below; the rule of the function is what the recorder gets."""
        params = {"symbolic_zeros": symbolic_zeros}
        return self._with_rule(primitive, (fun, jvp), tracers, params)

    def process_custom_vjp_call(
        self, primitive, fun, fwd, bwd, tracers, /, *, out_trees, symbolic_zeros
    ):
        """Compute below; the rule of the function is what the recorder gets."""
        params = {"out_trees": out_trees, "symbolic_zeros": symbolic_zeros}
        return self._with_rule(primitive, (fun, fwd, bwd), tracers, params)

    def _with_rule(self, primitive, functions, tracers, params):
        with jp.under(self.parent):
            outputs = list(primitive.bind(*tracers, subfuns=functions, **params))
        inputs = list(tracers)
        links = links_between(inputs, outputs)
        return self._tell(inputs, outputs, lambda: (links, Rule(primitive, functions, params)))


def _distinct(inputs, outputs) -> list:
    """The outputs, those replaced that are an input or another output: arrays are known by identity."""
    taken = set(map(jp.key_of, inputs))
    found = []
    for y in outputs:
        y = jp.another(y) if jp.key_of(y) in taken else y
        taken.add(jp.key_of(y))
        found.append(y)
    return found


def present_recorders() -> list[Recorder]:
    """The recorders that see what is computed next, from the inside out."""
    found = []
    trace = jp.current_trace()
    while isinstance(trace, RecordingTrace):
        if trace.recorder.recording:
            found.append(trace.recorder)
        trace = trace.parent
    return found


def trace_below():
    """The trace under the present recorders."""
    return jp.below(jp.current_trace())


def is_followed(*arrays) -> bool:
    """Whether a present recorder wants to know what is computed from one of the arrays."""
    return any(r.follows(x) for r in present_recorders() for x in arrays)


def record(inputs: Sequence, outputs: Sequence, backward: Callable, computed=()) -> None:
    """Tell the present recorders of an operation that has a derivative of its own.

    Args:
      inputs: its operands.
      outputs: its results, which no recorder knows by another operation.
      backward: see `Explicit`.
      computed: see `Explicit`.
    """
    trace = jp.current_trace()
    while isinstance(trace, RecordingTrace):
        recorder = trace.recorder
        if recorder.recording and any(map(recorder.follows, inputs)):
            with jp.under(trace.parent):
                recorder.record(Explicit(inputs, outputs, backward, computed))
        trace = trace.parent


@contextlib.contextmanager
def unrecorded() -> Iterator[None]:
    """Compute without the present recorders; reads of variables are not seen either."""
    hidden = [r for r in present_recorders() if not r.reads_everywhere]
    for recorder in hidden:
        recorder.recording = False
    try:
        with jp.under(trace_below()):
            yield
    finally:
        for recorder in hidden:
            recorder.recording = True


def whole() -> contextlib.AbstractContextManager[object]:
    """What is called here is one operation: any of its results is connected to all of its operands.

    TensorFlow does so with functions. An operand by which none of them can be differentiated stays
    unconnected.
    """
    return _WHOLE.holding(True)


def renamed(x):
    """The same values as an array that no recorder knows."""
    with jp.under(trace_below()):
        return jp.another(x)


# ---- variables -----------------------------------------------------------------------------------


class VariableWatcher(Recorder):
    """Knows which variables were read while it was open, in order."""

    reads_everywhere = True

    def __init__(self):
        super().__init__()
        self.reads: dict[int, tuple] = {}

    def __enter__(self) -> VariableWatcher:
        _remember(self)
        self.recording = True
        return self

    def __exit__(self, *exception) -> None:
        self.recording = False
        _forget(self)

    def follows(self, x) -> bool:
        """No array matters."""
        return False

    def read(self, variable, value) -> None:
        """Take note of a variable and its values."""
        self.reads.setdefault(id(variable), (variable, []))[1].append(value)


def _remember(recorder: Recorder) -> None:
    _RECORDERS.items.append(recorder)
    state.on_read(_variable_read)
    state.enter_block()


def _forget(recorder: Recorder) -> None:
    state.leave_block()
    _RECORDERS.items.remove(recorder)
    if not _RECORDERS.items:
        state.on_read(None)


def _variable_read(variable, value):
    """What a read gives while recorders are open: each read is an array of its own.

    Two variables may hold one array, and a variable may hold a result: their gradients are not
    each other's.
    """
    owner = jp.trace_of(value)
    told, base = [], None
    for recorder in _RECORDERS.items:
        sees = recorder.sees(owner)
        if recorder.recording and (sees or recorder.reads_everywhere):
            told.append(recorder)
            base = recorder.base if sees else base
    if base is not None:
        with jp.under(base):
            value = jp.another(value)
    for recorder in told:
        recorder.read(variable, value)
    return value
