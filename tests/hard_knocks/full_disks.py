"""Write one version of a file, and another one while the disk takes no more than a few bytes."""

from __future__ import annotations

import pathlib
import resource
import sys

from tests.hard_knocks import kills

BYTES = 1000


def main() -> None:
    """Print how the second write ended: `python -m tests.hard_knocks.full_disks NAME PATH`."""
    write, _ = kills.WRITERS[sys.argv[1]]
    path = pathlib.Path(sys.argv[2])
    write(path, 1.0)
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(
        resource.RLIMIT_FSIZE, (BYTES, most)
    )  # Python turns the signal into an error
    try:
        write(path, 2.0)
    except Exception as error:  # noqa: BLE001 - goldens have an error of their own
        sys.stdout.write("refused" if "File too large" in str(error) else repr(error))
    else:
        sys.stdout.write("written")


if __name__ == "__main__":
    main()
