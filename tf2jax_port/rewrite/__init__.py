"""Rewrite TensorFlow source text to JAX and report findings, without touching files."""

from tf2jax_port.rewrite.findings.findings import Finding, LedgerError, Outcome, State, count_states
from tf2jax_port.rewrite.plan import rewrite
from tf2jax_port.rewrite.reading.source import UnreadableError

__all__ = [
    "Finding",
    "LedgerError",
    "Outcome",
    "State",
    "UnreadableError",
    "count_states",
    "rewrite",
]
