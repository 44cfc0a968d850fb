"""Trace the program for a call: with symbolic sizes if possible, otherwise with constants."""

from __future__ import annotations

import dataclasses
import warnings

from shims._src.errors import errors, internal, refusals
from shims._src.function import lift
from shims._src.function.calls import Request
from shims._src.function.entry import Entry, Form, exact_results, input_name, read_codes
from shims._src.platform.weak_keys import drop_dead, static_key
from shims._src.recording import state
from shims._src.sizes import trace
from shims._src.sizes.sites import Settled
from shims._src.tracing import attempts, postponed_errors
from shims._src.tracing.settling import settle_reports


class Maker:
    """The object that traces the programs of one compiled function.

    Args:
      owner: the `Function`, which plans and launches the programs.
    """

    def __init__(self, owner):
        self._owner = owner
        self._warned = False
        self._called: dict[object, bool] = {}

    def new_entry(self, request: Request):
        """Trace a program for a call and run it; return its plan and outcome.

        Input sizes are symbolic unless the function cannot be traced that way; then they become constants.
        """
        with attempts.of_one_call():
            return self._new_entry(request)

    def _new_entry(self, request: Request):
        try:
            result = self._first_that_works(request)
        except postponed_errors.REFUSALS as error:
            has_sizes = request.unknown or trace.failure_of(error).measured
            if not has_sizes or not postponed_errors.depends_on_sizes(error):
                raise
            result = self._trace_with_postponed_errors(error, request)
        drop_dead(self._called)
        self._called[static_key(request.call.receiver())] = True
        return result

    def _first_that_works(self, request):
        sizes = request.sizes
        try:
            return self._with_constant_selections(request, [Form() for _ in sizes])
        except _FINAL_ERRORS:
            raise
        except Exception as error:  # noqa: BLE001 - JAX has no class for "the size is unknown"
            internal.raise_if_internal(error)
            first = last = error
        for forms in _alternative_forms(first, sizes):
            try:
                result = self._with_constant_selections(request, forms)
            except Exception as error:  # noqa: BLE001 - the next form may do; the last is raised
                last = error
                continue
            if any(f.kind == "constant" for f in forms):
                self._report_specialization(first, forms, sizes)
            return result
        _raise_translated(last)

    def _with_constant_selections(self, request, forms):
        """Trace and run a program; after a failure, again with data-dependent sizes as constants."""
        first = None
        while True:
            try:
                result = self._trace_and_run(request, forms)
            except _FINAL_ERRORS:
                raise
            except Exception as error:  # noqa: BLE001 - JAX has no class for this
                internal.raise_if_internal(error)
                pins = request.settled.pins
                more = trace.failure_of(error).measured.items() - pins.items()
                if not more:
                    raise refusals.clearer(first or error, error)  # noqa: B904 - one of the two
                first = first or error
                settled = request.settled.with_pins(dict(more), measured=True)
                request = dataclasses.replace(request, settled=settled)
                continue
            if first is not None:
                self._report_constant_selections(first, request.settled.pins)
            return result

    def _trace_with_postponed_errors(self, refused, request):
        """Trace with all sizes constant; an error in a branch is raised only if that branch runs."""
        forms = [Form("constant", s) for s in request.sizes]
        try:
            with postponed_errors.postponed():
                result = self._with_constant_selections(request, forms)
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
                return self._first_run(entry, request)
            except trace.Respecialize as wanted:
                settled = request.settled.with_pins(wanted.pins, measured=True)
                if wanted.reason:
                    self._report_constant_selections(wanted, settled.pins)
                request = dataclasses.replace(request, settled=settled)
                for i in (numbers[name] for name in wanted.names):
                    forms[i] = Form("constant", request.sizes[i])

    def _first_run(self, entry, request):
        plan = self._owner.plan(entry, request)
        try:
            return plan, self._owner.launched(plan, request.call.operands)
        except Exception as error:
            if not trace.failure_of(error).measured:
                trace.note_failure(error, entry.program.state, entry.measured_sizes())
            raise
        finally:
            entry.measured_sizes = None
            entry.program.state.forget_function()

    def _trace_entry(self, request, forms, may_create=True):
        self._owner.counts.traces += 1
        call = request.call
        f = call.over_operands(self._owner.converted())
        may_create = may_create and static_key(call.receiver()) not in self._called
        runs = []

        def lifting(*xs):
            scope = lift.Lifting(may_create)
            runs.append(scope)
            with state.state_scope(scope):
                results = scope.results(f(*xs))
            scope.forget_values()
            return results

        entry = Entry(
            lifting,
            call.operands,
            request.unknown,
            request.pattern,
            request.sizes,
            forms,
            request.settled,
            self._owner.host_cuts,
        )
        (scope,) = runs
        if scope.uses_variables:
            entry.take_variables(*scope.lifted(entry.program.jaxpr))
        if scope.pending:
            self._initialize([v for v, _ in scope.pending.values()], entry, request)
        if not scope.created:
            return entry
        # As in TensorFlow, the function runs once more without what it does only to create variables.
        attempts.keep_changes()
        return self._trace_entry(request, forms, may_create=False)

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

    def _report_specialization(self, error, forms, sizes):
        """Warn once, or raise an error, because an input size became a constant."""
        fixed = [s for f, s in zip(forms, sizes, strict=True) if f.kind == "constant"]
        self._report_constants(
            "an unknown input size has become a constant: the function is compiled once per "
            "size, as by `jax.jit`.",
            fixed,
            error,
            "use a function that accepts the size itself (`jnp.zeros(n)` in place of "
            "`np.zeros(n)`), or declare a static size",
        )

    def _report_constant_selections(self, error, pins):
        """Warn once, or raise an error, because data-dependent sizes became constants."""
        self._report_constants(
            "data-dependent sizes have become constants: the function is compiled once for "
            "each combination of sizes.",
            list(pins.values()),
            error,
            "use the `shims` operator of the same name here, which works for any size, or "
            "use a static size",
        )

    def _report_constants(self, problem, fixed, error, remedy):
        reason = str(error).strip().splitlines()[0] if str(error) else ""
        text = errors.message(
            getattr(self._owner, "__name__", "function"),
            problem,
            received=f"sizes {fixed}; {reason}",
            at=refusals.line_of_error(error),
            do=remedy,
        )
        if self._owner.on_specialize == "raise":
            raise errors.SpecializationError(text) from error
        if not self._warned:
            self._warned = True
            warnings.warn(text, errors.SpecializationWarning, stacklevel=9)


def _raise_translated(error):
    other = refusals.translated(error)
    if other is error:
        raise error
    raise other from error


# Errors that no other form of the sizes can avoid.
_FINAL_ERRORS = (
    errors.SpecializationError,
    errors.CapacityError,
    errors.ResourceExhaustedError,
    KeyboardInterrupt,
)


def _alternative_forms(error, sizes):
    """Yield other representations of the input sizes, to be tried after a trace has failed.

    If the program divided sizes by a number `k` and a size is a multiple of `k`, it is first traced
    as `k * n` with a symbol `n`. Then come sizes that are constants.
    """
    for k in trace.failure_of(error).divisors:
        for i, size in enumerate(sizes):
            if 1 < k <= size and size % k == 0:
                yield [Form("multiple", k) if j == i else Form() for j in range(len(sizes))]
    for i in range(len(sizes)):
        if len(sizes) > 1:
            yield [Form("constant", s) if j == i else Form() for j, s in enumerate(sizes)]
    if sizes:
        yield [Form("constant", s) for s in sizes]
