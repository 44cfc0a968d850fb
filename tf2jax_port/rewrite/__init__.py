"""The rewriter: source text in, source text and findings out; it touches no file."""

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
