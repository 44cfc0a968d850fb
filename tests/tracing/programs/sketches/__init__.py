"""Ordinary TensorFlow programs, each written once and run with TensorFlow and with the shims."""

from __future__ import annotations

from tests.tracing.programs.sketches import detection, graphs, sequences

PROGRAMS = (*detection.PROGRAMS, *sequences.PROGRAMS, *graphs.PROGRAMS)
