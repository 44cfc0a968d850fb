"""Advise what may be wrong with the request of a comparison that has failed."""

from __future__ import annotations

from pathlib import Path

from tf2jax_port.diff.functions.languages import imports_jax, imports_tensorflow
from tf2jax_port.diff.inputs.generated import is_signature
from tf2jax_port.diff.vocabulary.reasons import Reason
from tf2jax_port.diff.vocabulary.verdicts import EQUAL, ERROR


def advice_on_request(verdict: str, headline: str, old: str, new: str, inputs: str) -> list[Reason]:
    """Return what to correct in a request, if that is likely to be the fault.

    Args:
      verdict: the verdict.
      headline: its words.
      old: the specification of the original.
      new: that of the port.
      inputs: that of the cases.
    """
    found = []
    if verdict != EQUAL and _is_port(old) and _is_original(new):
        words = "the first function imports JAX and the second imports TensorFlow: pass the original first"
        found.append(Reason("original and port", f"the two functions seem to be swapped: {words}"))
    if verdict == ERROR and headline.startswith("The original") and is_signature(inputs):
        words = "no generated case is valid for the original: correct the ranks, sizes and dtypes in `--inputs`"
        found.append(Reason("inputs", words))
    return found


def _is_original(spec: str) -> bool:
    text = _text_of(spec)
    return imports_tensorflow(text) and not imports_jax(text)


def _is_port(spec: str) -> bool:
    text = _text_of(spec)
    return imports_jax(text) and not imports_tensorflow(text)


def _text_of(spec: str) -> str:
    path = Path(spec.rpartition(":")[0])
    return path.read_text("utf-8", "replace") if path.suffix == ".py" and path.is_file() else ""
