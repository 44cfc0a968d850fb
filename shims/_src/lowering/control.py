"""Define the masking rules of control flow: loops, branches and nested jaxprs."""

from __future__ import annotations

import dataclasses
import itertools

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.lowering import bounds, collectives, counters, own_sizes, scopes, stand_ins
from shims._src.lowering.context import SERIALS
from shims._src.lowering.extents import one_extent
from shims._src.lowering.refusals import deferred_error, inner_size_error
from shims._src.lowering.rule import Rule
from shims._src.lowering.value import Deferred, Value, static
from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import equations, sub_jaxprs
from shims._src.sizes import dims, error_values, primitives, trace


def run(ctx, jaxpr, values, caller=None, branch=None):
    """Lower a nested jaxpr in the scope `ctx`; return its results as lowered values."""
    return ctx.root.interpret(ctx, jaxpr, values, caller=caller, branch=branch)


def inline(ctx, eqn, *values):
    """Lower an inner `jit` in place; XLA inlines it anyway."""
    jaxpr = sub_jaxprs(eqn.params)[0]
    inner = scopes.enter(ctx, jaxpr, list(values), is_call=True)
    outs = ctx.root.interpret(inner, jaxpr, list(values), spread=True, caller=eqn)
    return scopes.leave(ctx, inner, outs)


def expansion(root, eqn):
    """Return the jaxpr that computes an equation by other primitives."""
    for program in sub_jaxprs(eqn.params):
        return program
    specs = [jp.abstract(a.aval) for a in eqn.invars]
    with trace.resume(root.state):
        return jax.make_jaxpr(jp.expansion(eqn))(*specs)


# ---- scan ------------------------------------------------------------------------------------


def scan(ctx, eqn, *values):
    """Lower `lax.scan`; along a dynamic axis, only valid slots are iterated over."""
    n_consts, n_carry = jp.scan_counts(eqn.params)
    consts = [ctx.expand_uniform(v) for v in values[:n_consts]]
    carry = list(values[n_consts : n_consts + n_carry])
    xs = [ctx.expand_uniform(v) for v in values[n_consts + n_carry :]]
    jaxpr = eqn.params["jaxpr"]
    open_jaxpr, _ = jp.open_jaxpr(jaxpr)
    carry_avals = [v.aval for v in open_jaxpr.invars[n_consts : n_consts + n_carry]]
    for value in carry:
        if isinstance(value, Deferred):
            raise deferred_error(value, ctx.ambiguous)
    initial = carry
    carry = [scopes.settle(ctx, v, a.shape) for v, a in zip(carry, carry_avals, strict=True)]
    xs, steps, extent = _align_steps(ctx, eqn, xs)
    limits = counters.of_steps(open_jaxpr, n_consts, initial, extent)
    carry = counters.with_bounds(carry, limits)
    body = _Body(ctx, eqn, jaxpr, consts, carry, xs, open_jaxpr.outvars[n_carry:], carry_avals)
    valid = None if steps is None else ctx.valid(steps, extent)
    if n_carry == 0 and valid is None and _makes_sizes(open_jaxpr):
        ys, sizes, codes = jax.vmap(lambda rows: body([], rows)[1])(_scanned_arrays(xs, extent))
        finals: list = []
    else:
        finals, (ys, sizes, codes) = body.loop(valid, extent)
    ctx.adopt(body.described, codes)
    outs = [Value(a, c.axes) for a, c in zip(finals, carry, strict=True)]
    return outs + [
        Value(y, (steps, *axes)) for y, axes in zip(ys, body.result_axes(sizes), strict=True)
    ]


def _makes_sizes(jaxpr) -> bool:
    """Return whether the body of a scan creates data-dependent sizes.

    If such a body also carries nothing, the scan is lowered to a `vmap`, so that iterations run in parallel.
    """
    return any(e.primitive.name in primitives.SIZE_MAKERS for e in equations(jaxpr))


def _align_steps(ctx, eqn, xs):
    """Convert the leading axes of the scanned values to one layout.

    Returns the values, and the axis and extent of the iterations.
    """
    length = eqn.params["length"]
    if not xs:
        axis = ctx.axis(length)
        return xs, axis, ctx.capacity(length)
    for x in xs:
        if isinstance(x, Deferred):
            raise deferred_error(x, ctx.ambiguous)
    tokens = {v.axes[0].token for v in xs if v.axes[0] is not None}
    if len(tokens) > 1:
        xs = [ctx.pack(v, 0) for v in xs]
    xs = one_extent(xs, 0)
    axis = next((v.axes[0] for v in xs if v.axes[0] is not None), None)
    return xs, axis, xs[0].array.shape[0]


def _scanned_arrays(xs, extent):
    arrays = [v.array for v in xs]
    sizes = [own_sizes.rows(v.axes[1:]) for v in xs]
    return arrays, sizes, lax.iota(jnp.int32, extent)


class _Body:
    """The lowered body of a scan; tracing it finds its result axes and run-time checks."""

    def __init__(self, ctx, eqn, jaxpr, consts, carry, xs, result_vars, carry_avals):
        self.ctx, self.eqn, self.jaxpr = ctx, eqn, jaxpr
        self.consts, self.carry, self.xs = consts, carry, xs
        self.result_vars, self.carry_avals = result_vars, carry_avals
        self.mesh_axes = [jp.varying_axes(a) for a in carry_avals]  # over which the carry varies
        self.described: list = []
        self._axes: list = []  # for each result the dimensions of its axes and the sizes made inside
        self._stack = own_sizes.Stack()

    def __call__(self, carry_arrays, rows):
        """Run one iteration; return the carry and the stacked outputs.

        These are the results, the sizes created in the iteration, and the codes of its run-time checks.
        """
        x_arrays, x_sizes, _ = rows
        carry = [
            Value(a, c.axes, None, c.bounds) for a, c in zip(carry_arrays, self.carry, strict=True)
        ]
        own = [
            own_sizes.of_row(x.axes[1:], sizes) for x, sizes in zip(self.xs, x_sizes, strict=True)
        ]
        xs = [
            Value(a, self._row_axes(x.axes[1:], found), None, bounds.of(x))
            for a, x, found in zip(x_arrays, self.xs, own, strict=True)
        ]
        operands = [*self.consts, *carry, *xs]
        inner = scopes.enter(self.ctx, self.jaxpr, operands)
        for sizes in itertools.chain.from_iterable(own):
            own_sizes.bind(inner, sizes)
        outs = run(inner, self.jaxpr, operands)
        new, results = outs[: len(carry)], outs[len(carry) :]
        new = [scopes.settle(inner, v, a.shape) for v, a in zip(new, self.carry_avals, strict=True)]
        results = [
            scopes.settle(inner, v, var.aval.shape)
            for v, var in zip(results, self.result_vars, strict=True)
        ]
        self.described, codes = scopes.describe(inner)
        self._stack = own_sizes.Stack()
        self._axes = [
            [(a and a.dim, self._stack.add(own_sizes.of(self.ctx, inner, a))) for a in v.axes]
            for v in results
        ]
        arrays = [v.array for v in results]
        return self._carried(new), (arrays, self._stack.arrays(), codes)

    def _carried(self, values):
        return [jp.varying(v.array, a) for v, a in zip(values, self.mesh_axes, strict=True)]

    def _row_axes(self, axes, own):
        return tuple(
            own_sizes.axis(self.ctx, axis.dim, sizes) if sizes else axis
            for axis, sizes in zip(axes, own, strict=True)
        )

    def loop(self, valid, extent):
        """Run the body in a sequential loop; the iterations of invalid slots leave the carry unchanged."""
        reverse, unroll = self.eqn.params["reverse"], self.eqn.params.get("unroll", 1)
        rows = _scanned_arrays(self.xs, extent)
        if valid is None:
            return lax.scan(self, self._carried(self.carry), rows, reverse=reverse, unroll=unroll)
        self.mesh_axes = [a | jp.varying_axes(valid) for a in self.mesh_axes]
        start = self._carried(self.carry)
        shapes = jax.eval_shape(self, start, jax.tree.map(lambda a: a[0], rows))[1]

        def step(carry, row):
            ok, row = row
            return lax.cond(ok, self, lambda c, _: (c, _skipped_outputs(shapes)), carry, row)

        return lax.scan(step, start, (valid, rows), reverse=reverse)

    def result_axes(self, sizes):
        """Return the axes of the stacked results, except the leading one, given the stacked sizes."""
        return [
            tuple(
                own_sizes.axis(self.ctx, dim, self._stack.stacked(own, sizes)) for dim, own in axes
            )
            for axes in self._axes
        ]


def _skipped_outputs(shapes):
    results, sizes, codes = shapes
    zeros = jax.tree.map(lambda s: _filled(s, 0), (results, sizes))
    return (*zeros, [_filled(c, -1) for c in codes])


def _filled(like, number):
    """Return an array filled with `number`, of the shape and dtype of `like`."""
    return jp.varying_as(jnp.full(like.shape, number, like.dtype), like)


# ---- while -----------------------------------------------------------------------------------


def while_(ctx, eqn, *values):
    """Lower `lax.while_loop`; the sizes in the carry do not change from one iteration to the next.

    Under `vmap` each element has its own condition: the loop runs until the conditions of all elements are
    false, and leaves finished elements unchanged.
    """
    n_cond, n_body = eqn.params["cond_nconsts"], eqn.params["body_nconsts"]
    cond_jaxpr, body_jaxpr = eqn.params["cond_jaxpr"], eqn.params["body_jaxpr"]
    each = bool(jp.open_jaxpr(cond_jaxpr)[0].outvars[0].aval.shape)
    values = [ctx.pack_all(v) if each else ctx.expand_uniform(v) for v in values]
    cond_consts, body_consts = values[:n_cond], values[n_cond : n_cond + n_body]
    avals = [v.aval for v in jp.open_jaxpr(body_jaxpr)[0].invars[n_body:]]
    initial = values[n_cond + n_body :]
    carry = [scopes.settle(ctx, v, a.shape) for v, a in zip(initial, avals, strict=True)]
    found: dict[str, list] = {"described": [], "of condition": []}

    def wrap(arrays):
        return [Value(a, c.axes) for a, c in zip(arrays, carry, strict=True)]

    def condition(arrays):
        inner = scopes.enter(ctx, cond_jaxpr, [*cond_consts, *wrap(arrays)])
        inner.decides_loop = True
        (out,) = run(inner, cond_jaxpr, [*cond_consts, *wrap(arrays)])
        goes_on = inner.fill(inner.pack_all(out), False).array if each else out.array
        return goes_on, *scopes.describe(inner)

    def cond(state):
        goes_on, found["of condition"], codes = condition(state[0])
        goes_on = jnp.any(goes_on) if each else goes_on
        for code in (*state[1], *codes):
            # Stop after a failed check; a full buffer might keep the loop from ending.
            goes_on = lax.bitwise_and(goes_on, jnp.max(code, initial=-1) < 0)
        return goes_on

    def body(state):
        limits = counters.while_true(cond_jaxpr, cond_consts, body_jaxpr, n_body, initial)
        given = counters.with_bounds(wrap(state[0]), limits)
        inner = scopes.enter(ctx, body_jaxpr, [*body_consts, *given])
        inner.error_value = error_values.plain  # JAX has no gradient of the loop
        outs = run(inner, body_jaxpr, [*body_consts, *given])
        outs = [scopes.settle(inner, v, a.shape) for v, a in zip(outs, avals, strict=True)]
        found["described"], codes = scopes.describe(inner)
        worst = [lax.max(a, b) for a, b in zip(state[1] or codes, codes, strict=True)]
        arrays = [jp.varying(v.array, jp.varying_axes(a)) for v, a in zip(outs, avals, strict=True)]
        if each:
            goes_on = condition(state[0])[0]
            arrays = [_select_running(goes_on, a, b) for a, b in zip(arrays, state[0])]
        return arrays, worst

    start = [jp.varying(v.array, jp.varying_axes(a)) for v, a in zip(carry, avals, strict=True)]
    quiet = [_filled(c, -1) for c in jax.eval_shape(lambda s: body((s, []))[1], start)]
    ctx.root.is_irreversible |= any(
        map(jp.is_linearized, [*start, *(c.array for c in body_consts)])
    )
    arrays, codes = lax.while_loop(cond, body, (start, quiet))
    ctx.adopt(found["described"], codes)
    if found["of condition"]:
        # A check that failed there ended the loop, and fails again for the variables after the loop.
        ctx.adopt(*condition(arrays)[1:])
    return [Value(a, c.axes) for a, c in zip(arrays, carry, strict=True)]


def _select_running(goes_on, new, old):
    over = lax.expand_dims(goes_on, range(goes_on.ndim, new.ndim))
    return jnp.where(over, new, old)


# ---- cond ------------------------------------------------------------------------------------


def cond(ctx, eqn, index, *values):
    """Lower a conditional, and convert the results of all branches to one layout."""
    values = [ctx.expand_uniform(v) for v in values]
    passed = [v for v in values if not isinstance(v, Deferred)]
    branches = eqn.params["branches"]
    out_avals = [v.aval for v in eqn.outvars]
    made = set().union(*map(own_sizes.made, branches))
    lowered = [_Branch(ctx, eqn, i, values, made) for i in range(len(branches))]
    arrays = [v.array for v in passed]
    # A second round: sizes that one branch makes are unknown to the others in the first one.
    for _ in range(2 if any(map(jp.is_symbolic, _dims_of(out_avals))) else 1):
        shapes = [jax.eval_shape(b, *arrays) for b in lowered]
        wanted = _largest_shapes([s[1] for s in shapes])
        for branch in lowered:
            branch.wanted = wanted
    counts = [len(s[2]) for s in shapes]
    reads = any(b.reads for b in lowered)

    def padded(branch, before, after):
        def call(*operands):
            outs, sizes, codes, absent = branch(*operands)
            quiet = jnp.int32(-1)
            rest = (sizes, [*[quiet] * before, *codes, *[quiet] * after], [absent] * reads)
            outs = [
                jp.varying_as(out, (aval, index.array))
                for out, aval in zip(outs, out_avals, strict=True)
            ]
            return outs, *jp.varying_as(rest, (arrays, index.array))

        return call

    calls = [padded(b, sum(counts[:i]), sum(counts[i + 1 :])) for i, b in enumerate(lowered)]
    outs, sizes, codes, absent = _select_branch(eqn, index.array, calls, arrays)
    ctx.root.unread += absent
    ctx.adopt([d for b in lowered for d in b.described], codes)
    return _branch_results(ctx, eqn, outs, sizes, [b.serials for b in lowered])


def _select_branch(eqn, index, calls, arrays):
    platforms = eqn.params.get("branches_platforms")
    if platforms is None:
        return collectives.switch(index, calls, *arrays)
    pairs = zip(platforms, calls, strict=True)
    return lax.platform_dependent(
        *arrays, **{p: call for names, call in pairs for p in names or ("default",)}
    )


def _dims_of(avals):
    return itertools.chain.from_iterable(getattr(a, "shape", ()) for a in avals)


def _largest_shapes(sizes):
    """Return, for each axis of each result, the shape of every size that some branch creates.

    A size may have one value or one per row; the shape of highest rank among the branches is returned.
    """
    return [
        [_largest_of(axes) for axes in zip(*results, strict=True)]
        for results in zip(*sizes, strict=True)
    ]


def _largest_of(branches):
    names = sorted(set().union(*branches))
    return {n: max((b[n].shape for b in branches if n in b), key=len) for n in names}


class _Branch:
    """A lowered branch of a conditional, to be called with the operands' arrays."""

    def __init__(self, ctx, eqn, number, values, made):
        self.ctx, self.eqn, self.number, self.values = ctx, eqn, number, values
        self.jaxpr = eqn.params["branches"][number]
        self.out_avals = [v.aval for v in eqn.outvars]
        self.made = made  # the sizes that any of the branches makes
        self.described: list = []
        self.wanted: list | None = (
            None  # for each axis of the results, the names and shapes of its sizes
        )
        self.serials: list = []
        self.reads = False  # whether a read in it may find nothing

    def __call__(self, *arrays):
        given = iter(arrays)
        values = [
            v if isinstance(v, Deferred) else Value(next(given), v.axes, None, v.bounds)
            for v in self.values
        ]
        inner = scopes.enter(self.ctx, self.jaxpr, values)
        escaping = {n for a in self.out_avals for n in scopes.escaping(inner, a)}
        missing = escaping - own_sizes.made(self.jaxpr)
        for aval in self.out_avals:
            if missing.intersection(scopes.escaping(inner, aval)) - self.made:
                raise inner_size_error(aval)
        stand_ins.check(self.jaxpr, missing)
        for name in sorted(missing):
            # Zeros in the place of values that another branch saves have the sizes of that branch.
            inner.bind_missing(name)
        before = len(inner.root.unread)
        outs = run(inner, self.jaxpr, values, self.eqn, self.number)
        unread = inner.root.unread[before:]
        del inner.root.unread[before:]  # which the operations of this branch compute
        self.reads = bool(unread)
        outs = [scopes.settle(inner, v, a.shape) for v, a in zip(outs, self.out_avals, strict=True)]
        self.described, codes = scopes.describe(inner)
        sizes = [[own_sizes.of(self.ctx, inner, a) for a in v.axes] for v in outs]
        if self.wanted is not None:
            sizes = [
                [_bindings(inner, a, shapes) for a, shapes in zip(v.axes, found, strict=True)]
                for v, found in zip(outs, self.wanted, strict=True)
            ]
        self.serials = [[{n: b.serial for n, b in a.items()} for a in axes] for axes in sizes]
        arrays = [v.array for v in outs]
        return arrays, jax.tree.map(lambda b: b.size, sizes), codes, error_values.any_of(unread)


def _bindings(inner, axis, shapes):
    """Return the sizes in the axis of a branch's result, broadcast to the shapes in `shapes`.

    All branches of a conditional must return their sizes in arrays of equal shapes.
    """
    bound = {name: axis.own.get(name) or inner.env[name] for name in shapes}
    return {
        name: dataclasses.replace(b, size=jnp.broadcast_to(jnp.int32(b.size), shapes[name]))
        for name, b in bound.items()
    }


def _branch_results(ctx, eqn, outs, sizes, serials):
    """Return the results of a conditional as lowered values; bind the sizes created in its branches."""
    known: dict = {}
    results = []
    for position, (out, var) in enumerate(zip(outs, eqn.outvars, strict=True)):
        axes = []
        for i, d in enumerate(getattr(var.aval, "shape", ())):
            own = {}
            for name, size in sizes[position][i].items():
                made = (name, *(s[position][i][name] for s in serials))
                if made not in known:
                    frames, new = ctx.root.frames, next(SERIALS)
                    known[made] = ctx.root.repeats.joined(frames, eqn, name, made[1:], new)
                serial = known[made]
                capacity = ctx.root.fresh_capacity.get(name, 1)
                bound = dims.Binding(size, capacity, 0, serial, True)
                if jnp.ndim(size) or not _bind_name(ctx, name, bound):
                    own[name] = bound
            axes.append(own_sizes.axis(ctx, d, own))
        results.append(Value(out, tuple(axes)) if axes else static(out))
    return results


def _bind_name(ctx, name, bound):
    """Bind a size to its name in a scope; return whether no other size has the name there.

    If another size has it, the name is marked as ambiguous, and its use is an error.
    """
    around = ctx.env.setdefault(name, bound)
    if around.serial != bound.serial:
        ctx.ambiguous.add(name)
    return name not in ctx.ambiguous


RULES = (
    Rule("jit", inline, uniform=True, spread=True),
    Rule("pjit", inline, uniform=True, spread=True),
    Rule("closed_call", inline, uniform=True, spread=True),
    Rule("core_call", inline, uniform=True, spread=True),
    Rule("eval_jaxpr", inline, uniform=True, spread=True),
    Rule("remat_opt", inline, uniform=True, spread=True),
    Rule("custom_vmap_call", inline, uniform=True, spread=True),
    Rule("scan", scan, uniform=True),
    Rule("while", while_, uniform=True),
    Rule("cond", cond, uniform=True),
)
