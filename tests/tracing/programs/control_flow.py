"""Loops, branches and inner transformations over the selected rows."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from tests.tracing.programs.row import Masked


def scan_sum(y):
    return lax.scan(lambda carry, row: (carry + row, carry), jnp.zeros(5), y)


def scan_recurrent_network(y):
    def cell(state, row):
        state = jnp.tanh(0.5 * state + row)
        return state, state.sum()

    return lax.scan(cell, jnp.zeros(5), y)


def scan_over_columns(y):
    return lax.scan(lambda carry, column: (carry * 0.5 + column, carry.mean()), y[:, 0], y.T)


def scan_with_positions(y):
    def step(carry, operands):
        i, row = operands
        return carry + i * row, carry.sum()

    return lax.scan(step, jnp.zeros(5), (jnp.arange(y.shape[0]), y))


def scan_with_carry_of_fresh_size(y):
    return lax.scan(lambda carry, _: (jnp.sin(carry) + y, carry.sum()), y, None, length=3)


def scan_in_scan(y):
    def outer(total, row):
        inner = lax.scan(lambda c, v: (c * 0.5 + v, c), 0.0, row)[0]
        return total + inner, inner

    return lax.scan(outer, 0.0, y)


def map_rows(y):
    return lax.map(lambda row: jnp.sort(row) * row.sum(), y)


def map_columns(y):
    return lax.map(lambda column: column.max(initial=-9.0) - column.mean(), y.T)


def branch(y):
    return lax.cond(y.sum() > 0, lambda v: v * 2.0, lambda v: v - 1.0, y)


def branch_on_size(y):
    many = y.shape[0] * jnp.ones(()) > 2
    return lax.cond(many, lambda v: v.sum(0), lambda v: v.max(0, initial=0.0), y)


def switch(y):
    which = jnp.clip(jnp.asarray(y.shape[0]) - 1, 0, 2)
    return lax.switch(which, [jnp.sin, jnp.cos, lambda v: v**2], y)


def branch_without_operands(y):
    return lax.cond(y.sum() > 0, lambda: y.cumsum(0), lambda: y[::-1])


def select_by_predicate(y):
    return jnp.where(y > 0, y, jnp.exp(y)), lax.select(y > 0, y, -y)


def while_halving(y):
    def halve(state):
        value, count = state
        return value * 0.5, count + 1

    return lax.while_loop(lambda state: jnp.abs(state[0]).sum() > 1.0, halve, (y, 0))


def fori_fixed(y):
    return lax.fori_loop(0, 3, lambda i, v: jnp.sin(v) + i, y)


def fori_over_rows(y):
    return lax.fori_loop(0, y.shape[0], lambda i, total: total + i * y[i], jnp.zeros(5))


def power_iteration(y):
    matrix = y.T @ y + jnp.eye(5)

    def step(_, v):
        v = matrix @ v
        return v / jnp.linalg.norm(v)

    return lax.fori_loop(0, 5, step, jnp.ones(5))


def vmap_over_rows(y):
    return jax.vmap(lambda row: row / (1.0 + jnp.linalg.norm(row)))(y)


def vmap_over_columns(y):
    return jax.vmap(lambda column: jax.nn.softmax(column), in_axes=1, out_axes=1)(y)


def vmap_pairs(y):
    similarity = lambda a, b: a @ b / (1.0 + a @ a + b @ b)
    return jax.vmap(jax.vmap(similarity, (None, 0)), (0, None))(y, y)


def vmap_over_static_axis_with_mean(y):
    scales = jnp.array([0.5, 1.0, 2.0])
    return jax.vmap(lambda s: (s * y).std(0) + y.mean(0))(scales)


def inner_jit(y):
    return jax.jit(lambda v: (v - v.mean(0)) ** 2)(y)


_centered = jax.jit(lambda v: v - v.mean(0))


def inner_jit_called_twice(y):
    return _centered(y) + _centered(jnp.exp(y))


def remat(y):
    return jax.checkpoint(lambda v: jnp.sin(jnp.cos(v) * v.sum(0)))(y)


def remat_in_scan(y):
    body = jax.checkpoint(lambda carry, row: (jnp.tanh(carry + row), carry))
    return lax.scan(body, jnp.zeros(5), y)


def inner_gradient(y):
    return jax.grad(lambda v: jnp.sum(jnp.sin(v) * v.mean(0)))(y)


def inner_value_and_gradient_of_weights(y):
    def loss(w):
        return jnp.mean((y[:, :4] @ w - y[:, 4]) ** 2)

    return jax.value_and_grad(loss)(jnp.ones(4))


def three_steps_of_descent(y):
    def loss(w):
        return jnp.sum((y[:, :4] @ w - y[:, 4]) ** 2) / (1 + y.shape[0])

    w = jnp.zeros(4)
    for _ in range(3):
        w = w - 0.05 * jax.grad(loss)(w)
    return w


def inner_hessian(y):
    return jax.hessian(lambda w: jnp.sum(jnp.tanh(y @ w)))(jnp.ones(5) * 0.1)


def inner_jvp(y):
    return jax.jvp(lambda v: v / (1 + v.std(0)), (y,), (jnp.ones_like(y),))


def inner_vjp(y):
    out, pull = jax.vjp(lambda v: jnp.cumsum(v**2, 0), y)
    return pull(jnp.cos(out))[0]


def inner_jacobians(y):
    f = lambda w: jnp.sin(y.sum(0) * w)
    return jax.jacrev(f)(jnp.ones(5)), jax.jacfwd(f)(jnp.ones(5))


def per_example_gradients(y):
    loss = lambda w, row: jnp.tanh(row @ w)
    return jax.vmap(jax.grad(loss), (None, 0))(jnp.ones(5), y)


def relu_and_friends(y):
    return jax.nn.relu(y), jax.nn.silu(y).sum(0), jax.nn.relu6(3 * y), jax.nn.elu(y)


@jax.custom_jvp
def _scaled_sine(v):
    return jnp.sin(v)


@_scaled_sine.defjvp
def _scaled_sine_jvp(primals, tangents):
    return jnp.sin(primals[0]), 3.0 * jnp.cos(primals[0]) * tangents[0]


def custom_jvp_rule(y):
    return _scaled_sine(y) * y.mean(0)


@jax.custom_vjp
def _clipped_identity(v):
    return v * 1.0


def _clipped_forward(v):
    return v * 1.0, v


def _clipped_backward(v, cotangent):
    return (jnp.clip(cotangent, -0.1, 0.1) * jnp.cos(v),)


_clipped_identity.defvjp(_clipped_forward, _clipped_backward)


def custom_vjp_rule(y):
    return _clipped_identity(y) ** 2


def stopped_gradient(y):
    return y * lax.stop_gradient(y.mean(0))


def early_value_by_where(y):
    return jnp.where(y.shape[0] > 2, y.sum(), 0.0)


def unrolled_rows(y):
    return sum(jnp.where(i < y.shape[0], 1.0, 0.0) * i for i in range(4)) + y.sum()


PROGRAMS = (
    Masked(scan_sum),
    Masked(scan_recurrent_network),
    Masked(scan_over_columns),
    Masked(scan_with_positions),
    Masked(scan_with_carry_of_fresh_size),
    Masked(scan_in_scan),
    Masked(map_rows),
    Masked(map_columns),
    Masked(branch),
    Masked(branch_on_size),
    Masked(switch),
    Masked(branch_without_operands, assumes=("zero",)),
    Masked(select_by_predicate),
    Masked(while_halving, gradient=False),
    Masked(fori_fixed),
    Masked(fori_over_rows, gradient=False, empty=lambda _: jnp.zeros(5)),
    Masked(power_iteration, tolerance=1e-4),
    Masked(vmap_over_rows),
    Masked(vmap_over_columns),
    Masked(vmap_pairs),
    Masked(vmap_over_static_axis_with_mean),
    Masked(inner_jit),
    Masked(inner_jit_called_twice),
    Masked(remat),
    Masked(remat_in_scan),
    Masked(inner_gradient),
    Masked(inner_value_and_gradient_of_weights),
    Masked(three_steps_of_descent),
    Masked(inner_hessian),
    Masked(inner_jvp),
    Masked(inner_vjp),
    Masked(inner_jacobians),
    Masked(per_example_gradients),
    Masked(relu_and_friends),
    Masked(custom_jvp_rule),
    Masked(custom_vjp_rule),
    Masked(stopped_gradient),
    Masked(early_value_by_where, refusal="an ordering of a fresh size in Python"),
    Masked(unrolled_rows, refusal="an ordering of a fresh size in Python"),
)
