"""Run a module or a command as a program whose process group ends with the process that started it.

A second process of the group waits until a pipe loses its writer, which the system closes
however the starting process ends, and kills the group. A thread could not: a function that holds
Python's lock, or a process that is stopped, would keep it from running.

`guard MODULE` watches standard input; `guard --pipe N COMMAND...` watches the pipe with that number, so that
the command has the standard input of its starter. The second form imports the standard library only.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import select
import signal
import sys
from collections.abc import Sequence

# The process group that such a process watches, for the processes that are started within it.
GROUP = "TF2JAX_PORT_GROUP"
_PIPE = "--pipe"


def main() -> None:
    """Start the watching process, then run the module or the command that the arguments name."""
    del sys.argv[0]
    if sys.argv[0] == _PIPE:
        pipe = int(sys.argv[1])
        _watch(pipe)
        os.set_inheritable(pipe, False)
        # A program that a shell starts in the background inherits that interrupts are ignored.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execvp(sys.argv[2], sys.argv[2:])
    _watch(0)
    os.environ[GROUP] = str(os.getpgrp())
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def guarded(command: Sequence[str], pipe: int) -> list[str]:
    """Return the command that runs another one in a group that ends when the pipe loses its writer."""
    # Without `site`, so that nothing that is meant for the command is run before it.
    return [sys.executable, "-I", "-S", __file__, _PIPE, str(pipe), *command]


def is_guarded() -> bool:
    """Return whether a process of this process's group kills the group when its starter ends."""
    return os.environ.get(GROUP) == str(os.getpgrp())


def _watch(pipe: int) -> None:
    """Start the watching process; no `wait` of this program sees it."""
    first = os.fork()
    if first:
        os.waitpid(first, 0)
        return
    if os.fork():
        os._exit(0)
    # Open copies of the other streams would hide from their reader that the program has ended.
    if pipe:  # an empty range would be all descriptors
        os.closerange(0, pipe)
    os.closerange(pipe + 1, os.sysconf("SC_OPEN_MAX"))
    for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(sent, signal.SIG_IGN)
    poll = select.poll()
    poll.register(pipe, 0)  # no writer is reported without being asked for
    with contextlib.suppress(OSError):
        poll.poll()
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
