"""Run a module as a program whose process group ends with the process that started it.

A second process of the group waits until standard input loses its writer, which the system closes
however the starting process ends, and kills the group. A thread could not: a function that holds
Python's lock, or a process that is stopped, would keep it from running.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import select
import signal
import sys

# The process group that such a process watches, for the processes that are started within it.
GROUP = "TF2JAX_PORT_GROUP"


def main() -> None:
    """Start the watching process, then run the module that the first argument names."""
    _watch()
    os.environ[GROUP] = str(os.getpgrp())
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def is_guarded() -> bool:
    """Return whether a process of this process's group kills the group when its starter ends."""
    return os.environ.get(GROUP) == str(os.getpgrp())


def _watch() -> None:
    """Start the watching process; no `wait` of this program sees it."""
    first = os.fork()
    if first:
        os.waitpid(first, 0)
        return
    if os.fork():
        os._exit(0)
    # Open copies of the other streams would hide from their reader that the program has ended.
    os.closerange(1, os.sysconf("SC_OPEN_MAX"))
    for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(sent, signal.SIG_IGN)
    poll = select.poll()
    poll.register(0, 0)  # no writer is reported without being asked for
    with contextlib.suppress(OSError):
        poll.poll()
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
