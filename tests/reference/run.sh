#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Regenerates every fixture that comes from another implementation and compares it with the committed one.
# Usage: run.sh VENV [AREA…]. The venv is made when it does not exist (several gigabytes: torch, transformers).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../data
venv=$1
shift
[ $# -gt 0 ] || set -- $(ls "$here"/*.py | xargs -n 1 basename -s .py)

sh "$here/../../build-aux/reference-venv.sh" "$venv" all

model=${XDG_DATA_HOME:-$HOME/.local/share}/assay/models/SmolLM2-135M-Instruct.Q4_1.gguf
export ASSAY_DEFAULT_MODEL="${ASSAY_DEFAULT_MODEL:-$model}"
[ -f "$ASSAY_DEFAULT_MODEL" ] || { echo "reference: the default model is missing: $ASSAY_DEFAULT_MODEL" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
status=0
for area in "$@"; do
  mkdir "$work/$area"
  echo "reference: $area"
  PYTHONHASHSEED=0 "$venv/bin/python" "$here/$area.py" "$work/$area"
  if ! diff -r -q "$work/$area" "$data/$area"; then
    echo "reference: the fixtures of $area differ from the committed ones" >&2
    status=1
  fi
done
[ $status -eq 0 ] && echo "reference: every fixture is as committed"
exit $status
