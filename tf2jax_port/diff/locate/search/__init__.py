"""Search for the first operation of the port that is mended by injecting an original's value."""
