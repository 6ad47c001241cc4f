#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the virtual environment of other implementations: `reference-venv.sh VENV bench` holds llama.cpp only,
# `reference-venv.sh VENV all` what the fixtures need (several gigabytes: torch, transformers).
set -eu
venv=$1
requirements=$(cd "$(dirname "$0")/../tests/reference" && pwd)/requirements.txt
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" || {
  echo "reference: python3 cannot make virtual environments; install python3-venv" >&2
  exit 1
}
if [ "$2" = bench ]; then
  "$venv/bin/python" -c 'import llama_cpp' 2>/dev/null && exit 0
  echo "reference: installing llama-cpp-python into $venv (it is compiled: some minutes)"
  grep -E '^(llama-cpp-python|numpy)==' "$requirements" > "$venv/bench.txt"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$venv/bench.txt"
else
  "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
fi
