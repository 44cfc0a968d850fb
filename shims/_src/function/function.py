"""Define `shims.function`: a compiled function over arrays of unknown sizes."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments.conversion import narrow_array
from shims._src.autograph import convert
from shims._src.autograph.bound_function import BoundFunction
from shims._src.errors import errors
from shims._src.function import explaining, nnx_modules
from shims._src.function.calls import Call, Plan, Request, bind_positional, plan_key, variable_sizes
from shims._src.function.copying import Copyable
from shims._src.function.dynamic_function import dynamic
from shims._src.function.eager_mode import functions_run_eagerly
from shims._src.function.entry import Entry, exact_results, is_static, padded_results, read_codes
from shims._src.function.signature import (
    bucket_rule,
    conform,
    pattern_of,
    powers_of_two,
    unknown_dimensions,
)
from shims._src.function.signatures_met import SignaturesMet
from shims._src.function.specialization import Maker
from shims._src.platform import jax_private as jp
from shims._src.platform import meshes, thread_state
from shims._src.platform.turns import Turn
from shims._src.platform.weak_keys import drop_dead, static_key
from shims._src.random.global_seed import graph_of
from shims._src.recording import state
from shims._src.sizes import trace
from shims._src.sizes.padded import Padded, check_status
from shims._src.sizes.sites import Settled, Site
from shims._src.tracing.settling import refutes_measurements, settle_reports, without_invalid
from shims._src.types.composite_specs import arranged, has_spec, is_spec, spec_of
from shims._src.types.tensor_spec import TensorSpec
from shims._src.variables.references import ByReference, dereferenced, flattened, is_traced

_MOST_PATTERNS = 16
_MOST_RETRIES = 24
_MOST_PLANS = 4096
_MOST_EXACT = 8


def function(
    func=None,
    input_signature=None,
    autograph: bool = True,
    jit_compile=None,
    reduce_retracing: bool = False,
    experimental_implements=None,
    experimental_autograph_options=None,
    experimental_attributes=None,
    experimental_relax_shapes=None,
    experimental_compile=None,
    experimental_follow_type_hints=None,
    *,
    buckets="powers_of_two",
    overflow: str = "grow",
    on_specialize: str = "warn",
    unpad: bool = True,
):
    """Compile a function whose arrays may have unknown and data-dependent sizes.

    Args:
      func: a function or method whose arguments are pytrees of arrays, variables and static Python values.
        Python numbers become constants of the compiled program.
      input_signature: the `TensorSpec`s of the positional arguments. A size `None` is an unknown size. A
        name (`["batch", 3]`) is an unknown size that is equal wherever the name occurs. Without a signature,
        the function is compiled once for each combination of shapes.
      autograph: whether to convert Python control flow on arrays.
      jit_compile: accepted and ignored, because XLA compiles everything.
      reduce_retracing: whether all sizes count as unknown if there is no signature.
      experimental_implements: accepted and ignored.
      experimental_autograph_options: accepted and ignored.
      experimental_attributes: accepted and ignored.
      experimental_relax_shapes: the former name of `reduce_retracing`.
      experimental_compile: the former name of `jit_compile`.
      experimental_follow_type_hints: accepted and ignored.
      buckets: the capacities to which unknown sizes are rounded up, given as `"powers_of_two"`, a number, a list, or a
        function. With `"powers_of_two"`, a size that occurs often gets a program for exactly this size (at most eight
        such programs). In such a program, the terms of sums may be added in a different order.
      overflow: the reaction if a data-dependent size without a bound exceeds the capacity of its bucket.
        `"grow"` runs the function again with a larger bucket, and `"raise"` raises `CapacityError`.
      on_specialize: the reaction if an unknown input size must become a constant of the program. `"warn"`
        issues one warning and compiles a program for each size, and `"raise"` raises `SpecializationError`.
      unpad: whether to return arrays without padding instead of `Padded` values. With
        `unpad=False`, the call waits for the device only if it must check whether a size exceeds
        its capacity, or whether sizes of operands are equal.

    Returns:
      A `Function`. Under any other trace, the `Function` behaves like `shims.dynamic(func)`.

    Raises:
      FreshSizeError, UnsupportedPrimitiveError: the program cannot be lowered; the message names the line.
      InvalidArgumentError: sizes that must be equal differ.
      CapacityError: a size exceeds the capacity of its bucket, and `overflow` is `"raise"`.

    Differs from TensorFlow: `jit_compile` and the `experimental_*` arguments have no effect, except
    `experimental_relax_shapes`.

    >>> import shims
    >>> @shims.function(input_signature=[shims.TensorSpec([None])])
    ... def positive_mean(x):
    ...     return shims.reduce_mean(shims.boolean_mask(x, x > 0))

    https://www.tensorflow.org/api_docs/python/tf/function
    """
    options = {
        "input_signature": input_signature,
        "autograph": autograph,
        "reduce_retracing": reduce_retracing or bool(experimental_relax_shapes),
        "buckets": buckets,
        "overflow": overflow,
        "on_specialize": on_specialize,
        "unpad": unpad,
    }
    if func is None:
        return lambda f: Function(f, **options)
    return Function(func, **options)


@dataclasses.dataclass
class Counts:
    """Statistics of a function: calls, traces, compilations, reruns, and elements of padding."""

    calls: int = 0
    traces: int = 0
    compilations: int = 0
    reruns: int = 0
    elements: int = 0
    padded_elements: int = 0

    @property
    def waste(self) -> float:
        """The fraction of the padded inputs that is padding."""
        return 1 - self.elements / self.padded_elements if self.padded_elements else 0.0


class Function(Copyable):
    """A compiled function, the result of `shims.function`."""

    def __init__(
        self,
        func,
        *,
        input_signature,
        autograph,
        reduce_retracing,
        buckets,
        overflow,
        on_specialize,
        unpad,
    ):
        for name, value, allowed in (
            ("overflow", overflow, ("grow", "raise")),
            ("on_specialize", on_specialize, ("warn", "raise")),
        ):
            if value not in allowed:
                raise ValueError(f"function: `{name}` must be one of {allowed}, not {value!r}")
        functools.update_wrapper(self, func)
        self.python_function = func
        self.options = {
            "input_signature": input_signature,
            "autograph": autograph,
            "reduce_retracing": reduce_retracing,
            "buckets": buckets,
            "overflow": overflow,
            "on_specialize": on_specialize,
            "unpad": unpad,
        }
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self._dynamic = dynamic(func, autograph=autograph)
        self._autograph = autograph
        self._reduce_retracing = reduce_retracing
        self._bucket = bucket_rule(buckets)
        self._overflow = overflow
        self.on_specialize = on_specialize
        self.host_cuts = unpad
        # Explicitly chosen buckets are kept, and so is the kind of result.
        self._may_be_exact = unpad and self._bucket is powers_of_two
        self._exact_programs = 0
        self._entries: dict[object, list[Entry]] = {}
        self._patterns: dict[object, int] = {}
        self._plans: dict[object, Plan] = {}
        self._buffers: dict[Site, int] = {}
        self.counts = Counts()
        self.signatures_met = SignaturesMet()
        self._turn = Turn(getattr(func, "__name__", "function"))
        self._maker = Maker(self)

    def __get__(self, instance, owner=None):
        """Bind the function to an instance, so that it works as a method."""
        return self if instance is None else BoundFunction(self, instance)

    def __call__(self, *args, **kwargs):
        """Call the function: compiled at the top level, as `shims.dynamic(func)` under a trace."""
        if trace.current() is not None or not jp.ambient_is_eager():
            return self._call_inlined(args, kwargs)
        if functions_run_eagerly():
            return self.python_function(*args, **kwargs)
        if nnx_modules.occur_in((args, kwargs)):
            if self.input_signature is not None:  # it describes arrays
                return self._call_inlined(args, kwargs)
            return nnx_modules.call(self._on_states, args, kwargs)
        # A signature consists of tensors: variables are passed by value.
        leaves, tree = flattened((args, kwargs), by_value=self.input_signature is not None)
        if any(jp.is_tracer(x) or isinstance(x, (Padded, ByReference)) for x in leaves):
            if any(map(is_traced, leaves)):
                return self._call_inlined(args, kwargs)
            leaves = [_unpad(x) for x in leaves]
            args, kwargs = jax.tree.unflatten(tree, map(dereferenced, leaves))
        return self._call_compiled(args, kwargs, leaves, tree)

    @functools.cached_property
    def _on_states(self) -> Function:
        """The function on the states of Flax NNX objects."""
        func = convert(self.python_function) if self._autograph else self.python_function
        return Function(nnx_modules.OnStates(func, {}), **{**self.options, "autograph": False})

    def call_arrays(self, args, leaves, tree):
        """Call the function with arrays alone, whose flat form is known: sooner than `__call__`, which finds it.

        Args:
          args: the positional arguments, nested lists of concrete arrays.
          leaves: the arrays.
          tree: the structure of `(args, {})`.
        """
        if trace.current() is not None or not jp.ambient_is_eager() or functions_run_eagerly():
            return self(*args)
        return self._call_compiled(args, {}, leaves, tree)

    def _call_compiled(self, args, kwargs, leaves, tree):
        if meshes.explicit_mesh(leaves) is not None:
            return self._call_unsharded(leaves, tree)
        present = jp.current_trace()
        try:
            with jp.own_transfers():
                return self._run(args, kwargs, leaves, tree)
        except BaseException:
            # An interrupt may have kept JAX from ending a trace.
            jp.set_trace(present)
            jp.set_trace_key(None)
            raise

    def _call_unsharded(self, leaves, tree):
        """Call the function with arrays whose types have no explicit shardings."""
        places = [i for i, x in enumerate(leaves) if isinstance(x, jax.Array)]

        def call(arrays):
            full = list(leaves)
            for i, x in zip(places, arrays, strict=True):
                full[i] = x
            args, kwargs = jax.tree.unflatten(tree, map(dereferenced, full))
            return self(*args, **kwargs)

        return meshes.with_automatic_axes(call, [leaves[i] for i in places])

    def _call_inlined(self, args, kwargs):
        self._note_signature(args, kwargs)
        with graph_of(self, self._random_signature(args, kwargs)):
            return self._dynamic(*args, **kwargs)

    def _note_signature(self, args, kwargs):
        if self.input_signature is None:
            self.signatures_met.note(args, kwargs, relaxed=self._reduce_retracing)

    def _random_signature(self, args, kwargs):
        """Return a key that changes when TensorFlow would retrace, which restarts its random sequences.

        Returns `None` if new arguments never cause that.
        """
        if self.input_signature is not None or self._reduce_retracing:
            return None
        return tuple(
            static_key(x) if is_static(x) else (jnp.shape(x), jnp.result_type(x))
            for x in jax.tree.leaves(flattened((args, kwargs))[0])
        )

    # ---- a call ----------------------------------------------------------------------------------

    def _prepare_call(self, args, kwargs, leaves, tree) -> Call:
        specs: list = [None] * len(leaves)
        given = leaves
        if self.input_signature is not None:
            leaves, specs, tree = self._conform_arguments(args, kwargs)
        places = [i for i, x in enumerate(leaves) if not is_static(x)]
        leaves = [x if is_static(x) else narrow_array(x) for x in leaves]
        if self.input_signature is None and self._reduce_retracing:
            for i in places:
                specs[i] = TensorSpec([None] * np.ndim(leaves[i]), leaves[i].dtype)
        return Call(tree, leaves, places, [specs[i] for i in places], given)

    def _conform_arguments(self, args, kwargs):
        """Convert the arguments to the dtypes of their specs, in the order of the signature."""
        bound = bind_positional(self.python_function, args, kwargs, len(self.input_signature))
        own = len(bound) - len(self.input_signature)  # the receiver of a method, if any
        try:
            signature, given = arranged(self.input_signature, tuple(bound[own:]))
            specs, tree = jax.tree.flatten(signature, is_leaf=lambda x: isinstance(x, TensorSpec))
            given = tree.flatten_up_to(given)
        except ValueError as error:
            raise TypeError(
                errors.message(
                    "function",
                    "the arguments do not have the structure of `input_signature`.",
                    required=str(self.input_signature),
                    received=str(jax.tree.map(jnp.shape, bound)),
                )
            ) from error
        given = [conform(x, s, i) for i, (x, s) in enumerate(zip(given, specs, strict=True))]
        positional = (*bound[:own], *jax.tree.unflatten(tree, given))
        leaves, full = jax.tree.flatten((tuple(positional), {}))
        skip = len(leaves) - len(given)
        return leaves, [None] * skip + specs, full

    def _run(self, args, kwargs, leaves, tree):
        key = plan_key(leaves, tree)
        with self._turn:
            for overtaken in itertools.count():
                others_wait = overtaken > state.MOST_OVERTAKEN
                with state.changing() if others_wait else contextlib.nullcontext():
                    plan, outcome, numbers = self._run_once(key, args, kwargs, leaves, tree)
                    is_kept, out = self._finish_call(plan.entry, outcome, numbers)
                    if is_kept:
                        self.counts.calls += 1
                        return out

    def _run_once(self, key, args, kwargs, leaves, tree):
        """Run the program of a call; return its plan, outcome and numbers."""
        plan = self._plans.get(key) if key is not None else None
        if plan is None:
            call, operands = self._prepare_call(args, kwargs, leaves, tree), None
        else:
            call, operands = None, plan.operands(leaves)
            if self._may_be_exact and self._exact_programs < _MOST_EXACT:
                self._exact_programs += plan.came_again(operands)

        def prepared():
            return call if call is not None else self._prepare_call(args, kwargs, leaves, tree)

        plan, outcome, numbers, first = self._run_until_settled(plan, operands, prepared)
        if key is not None and first is not None and len(self._plans) < _MOST_PLANS:
            self._plans[key] = first
        return plan, outcome, numbers

    def _finish_call(self, entry, outcome, numbers):
        """Assign the variables of a program; return whether that succeeded, and the results of the call."""
        results = exact_results(outcome, numbers) if self.host_cuts else padded_results(outcome)
        out = jax.tree.unflatten(entry.program.out_tree, results)
        if entry.found is None:
            return True, out
        out, values = out
        return entry.found.store(values, outcome.replaced), out

    def _run_until_settled(self, plan, operands, prepared, *, is_example=False):
        """Run a call until no run-time check requires a larger bucket or another assumption.

        Args:
          plan: the plan to begin with, or `None`.
          operands: the operands for `plan`.
          prepared: returns the `Call`, needed for a new plan.
          is_example: whether the arguments only stand for their shapes and dtypes; then checks that operands
            are valid are ignored.

        Returns:
          The plan, outcome and numbers of the last run, and the plan to store for similar calls (or `None`).
        """
        settled = Settled(buffers=dict(self._buffers))
        first = plan
        refuted: list[Entry] = []
        for attempt in range(_MOST_RETRIES):
            if plan is None:
                plan, outcome = self._plan_and_run(prepared(), settled, refuted)
                first = plan if attempt == 0 else first
            else:
                outcome = self.launched(plan, operands)
            numbers, found = read_codes(outcome, with_sizes=self.host_cuts)
            found = without_invalid(found) if is_example else found
            grow = self._overflow == "grow"
            if not settle_reports(found, plan.entry.buckets, settled, grow=grow):
                if settled.buffers != self._buffers:
                    self._buffers = settled.buffers
                    self._plans.clear()  # later calls begin with the larger buffers
                    first = None
                return plan, outcome, numbers, first if settled.pins else plan
            refuted += [plan.entry] if refutes_measurements(found) else []
            plan = None
            self.counts.reruns += 1
        raise errors.CapacityError(
            errors.message(
                "function",
                "the capacities for data-dependent sizes still grow after many runs.",
                received=str(settled),
            )
        )

    def launched(self, plan, operands):
        before = plan.entry.compilations
        outcome = (
            self._launched_alone(plan, operands) if plan.entry.calls_host else plan.launch(operands)
        )
        self.counts.compilations += plan.entry.compilations - before
        self.counts.elements += plan.elements[0]
        self.counts.padded_elements += plan.elements[0 if plan.is_exact else 1]
        return outcome

    def _launched_alone(self, plan, operands):
        """Run a program that calls Python functions, which may call this function in other threads."""
        with self._turn.released():
            outcome = plan.launch(operands)
            jax.block_until_ready(outcome.numbers)
        return outcome

    def _plan_and_run(self, call: Call, settled: Settled, refuted: Sequence[Entry]):
        """Run a traced program whose guards hold for a call, or trace a new one; return plan and outcome.

        `refuted` are the programs whose assumptions about data-dependent sizes have failed for this call.
        """
        unknown = unknown_dimensions(call.specs, call.operands)
        dims = [call.operands[u.operand].shape[u.axis] for u in unknown]
        pattern = self._pattern_of_call(call, unknown, dims)
        request = Request(call, unknown, pattern, variable_sizes(pattern, dims), settled)
        # A program for different sizes serves equal ones as well.
        apart = pattern_of(unknown, dims, share=False)
        general = dataclasses.replace(request, pattern=apart, sizes=variable_sizes(apart, dims))
        for wanted in (request, general) if apart != pattern else (request,):
            for entry in self._entries.get(wanted.key, ()):
                if entry not in refuted and entry.matches(wanted.sizes):
                    plan = self.plan(entry, wanted)
                    return plan, self.launched(plan, call.operands)
        trace.forget_ended()
        drop_dead(self._entries, self._plans, self._patterns)
        with thread_state.kept_after_errors():
            plan, outcome = self._maker.new_entry(request)
        self._entries.setdefault(request.key, []).append(plan.entry)
        self._note_signature(*jax.tree.unflatten(call.tree, map(dereferenced, call.leaves)))
        return plan, outcome

    def _pattern_of_call(self, call, unknown, dims):
        """Return the size variable or constant that represents each unknown size of a call.

        Once there are many such patterns, equal sizes no longer share a variable.
        """
        if not unknown:
            return ()
        pattern = pattern_of(unknown, dims)
        seen = self._patterns.setdefault(call.key(unknown), set())
        if pattern not in seen and len(seen) >= _MOST_PATTERNS:
            return pattern_of(unknown, dims, share=False)
        seen.add(pattern)
        return pattern

    def plan(self, entry: Entry, request: Request) -> Plan:
        call, sizes = request.call, request.sizes
        capacities = entry.capacities(sizes, self._bucket)
        shapes = [list(np.shape(x)) for x in call.operands]
        for u, (kind, index) in zip(request.unknown, entry.pattern, strict=True):
            if kind == "variable":
                shapes[u.operand][u.axis] = capacities[index]
        elements = (
            sum(int(np.prod(np.shape(x))) for x in call.operands),
            sum(int(np.prod(s)) for s in shapes),
        )
        return Plan(
            entry,
            tuple(call.places),
            tuple(call.conversions),
            tuple(map(tuple, shapes)),
            tuple(sizes),
            capacities,
            elements,
        )

    def converted(self):
        if not hasattr(self, "_conversion"):
            if self._autograph:
                conversion = convert(self.python_function)
            else:
                conversion = self.python_function

            @functools.wraps(conversion)
            def in_graph(*args, **kwargs):
                with graph_of(self, self._random_signature(args, kwargs)):
                    return conversion(*args, **kwargs)

            self._conversion = in_graph
        return self._conversion

    # ---- introspection ---------------------------------------------------------------------------

    def precompile(self, *args, sizes=None, **kwargs) -> None:
        """Compile in advance: for the arguments given, or for some values of the unknown sizes.

        Args:
          *args: the arguments as for a call, or `jax.ShapeDtypeStruct`s in place of arrays.
          sizes: a list of numbers. For each number, the function is compiled for the input signature with all
            unknown sizes equal to the number. Without arguments, the default is the list `buckets`.
          **kwargs: as for a call.
        """
        examples = [(args, kwargs)]
        if sizes is None and not args and not kwargs and self.input_signature:
            sizes = getattr(self._bucket, "capacities", None)
            if sizes is None:
                raise ValueError(
                    errors.message(
                        "precompile",
                        "the sizes to compile for are not specified.",
                        required="example arguments, `sizes`, or a list of `buckets`",
                        do="write `precompile(sizes=[64, 256, 1024])`",
                    )
                )
        if sizes is not None:
            specs = jax.tree.leaves(self.input_signature or (), is_leaf=_is_spec)
            examples = [(tuple(_example_of(s, n) for s in specs), {}) for n in sizes]
        for a, k in examples:
            self.compiled(a, k)

    def compiled(self, args, kwargs) -> Entry:
        """Trace and compile the program for arguments like these, and return it."""
        leaves, tree = flattened((args, kwargs), by_value=self.input_signature is not None)
        leaves = [_zeros_like(x) for x in leaves]
        args, kwargs = jax.tree.unflatten(tree, map(dereferenced, leaves))
        call = dataclasses.replace(self._prepare_call(args, kwargs, leaves, tree), is_example=True)
        with self._turn:
            run = self._run_until_settled(None, None, lambda: call, is_example=True)
            return run[0].entry

    def stats(self) -> Counts:
        """Return statistics: calls, traces, compilations, reruns, and the share of padding."""
        return dataclasses.replace(self.counts)

    def explain(self) -> str:
        """Describe the traced programs: guards, data-dependent sizes, layouts, with the line of each."""
        return explaining.explain(self)

    def get_concrete_function(self, *args, **kwargs) -> explaining.ConcreteFunction:
        """Return the program for given specs or example arguments.

        Args:
          *args: `TensorSpec`s, arrays (which stand for their shape and dtype), and Python values
            (which become part of the program). If there is an `input_signature`, pass no arguments.
          **kwargs: as above.

        Returns:
          A function of the tensors among the arguments, in order, that describes its program.

        https://www.tensorflow.org/api_docs/python/tf/types/experimental/PolymorphicFunction
        """
        if not args and not kwargs and self.input_signature is not None:
            origin = explaining.Origin(self, tuple(self.input_signature), {})
            return explaining.ConcreteFunction(self, self.input_signature, origin)
        self._note_signature(args, kwargs)
        leaves, tree = jax.tree.flatten((args, kwargs), is_leaf=lambda x: is_spec(x) or has_spec(x))
        specs = [_spec_of(leaf) for leaf in leaves]

        def on_tensors(*tensors):
            left = iter(tensors)
            full = [x if s is None else next(left) for x, s in zip(leaves, specs, strict=True)]
            a, k = jax.tree.unflatten(tree, full)
            return self.converted()(*a, **k)

        function = Function(
            functools.update_wrapper(on_tensors, self.python_function),
            input_signature=[s for s in specs if s is not None],
            autograph=False,
            reduce_retracing=False,
            buckets=self._bucket,
            overflow=self._overflow,
            on_specialize=self.on_specialize,
            unpad=self.host_cuts,
        )
        return explaining.ConcreteFunction(
            function, function.input_signature, explaining.Origin(self, args, kwargs)
        )

    def experimental_get_tracing_count(self) -> int:
        """Return the number of traces."""
        return self.counts.traces

    @property
    def entries(self) -> list[Entry]:
        """The programs traced so far."""
        return [e for group in self._entries.values() for e in group]

    def pretty_printed_concrete_signatures(self) -> str:
        """Format the signatures traced so far, one per line."""
        return "\n".join(str(e.shapes) for e in self.entries)


def _unpad(x):
    if not isinstance(x, Padded):
        return x
    x.check_is_one_value()
    check_status(x.status, x.values)
    return x.unpad()


def _is_spec(x) -> bool:
    return isinstance(x, TensorSpec)


def _spec_of(leaf):
    """Return the spec of an array or composite argument; `None` for a Python value."""
    if is_spec(leaf):
        return leaf
    if has_spec(leaf):
        return spec_of(leaf)
    if isinstance(leaf, (jax.Array, np.ndarray, np.generic)):
        return TensorSpec(np.shape(leaf), leaf.dtype)
    return None


def _example_of(spec, n):
    if not isinstance(spec, TensorSpec):
        return spec
    shape = [n if d is None or isinstance(d, str) else d for d in spec.shape]
    return jax.ShapeDtypeStruct(tuple(shape), spec.dtype)


def _zeros_like(x):
    return np.zeros(x.shape, x.dtype) if hasattr(x, "shape") and hasattr(x, "dtype") else x
