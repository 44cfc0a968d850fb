"""Start writers in processes of their own, and kill them."""

import os
import signal
import subprocess
import sys
import time

from tests.meta import tree


def kill_a_writer(name, path, rng, *, others=0):
    """Start a writer, or several, let them write once, and kill them a moment later."""
    command = [sys.executable, "-m", "tests.hard_knocks.kills", name, str(path)]
    known = dict(os.environ, PYTHONPATH=str(tree.ROOT), JAX_PLATFORMS="cpu")
    writers = [
        subprocess.Popen(command, cwd=tree.ROOT, env=known, stdout=subprocess.PIPE)
        for _ in range(1 + others)
    ]
    for writer in writers:
        assert writer.stdout.read(1) == b".", "it failed"
    time.sleep(rng.random() * 0.2)
    for writer in writers:
        os.kill(writer.pid, signal.SIGKILL)
    for writer in writers:
        assert writer.wait() == -signal.SIGKILL
        writer.stdout.close()
