"""Run the command line: `python -m tf2jax_port` is `tf2jax-port`."""

from tf2jax_port.cli import main

if __name__ == "__main__":
    main()
