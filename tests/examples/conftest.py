"""The programs switch to TensorFlow 1; each test leaves the process as it was."""

from tests.v1.conftest import version_1 as version_1
