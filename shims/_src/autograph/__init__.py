"""Convert Python control flow over traced arrays to `lax.cond`, `lax.scan` and `lax.while_loop`."""

from __future__ import annotations

from shims._src.autograph.calls import convert as convert
from shims._src.autograph.calls import do_not_convert as do_not_convert
from shims._src.autograph.calls import to_code as to_code
from shims._src.autograph.calls import to_graph as to_graph
from shims._src.autograph.directives import set_loop_options as set_loop_options
from shims._src.platform import user_frames

user_frames.stands_in_for_user(__name__)
