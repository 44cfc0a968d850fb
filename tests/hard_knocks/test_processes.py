"""Processes that are made from one that has compiled functions compute, or end with a message; none hangs."""

import subprocess
import sys

import pytest

PROGRAM = """
import multiprocessing, sys, warnings
import numpy as np
import shims as tf

X = np.array([1.0, -2.0, 3.0, 0.5], np.float32)
f = tf.function(lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0)))
v = tf.Variable(0)

def work(queue):
    v.assign_add(1)
    queue.put((float(f(X)), int(v)))

if __name__ == "__main__":
    print(float(f(X)))
    context = multiprocessing.get_context(sys.argv[1])
    queue = context.Queue()
    process = context.Process(target=work, args=(queue,))
    process.start()
    print(queue.get(timeout=100))
    process.join()
    print(process.exitcode, float(f(X)))
"""
FORKED = """
import os, sys, threading
import numpy as np
import shims as tf
from shims._src.recording import state

X = np.array([1.0, -2.0, 3.0, 0.5], np.float32)
v = tf.Variable(0)
f = tf.function(lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0)))
held, done = threading.Event(), threading.Event()

def hold():
    with state.changing(), f._turn:
        held.set()
        done.wait()

thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    with state.changing(), f._turn:  # held by a thread that this process does not have
        os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
done.set()
thread.join()
"""


COMPILING = """
import os
import numpy as np
import shims as tf

X = np.array([1.0, -2.0, 3.0, 0.5], np.float32)
f = tf.function(lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0)))
print(float(f(X)), flush=True)
child = os.fork()
if child == 0:
    print(float(f(X)), flush=True)
    try:
        tf.function(lambda x: x * 2)(X)
    except RuntimeError as error:
        print("refused" if 'multiprocessing.get_context("spawn")' in str(error) else error, flush=True)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def run(program, folder, *words):
    file = folder / "program.py"
    file.write_text(program)
    return subprocess.run(
        [sys.executable, str(file), *words],
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )


@pytest.mark.long
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_process_made_after_a_call(method, tmp_path):
    done = run(PROGRAM, tmp_path, method)
    assert (done.returncode, done.stdout) == (0, "4.5\n(4.5, 1)\n0 4.5\n"), done.stderr


def test_a_process_that_is_forked(tmp_path):
    """It runs what is compiled; where it would compile, and never end, it says what to do."""
    done = run(COMPILING, tmp_path)
    assert (done.returncode, done.stdout) == (0, "4.5\n4.5\nrefused\n0\n"), done.stderr
    assert "os.fork() is incompatible with multithreaded code" in done.stderr  # JAX warns


def test_locks_that_are_held_while_a_process_forks(tmp_path):
    done = run(FORKED, tmp_path)
    assert (done.returncode, done.stdout) == (0, "7\n"), done.stderr
