# Each target is one line. `make demo` and `make test` are all that a visitor needs.
PY := .venv/bin/python
PYTHON ?= python3

.PHONY: setup demo test test-fast test-long bench lint types generate scorecard jax-scorecard python-on-sizes hard-knocks where parity-gpu check-gpu docs clean

setup: .venv/ready
.venv/ready: pyproject.toml constraints.txt tools/setup.sh
	@tools/setup.sh

demo: setup  ## scan, rewrite and compare a real TensorFlow program; writes build/demo/report.html
	@$(PY) -m tools.demo
test: setup  ## everything that a change must pass
	@$(PY) -m pytest -q -m "not long" -n auto --dist loadgroup
test-fast: setup  ## what to run between two edits
	@$(PY) -m pytest -q -x -m "not long" tests/meta tests/rewrite tests/specs tests/tracing tests/sizes tests/function tests/errors
test-long: setup  ## everything, the slow parts too
	@JAX_DISABLE_MOST_OPTIMIZATIONS=0 $(PY) -m pytest -q -m "" -n auto --dist loadgroup
bench: setup  ## ratios side by side; rewrites the table of docs/performance.md
	@$(PY) -m benchmarks
lint: setup types  ## style, format, types and the direction of imports
	@.venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/lint-imports --no-cache
types: setup
	@.venv/bin/mypy
generate: setup  ## facades, data files and pages from the table and the installed TensorFlow (two minutes)
	@$(PY) -m tools.generate
scorecard: setup  ## runs every lane's tests (half an hour) and writes docs/scorecard.md and .json
	@$(PY) -m tools.scorecard
jax-scorecard: setup  ## calls every function of JAX over selections (half an hour); writes docs/jax-scorecard.md and .json
	@$(PY) -m tools.jax_scorecard
hard-knocks: setup  ## damages files, kills writers, changes programs (ten minutes); writes docs/hard_knocks.md and .json
	@$(PY) -m tools.hard_knocks
python-on-sizes: setup  ## runs Python's operators over sizes (an hour); writes docs/python-on-sizes.md and .json
	@$(PY) -m tools.python_on_sizes
docs: setup  ## the site, in build/site/html
	@$(PY) -m tools.site
where: setup  ## where an operator's row, code, tests and pages are: make where NAME=tf.boolean_mask
	@$(PY) -m tools.where $(NAME)
parity-gpu:  ## operators on this machine's accelerator, against what TensorFlow gave; needs only $(PYTHON) with JAX
	@$(PYTHON) -m tf2jax_port.diff.parity tests/parity/operators.golden --json build/parity.json
check-gpu: parity-gpu  ## all checks of this machine's accelerator, and its table in docs/accelerators.md; needs only $(PYTHON) with JAX
	@$(PYTHON) -m tests.platform.accelerator_checks
	@$(PYTHON) -m benchmarks.accelerator --write
clean:
	rm -rf .venv build .pytest_cache .mypy_cache .ruff_cache
