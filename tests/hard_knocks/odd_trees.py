"""Write a tree of files with odd names, encodings, line ends and kinds, as old code bases have them."""

from __future__ import annotations

import os
import pathlib

PROGRAM = b"import tensorflow as tf\n\n\ndef f(x):\n    return tf.square(x) + tf.reduce_sum(x)\n"
_ONE = b"import tensorflow as tf\n"

# Files that are rewritten.
REWRITTEN: dict[bytes, bytes] = {
    **dict.fromkeys(
        (b"good.py", b"sp ace [x].py", "\u00fcn\u00ef.py".encode(), b"-dash.py", b"new\nline.py"),
        PROGRAM,
    ),
    b"quote'\".py": PROGRAM,
    b"undecodable\xff.py": PROGRAM,
    b"latin.py": b'# -*- coding: latin-1 -*-\n%ss = "\xe9"\ny = tf.square(2.0)\n' % _ONE,
    b"mark.py": b"\xef\xbb\xbf" + PROGRAM,
    b"dos.py": PROGRAM.replace(b"\n", b"\r\n"),
    b"mac.py": PROGRAM.replace(b"\n", b"\r"),
    b"mixed.py": PROGRAM.replace(b"\n", b"\r\n", 2),
    b"form_feed.py": b"\x0c" + PROGRAM + b"\x0cy = tf.square(1.)\n",
    b"no_end.py": PROGRAM.rstrip(b"\n"),
    b"emoji.py": _ONE + 'x = "\U0001f600"; y = tf.square(1.)  # \U0001f600\n'.encode(),
    b"continued.py": _ONE + b"x = tf.\\\nsquare(1.)\n",
    b"long.py": _ONE + b"x = [" + b"tf.square(1.), " * 2000 + b"]\n",
    b"walrus.py": _ONE + b"if (y := tf.square(1.)):\n    pass\n",
}
# Files that are left as they are, and named.
REFUSED: dict[bytes, bytes] = {
    b"no_latin.py": b'%ss = "\xe9"\ny = tf.square(2.0)\n' % _ONE,
    b"null.py": PROGRAM + b"\x00",
    b"deep.py": _ONE + b"x = " + b"(" * 5000 + b"tf.square(1)" + b")" * 5000 + b"\n",
    b"deep_calls.py": _ONE + b"x = " + b"tf.square(" * 400 + b"1." + b")" * 400 + b"\n",
    b"cookie.py": b"# coding: klingon\n" + _ONE,
    b"python_2.py": _ONE + b"print tf.square(1)\n",
    b"tabs.py": _ONE + b"if 1:\n\tx = tf.square(1.)\n        y = 2\n",
}
# What is no file, and named if its name is one of a Python file.
NO_FILES = (b"pipe.py", b"broken_link.py")


def write(folder: pathlib.Path) -> dict[bytes, bytes]:
    """Write the tree; return what its files hold."""
    root = os.fsencode(folder)
    files = REWRITTEN | REFUSED | {b"empty.py": b""}
    for name, data in files.items():
        with open(os.path.join(root, name), "wb") as file:
            file.write(data)
    os.mkfifo(os.path.join(root, b"pipe.py"))
    os.mkdir(os.path.join(root, b"folder.py"))
    os.symlink(b"nowhere.py", os.path.join(root, b"broken_link.py"))
    os.symlink(b"good.py", os.path.join(root, b"link.py"))
    os.symlink(b".", os.path.join(root, b"loop"))
    os.link(os.path.join(root, b"good.py"), os.path.join(root, b"second_name.py"))
    return files


def read(folder: pathlib.Path, names) -> dict[bytes, bytes]:
    """Return what files hold."""
    return {
        n: pathlib.Path(os.fsdecode(os.path.join(os.fsencode(folder), n))).read_bytes()
        for n in names
    }
