"""A lane's program that does not notice that nobody waits for it."""

from __future__ import annotations

if __name__ == "__main__":
    while True:
        pass
