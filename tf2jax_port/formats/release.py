"""Read the version of the installed package, and the address of its documentation."""

from __future__ import annotations

from importlib import metadata

PACKAGE = "tf2jax-port"


def release() -> str:
    """Return the version of the installed package."""
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:  # run from a folder, without an installation
        return "0.0.0"


def documentation() -> str:
    """Return the URL of the documentation from the package's metadata; `""` if there is none."""
    try:
        lines = metadata.metadata(PACKAGE).get_all("Project-URL") or ()
    except metadata.PackageNotFoundError:
        return ""
    for line in lines:
        label, _, address = line.partition(", ")
        if label.lower() == "documentation":
            return address.rstrip("/")
    return ""
