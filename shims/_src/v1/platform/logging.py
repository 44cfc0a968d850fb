"""Provide `tf.logging`, which uses the logger `tensorflow` of Python's `logging` module."""

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
    """A log handler that writes to the current `sys.stderr`, unless the root logger has handlers."""

    def emit(self, record: _logging.LogRecord) -> None:
        import sys

        if not _logging.getLogger().handlers:
            sys.stderr.write(f"{record.levelname}:tensorflow:{record.getMessage()}\n")


def _logger() -> _logging.Logger:
    if not any(isinstance(h, _Lines) for h in _LOGGER.handlers):
        _LOGGER.addHandler(_Lines())
    return _LOGGER


def debug(msg, *args, **kwargs):
    """Log a message at level `DEBUG`."""
    _logger().debug(msg, *args, **kwargs)


def info(msg, *args, **kwargs):
    """Log a message at level `INFO`."""
    _logger().info(msg, *args, **kwargs)


def warning(msg, *args, **kwargs):
    """Log a message at level `WARN`."""
    _logger().warning(msg, *args, **kwargs)


warn = warning


def error(msg, *args, **kwargs):
    """Log a message at level `ERROR`."""
    _logger().error(msg, *args, **kwargs)


def fatal(msg, *args, **kwargs):
    """Log a message at level `FATAL`; the program continues."""
    _logger().fatal(msg, *args, **kwargs)


def log(level, msg, *args, **kwargs):
    """Log a message at a level."""
    _logger().log(level, msg, *args, **kwargs)


def vlog(level, msg, *args, **kwargs):
    """Log a message at a level."""
    _logger().log(level, msg, *args, **kwargs)


def log_every_n(level, msg, n, *args):
    """Log a message on its first call and on every `n`-th call after that."""
    log_if(level, msg, _count_message(msg) % n == 0, *args)


def log_first_n(level, msg, n, *args):
    """Log a message on its first `n` calls only."""
    log_if(level, msg, _count_message(msg) < n, *args)


def log_if(level, msg, condition, *args):
    """Log a message if a condition is true."""
    if condition:
        vlog(level, msg, *args)


def _count_message(msg) -> int:
    """Increment the number of times that a message was logged; return the number before."""
    count = _COUNTS.get((msg,), 0)
    _COUNTS[(msg,)] = count + 1
    return count


def flush():
    """Do nothing: every message is written immediately."""


def get_verbosity():
    """Return the minimum level of messages that are logged."""
    return _LOGGER.getEffectiveLevel()


def set_verbosity(v):
    """Set the minimum level of messages that are logged, such as `tf.logging.INFO`."""
    _LOGGER.setLevel(v)
