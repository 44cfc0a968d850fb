"""`tf.logging`: the logger `tensorflow` of Python's `logging`, under TensorFlow's names."""

from __future__ import annotations

import logging as _logging

DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50

__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "debug",
    "error",
    "fatal",
    "flush",
    "get_verbosity",
    "info",
    "log",
    "log_every_n",
    "log_first_n",
    "log_if",
    "set_verbosity",
    "vlog",
    "warn",
    "warning",
]

_LOGGER = _logging.getLogger("tensorflow")
_COUNTS: dict[tuple, int] = {}


class _Lines(_logging.Handler):
    """Writes lines to the present standard error, unless the program has handlers of its own."""

    def emit(self, record: _logging.LogRecord) -> None:
        import sys

        if not _logging.getLogger().handlers:
            sys.stderr.write(f"{record.levelname}:tensorflow:{record.getMessage()}\n")


def _logger() -> _logging.Logger:
    if not any(isinstance(h, _Lines) for h in _LOGGER.handlers):
        _LOGGER.addHandler(_Lines())
    return _LOGGER


def debug(msg, *args, **kwargs):
    """A message for those who look for a fault."""
    _logger().debug(msg, *args, **kwargs)


def info(msg, *args, **kwargs):
    """A message about what goes on; shown once the verbosity is `INFO`."""
    _logger().info(msg, *args, **kwargs)


def warning(msg, *args, **kwargs):
    """A message about what may be wrong."""
    _logger().warning(msg, *args, **kwargs)


warn = warning


def error(msg, *args, **kwargs):
    """A message about what is wrong."""
    _logger().error(msg, *args, **kwargs)


def fatal(msg, *args, **kwargs):
    """A message about the end; the program goes on."""
    _logger().fatal(msg, *args, **kwargs)


def log(level, msg, *args, **kwargs):
    """A message of a level."""
    _logger().log(level, msg, *args, **kwargs)


def vlog(level, msg, *args, **kwargs):
    """A message of a level."""
    _logger().log(level, msg, *args, **kwargs)


def log_every_n(level, msg, n, *args):
    """A message at the first of every `n` calls with it."""
    log_if(level, msg, _counted(msg) % n == 0, *args)


def log_first_n(level, msg, n, *args):
    """A message at the first `n` calls with it."""
    log_if(level, msg, _counted(msg) < n, *args)


def log_if(level, msg, condition, *args):
    """A message where a condition holds."""
    if condition:
        vlog(level, msg, *args)


def _counted(msg) -> int:
    """How often a message was counted before."""
    count = _COUNTS.get((msg,), 0)
    _COUNTS[(msg,)] = count + 1
    return count


def flush():
    """Nothing: every message is written at once."""


def get_verbosity():
    """The level below which messages are not shown."""
    return _LOGGER.getEffectiveLevel()


def set_verbosity(v):
    """Show messages of a level and above: `tf.logging.INFO`."""
    _LOGGER.setLevel(v)
