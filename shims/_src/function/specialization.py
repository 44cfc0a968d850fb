"""Trace a program for a call: with symbolic sizes if possible, otherwise with constants."""

from __future__ import annotations

import dataclasses
import warnings

import jax

from shims._src.control_flow import untaken_branches
from shims._src.errors import errors, refusals
from shims._src.function import lift
from shims._src.function.calls import Request
from shims._src.function.entry import Entry, Form, exact_results, input_name, read_codes
from shims._src.recording import state
from shims._src.sizes import trace
from shims._src.sizes.sites import Settled
from shims._src.tracing.settling import settle_reports


class Maker:
    """Traces the programs of one function.

    Args:
      owner: the function; it plans and launches the programs.
    """

    def __init__(self, owner):
        self._owner = owner
        self._warned = False
        self._called: dict[int, object] = {}

    def new_entry(self, request: Request):
        """Trace a program, with constant input sizes only if symbolic ones fail."""
        try:
            result = self._first_that_works(request)
        except untaken_branches.REFUSALS as error:
            if not request.unknown or not untaken_branches.depends_on_sizes(error):
                raise
            result = self._trace_with_postponed_errors(error, request)
        receiver = request.call.receiver()
        self._called[id(receiver)] = receiver
        return result

    def _first_that_works(self, request):
        sizes = request.sizes
        symbols = [Form() for _ in sizes]
        try:
            return self._trace_and_run(request, symbols)
        except _FINAL_ERRORS:
            raise
        except Exception as error:  # noqa: BLE001 - JAX has no class for "the size is unknown"
            first = error
        for pins in _alternative_pins(first, request.settled.pins):
            settled = request.settled.with_pins(pins)
            try:
                return self._trace_and_run(dataclasses.replace(request, settled=settled), symbols)
            except Exception:  # noqa: BLE001 - it was no better; the first is raised
                continue
        if not sizes:
            _raise_translated(first)
        for forms in _alternative_forms(first, sizes):
            try:
                result = self._trace_and_run(request, forms)
            except Exception as error:  # noqa: BLE001 - the next form may do; the last is raised
                last = error
                continue
            if any(f.kind == "constant" for f in forms):
                self._report_specialization(first, forms, sizes)
            return result
        _raise_translated(last)

    def _trace_with_postponed_errors(self, refused, request):
        """Trace for constant sizes, with the errors of untaken branches postponed to run time."""
        forms = [Form("constant", s) for s in request.sizes]
        try:
            with untaken_branches.postponed():
                result = self._trace_and_run(request, forms)
        except Exception:  # noqa: BLE001 - it is refused in any case; the first error is raised
            raise refused from refused.__cause__
        if request.sizes:
            self._report_specialization(refused, forms, request.sizes)
        return result

    def _trace_and_run(self, request, forms):
        forms = list(forms)
        numbers = {input_name(i): i for i in range(len(forms))}
        while True:
            try:
                entry = self._trace_entry(request, forms)
                plan = self._owner.plan(entry, request)
                return plan, self._owner.launched(plan, request.call.operands)
            except trace.Respecialize as wanted:
                for i in (numbers[name] for name in wanted.names):
                    forms[i] = Form("constant", request.sizes[i])

    def _trace_entry(self, request, forms):
        self._owner.counts.traces += 1
        call = request.call
        f = call.over_operands(self._owner.converted())
        scope = lift.Discovery(may_create=id(call.receiver()) not in self._called)

        def watched(*xs):
            with state.state_scope(scope):
                outputs = lift.read_outputs(f(*xs))
            return [value for _, value in scope.pending.values()] if scope.pending else outputs

        entry = Entry(
            watched,
            call.operands,
            request.unknown,
            request.pattern,
            request.sizes,
            forms,
            request.settled,
            self._owner.host_cuts,
        )
        entry.found = None
        if scope.pending:
            self._initialize([v for v, _ in scope.pending.values()], entry, request)
        if not scope.created and not scope.reads and not scope.writes:
            return entry
        return self._trace_lifted(entry, f, request, forms)

    def _initialize(self, variables, entry, request):
        """Compute initial values of variables that depend on the arguments, by running a program."""
        if request.call.is_example:
            raise lift.depends_on_arguments(variables)
        plan = self._owner.plan(entry, request)
        outcome = plan.launch(request.call.operands)
        numbers, found = read_codes(outcome)
        settle_reports(found, {}, Settled(), grow=False)
        values = exact_results(outcome, numbers)
        for variable, value in zip(variables, values, strict=True):
            variable.stored_value = value

    def _trace_lifted(self, plain, f, request, forms):
        """Trace again, with the variables that the function uses as inputs and outputs."""
        operands = request.call.operands
        specs = [
            jax.ShapeDtypeStruct(s, o.dtype) for s, o in zip(plain.shapes, operands, strict=True)
        ]
        with trace.resume(plain.program.state):
            found = lift.discover(f, *specs, may_create=False)
        pure = lift.lift(f, found.used, found.written)
        count = len(found.used)
        entry = Entry(
            lambda *xs: pure(xs[:count], *xs[count:]),
            [*found.values(), *operands],
            [dataclasses.replace(u, operand=u.operand + count) for u in request.unknown],
            request.pattern,
            request.sizes,
            forms,
            request.settled,
            host_cuts=False,
        )
        entry.found = found
        return entry

    def _report_specialization(self, error, forms, sizes):
        """Warn once, or raise an error, because an input size became a constant."""
        fixed = [s for f, s in zip(forms, sizes, strict=True) if f.kind == "constant"]
        text = errors.message(
            getattr(self._owner, "__name__", "function"),
            "an unknown input size has become a constant: one compilation per size, as `jax.jit`.",
            received=f"sizes {fixed}; {str(error).strip().splitlines()[0] if str(error) else ''}",
            at=refusals.line_of_error(error),
            do="keep the size symbolic here (`x.shape[0]` in jnp code), or name a static size",
        )
        if self._owner.on_specialize == "raise":
            raise errors.SpecializationError(text) from error
        if not self._warned:
            self._warned = True
            warnings.warn(text, errors.SpecializationWarning, stacklevel=8)


def _raise_translated(error):
    other = refusals.translated(error)
    if other is error:
        raise error
    raise other from error


# Errors that no other form of the sizes can avoid.
_FINAL_ERRORS = (
    errors.SpecializationError,
    errors.CapacityError,
    KeyboardInterrupt,
)


# The largest number of data-dependent sizes that are pinned to make a failing trace work.
_MOST_PINS = 3


def _alternative_pins(error, pins):
    """Yield constants to try for data-dependent sizes after a failed trace.

    They are the numbers that the failed trace assumed the sizes are not: `squeeze` keeps an axis whose size
    is not 1, but the code that follows may require size 1. The new assumption is checked at run time.
    """
    more: dict[str, int] = {}
    for name, number in trace.failure_of(error).differing:
        if name not in pins and name not in more and len(more) < _MOST_PINS:
            more[name] = number
            yield dict(more)


def _alternative_forms(error, sizes):
    """Yield other forms of the input sizes to try after a failed trace.

    First come multiples of the numbers by which the trace divided sizes, then constants.
    """
    for k in trace.failure_of(error).divisors:
        for i, size in enumerate(sizes):
            if 1 < k <= size and size % k == 0:
                yield [Form("multiple", k) if j == i else Form() for j in range(len(sizes))]
    for i in range(len(sizes)):
        if len(sizes) > 1:
            yield [Form("constant", s) if j == i else Form() for j, s in enumerate(sizes)]
    yield [Form("constant", s) for s in sizes]
