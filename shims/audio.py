"""Re-export the names of `tf.audio`."""

from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing
from shims._src.summary.audio_files import decode_wav as decode_wav
from shims._src.summary.audio_files import encode_wav as encode_wav

__getattr__ = _missing.of("shims.audio")
