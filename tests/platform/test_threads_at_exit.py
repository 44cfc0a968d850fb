"""A program that ends while its threads compute ends as one without threads does."""

import subprocess
import sys

import pytest

WORK = "jnp.sin(jnp.ones((300, 300)) @ jnp.ones((300, 300))).sum()"
PREFETCHED = f"""
import shims, jax.numpy as jnp
ds = shims.data.Dataset.range(1000).map(lambda x: x * {WORK}).prefetch(4)
next(iter(ds))
print("end")
"""
LOOPING = f"""
import time, jax.numpy as jnp, shims.compat.v1 as tf
started = []
work = lambda: started.append({WORK})
looper = tf.train.LooperThread.loop(tf.train.Coordinator(), None, work)
while not started:
    time.sleep(0.01)
print("end")
"""
STUCK = """
import threading, time
from shims._src.platform import threads_at_exit
threads_at_exit._PATIENCE = 0.2
class Stuck:
    def stop(self):
        pass
stuck = Stuck()
thread = threading.Thread(target=time.sleep, args=(300,), daemon=True)
threads_at_exit.end_at_exit(thread, stuck.stop)
thread.start()
print("end")
"""


@pytest.mark.parametrize("program", [PREFETCHED, LOOPING, STUCK], ids=["data", "loop", "stuck"])
def test_the_program_ends(program):
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr
