#!/usr/bin/env bash
# Builds .venv with the newest interpreter from 3.13 down to 3.11 that really runs on this machine,
# and installs the project into it, editable, with TensorFlow and the tools.
set -euo pipefail
cd "$(dirname "$0")/.."

# A name on PATH proves nothing (version managers leave stubs that only print an error), so every
# candidate is executed: it must be the version it claims to be and be able to make environments.
runs() {
  "$1" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info[:2] != (3, int(sys.argv[1])))' \
    "$2" >/dev/null 2>&1
}

find_python() {
  local minor candidate
  for minor in 13 12 11; do
    for candidate in "python3.$minor" python3 python \
      "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor".*/bin/python; do
      if runs "$candidate" "$minor"; then
        echo "$candidate"
        return
      fi
    done
  done
  echo "setup: no Python 3.11, 3.12 or 3.13 that runs and has the venv module" >&2
  return 1
}

wanted() { cat pyproject.toml constraints.txt tools/setup.sh | cksum; }

if [ -f .venv/ready ] && [ "$(cat .venv/ready)" = "$(wanted)" ]; then
  touch .venv/ready # same content, newer file times: nothing to install
  exit 0
fi

if ! [ -x .venv/bin/python ] || ! .venv/bin/python -c '' 2>/dev/null; then
  python="$(find_python)"
  echo "setup: .venv with $("$python" --version)"
  rm -rf .venv
  "$python" -m venv .venv
fi
echo "setup: installing the project, TensorFlow and the tools (a few minutes the first time)"
.venv/bin/python -m pip install -qq --disable-pip-version-check \
  --constraint constraints.txt --editable '.[tensorflow,test]'
wanted >.venv/ready
echo "setup: done"
