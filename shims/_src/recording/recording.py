"""Record the operations in a `with` block, using a JAX trace that reports every primitive.

Arrays are not wrapped and values stay concrete; an array is identified by its `id`. A recorder
observes every primitive that is applied in its thread while its trace is the current one, whether by
`jax.numpy` or by operators. Recorders nest: the trace of the inner one computes under the trace of the
outer one, which therefore observes the same operations.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

from shims._src.platform import jax_private as jp
from shims._src.platform.thread_state import ThreadSlot, ThreadStack, kept_after_errors
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

# The recorders of each thread, the outermost first; they may end in any order.
_RECORDERS: ThreadStack[Recorder] = ThreadStack()
# Whether a call is recorded as one operation.
_WHOLE = ThreadSlot(False)
# How many operations with a custom derivative were recorded in this thread.
_EXPLICIT = ThreadSlot(0)


class Recorder:
    """Observes operations; subclasses decide which operations to record, and how.

    Attributes:
      recording: whether the recorder is active.
    """

    # Whether reads of variables inside of inner traces are recorded.
    reads_everywhere = False

    def __init__(self):
        self.recording = False
        self._trace: RecordingTrace | None = None

    def start(self) -> None:
        """Start observing the operations of this thread."""
        present = jp.current_trace()
        self._trace = RecordingTrace(present, self)
        try:
            with kept_after_errors():
                jp.set_trace(self._trace)
                _add_recorder(self)
                self.recording = True
        except KeyboardInterrupt:
            self.recording = False
            if any(r is self for r in _RECORDERS.items):
                _remove_recorder(self)
            jp.set_trace(present)
            raise

    def stop(self) -> None:
        """Stop observing; recorders may be stopped in any order."""
        try:
            with kept_after_errors():
                self._stop()
        except KeyboardInterrupt:
            self._stop()
            raise

    def _stop(self) -> None:
        self.recording = False
        trace = self._trace
        if trace is not None:
            trace.ended = True
        _remove_recorder(self)
        present = jp.current_trace()
        if (
            present is None
        ):  # an interrupt came when an operation of JAX was about to put the trace back
            present = trace
        while isinstance(present, RecordingTrace) and present.ended:
            present = present.parent
        jp.set_trace(present)
        self._trace = None

    @property
    def base(self):
        """The JAX trace in which recorded operations are computed."""
        return jp.below(self._trace)

    def sees(self, owner) -> bool:
        """Return whether the recorder can observe operations on arrays of the trace `owner`.

        It can if the arrays are concrete (`None`), or if `owner` encloses the recorder's own trace.
        """
        return self._trace is not None and (owner is None or jp.is_within(self.base, owner))

    def follows(self, x) -> bool:
        """Return whether operations on an array must be recorded."""
        raise NotImplementedError

    def record(self, operation) -> None:
        """Record an operation; called under the trace in which the operation was computed."""
        raise NotImplementedError

    def read(self, variable, value) -> None:
        """Record that reading `variable` returned `value`."""


class RecordingTrace(jp.core.Trace):
    """The JAX trace of one recorder, which reports every primitive to that recorder."""

    looks_on = True

    def __init__(self, parent, recorder: Recorder):
        super().__init__()
        self.parent = self.parent_trace = parent
        self.recorder = recorder
        self.ended = False
        self.key = jp.share_key(self)

    def is_valid(self) -> bool:
        """Return whether the trace is still valid."""
        return self.parent.is_valid()

    def stage_value(self, val):
        """Convert a value to an array of the enclosing trace."""
        with jp.under(self.parent):
            out = self.parent.stage_value(val)
        if out is not val:
            links = links_between([val], [out])
            (out,) = self._report_operation([val], [out], lambda: (links, Identity()))
        return out

    def process_primitive(self, primitive, tracers, params, /):
        """Apply a primitive in the enclosing trace, then report it to the recorder."""
        with jp.under(self.parent):
            out = primitive.bind(*tracers, **params)
        if not self.recorder.recording:
            return out
        outputs = list(out) if primitive.multiple_results else [out]
        outputs = self._report_primitive(primitive, params, list(tracers), outputs)
        return outputs if primitive.multiple_results else outputs[0]

    def _report_primitive(self, primitive, params, inputs, outputs):
        built_in = [c for c in built_in_arrays(primitive, params) if self.recorder.follows(c)]

        def described():
            if built_in:
                full = [*inputs, *built_in]
                return links_between(full, outputs), Capturing(params["jaxpr"], built_in)
            links = links_of(primitive, params, inputs, outputs)
            if _WHOLE.value:
                links = joined(links, outputs)
            return links, Bound(primitive, params)

        return self._report_operation([*inputs, *built_in], outputs, described)

    def _report_operation(self, inputs, outputs, described: Callable) -> list:
        """Report an operation to the recorder; return its results as distinct arrays."""
        if not self.recorder.recording or not any(map(self.recorder.follows, inputs)):
            return outputs
        links, program = described()
        with jp.under(self.parent):
            outputs = _make_distinct(inputs, outputs)
            self.recorder.record(Application(inputs, outputs, links, program))
        return outputs

    def process_custom_jvp_call(self, primitive, fun, jvp, tracers, /, *, symbolic_zeros):
        """Call the function in the enclosing trace, and record it with its derivative rule."""
        params = {"symbolic_zeros": symbolic_zeros}
        return self._with_rule(primitive, (fun, jvp), tracers, params)

    def process_custom_vjp_call(
        self, primitive, fun, fwd, bwd, tracers, /, *, out_trees, symbolic_zeros
    ):
        """Call the function in the enclosing trace, and record it with its derivative rule."""
        params = {"out_trees": out_trees, "symbolic_zeros": symbolic_zeros}
        return self._with_rule(primitive, (fun, fwd, bwd), tracers, params)

    def _with_rule(self, primitive, functions, tracers, params):
        with jp.under(self.parent):
            outputs = jp.bind_functions(primitive, functions, tracers, params)
        inputs = list(tracers)
        links = links_between(inputs, outputs)
        return self._report_operation(
            inputs, outputs, lambda: (links, Rule(primitive, functions, params))
        )


def _make_distinct(inputs, outputs) -> list:
    """Copy each output that is the same object as an input or as another output.

    Recorders identify arrays by their `id`.
    """
    taken = set(map(jp.key_of, inputs))
    found = []
    for y in outputs:
        y = jp.another(y) if jp.key_of(y) in taken else y
        taken.add(jp.key_of(y))
        found.append(y)
    return found


def present_recorders() -> list[Recorder]:
    """Return the recorders that will observe the next operation in this thread, the innermost first."""
    found = []
    trace = jp.current_trace()
    while isinstance(trace, RecordingTrace):
        if trace.recorder.recording:
            found.append(trace.recorder)
        trace = trace.parent
    return found


def trace_below():
    """Return the JAX trace in which operations observed by the active recorders are computed."""
    return jp.below(jp.current_trace())


def is_followed(*arrays) -> bool:
    """Return whether an active recorder records operations on any of the arrays."""
    return any(r.follows(x) for r in present_recorders() for x in arrays)


def record(inputs: Sequence, outputs: Sequence, backward: Callable, computed=()) -> None:
    """Report an operation with a custom derivative to the active recorders.

    Args:
      inputs: the operands of the operation.
      outputs: the results, which must not be results of another recorded operation.
      backward: see `Explicit`.
      computed: see `Explicit`.
    """
    trace = jp.current_trace()
    while isinstance(trace, RecordingTrace):
        recorder = trace.recorder
        if recorder.recording and any(map(recorder.follows, inputs)):
            with jp.under(trace.parent):
                recorder.record(Explicit(inputs, outputs, backward, computed))
            _EXPLICIT.value += 1
        trace = trace.parent


def explicit_count() -> int:
    """Return how many operations with a custom derivative this thread has recorded so far."""
    return _EXPLICIT.value


@contextlib.contextmanager
def unrecorded() -> Iterator[None]:
    """Open a block in which no operations and no reads of variables are recorded."""
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
    """Open a block in which a function call is recorded as one operation.

    Every result is linked to every operand, as TensorFlow does with functions. An operand with
    respect to which no result can be differentiated stays unconnected.
    """
    return _WHOLE.holding(True)


def renamed(x):
    """Return a copy of an array under which no operation is recorded.

    Recorders identify arrays by their `id`, so the copy has no connection to what computed the original.
    """
    with jp.under(trace_below()):
        return jp.another(x)


# ---- variables -----------------------------------------------------------------------------------


class VariableWatcher(Recorder):
    """Records the variables that are read in a block, in order of reads."""

    reads_everywhere = True

    def __init__(self):
        super().__init__()
        self.reads: dict[int, tuple] = {}

    def __enter__(self) -> VariableWatcher:
        _add_recorder(self)
        self.recording = True
        return self

    def __exit__(self, *exception) -> None:
        self.recording = False
        _remove_recorder(self)

    def follows(self, x) -> bool:
        """Return False: no operations are recorded."""
        return False

    def read(self, variable, value) -> None:
        """Record a variable and the value that was read from it."""
        self.reads.setdefault(id(variable), (variable, []))[1].append(value)


def _add_recorder(recorder: Recorder) -> None:
    _RECORDERS.items.append(recorder)
    state.on_read(_variable_read)
    state.enter_block()


def _remove_recorder(recorder: Recorder) -> None:
    state.leave_block()
    _RECORDERS.items.remove(recorder)
    if not _RECORDERS.items:
        state.on_read(None)


def _variable_read(variable, value):
    """Report a read of a variable to the active recorders; return a distinct array object.

    Two variables may hold the same array, and a variable may hold a recorded result; their gradients must
    stay separate.
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
