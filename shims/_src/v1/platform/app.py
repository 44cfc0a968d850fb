"""Provide `tf.app`, which parses command-line flags and calls the program's main function."""

from __future__ import annotations

import sys

from shims._src.errors import errors
from shims._src.v1.platform import flags as flags

__all__ = ["flags", "run"]


def run(main=None, argv=None):
    """Parse the flags, call `main` with the remaining arguments, and exit the program.

    Args:
      main: a function of the remaining arguments; `main` of the module `__main__` when `None`.
      argv: the command line; `sys.argv` when `None`.

    Raises:
      UnimplementedError: absl is not installed.

    Differs from TensorFlow:
      Nothing. Unknown flags are passed on to `main`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/app/run
    """
    try:
        from absl import app
    except ImportError as error:
        raise errors.UnimplementedError(
            errors.message(
                "tf.app.run",
                "absl, which provides `tf.app`, is not installed.",
                do="pip install absl-py",
            )
        ) from error
    main = main or sys.modules["__main__"].main

    def parsed(arguments):
        return flags.FLAGS(arguments or sys.argv, known_only=True)

    app.run(main=main, argv=argv, flags_parser=parsed)
