"""Provide `tf.compat.v2`: the module is `shims` itself."""

import sys as _sys

import shims as _shims

_sys.modules[__name__] = _shims
