"""`tf.app`: a program's main function, called with what the flags leave of the command line."""

from __future__ import annotations

import sys

from shims._src.errors import errors
from shims._src.v1.platform import flags as flags

__all__ = ["flags", "run"]


def run(main=None, argv=None):
    """Read the flags, call `main` with what is left, and leave the program.

    Args:
      main: a function of the remaining arguments; `main` of the program if `None`.
      argv: the command line; that of the program if `None`.

    Raises:
      UnimplementedError: absl is not installed.

    Differs from TensorFlow:
      Unknown flags are passed on, as TensorFlow does.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/app/run
    """
    try:
        from absl import app
    except ImportError as error:
        raise errors.UnimplementedError(
            errors.message(
                "tf.app.run",
                "it is that of absl, which is not installed.",
                do="pip install absl-py",
            )
        ) from error
    main = main or sys.modules["__main__"].main

    def parsed(arguments):
        return flags.FLAGS(arguments or sys.argv, known_only=True)

    app.run(main=main, argv=argv, flags_parser=parsed)
