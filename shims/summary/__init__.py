"""Re-export the names of `tf.summary` that have a counterpart."""

from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing
from shims._src.summary.operators import audio as audio
from shims._src.summary.operators import histogram as histogram
from shims._src.summary.operators import image as image
from shims._src.summary.operators import scalar as scalar
from shims._src.summary.operators import should_record_summaries as should_record_summaries
from shims._src.summary.operators import text as text
from shims._src.summary.operators import write as write
from shims._src.summary.traces import trace_export as trace_export
from shims._src.summary.traces import trace_off as trace_off
from shims._src.summary.traces import trace_on as trace_on
from shims._src.summary.writers import SummaryWriter as SummaryWriter
from shims._src.summary.writers import create_file_writer as create_file_writer
from shims._src.summary.writers import create_noop_writer as create_noop_writer
from shims._src.summary.writers import flush as flush
from shims._src.summary.writers import record_if as record_if
from shims.summary import experimental as experimental

__getattr__ = _missing.of("shims.summary")
