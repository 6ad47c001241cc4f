#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What `make bench` prints: kernels, decode and prompt speed beside llama.cpp, offload modes behind links, forecasts, a
# large ledger, a library of many, their lists in the window, and the memory chart of an hour.
# Usage: run.sh BUILD [REFERENCE_VENV]. REFERENCE_PYTHON names a Python that has llama-cpp-python; else the
# venv's is taken, else python3, with which the engine's speed stands alone.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
python=${REFERENCE_PYTHON:-}
[ -n "$python" ] || { [ -n "${2:-}" ] && [ -x "$2/bin/python" ] && python=$2/bin/python; } || python=python3
model=${ASSAY_DEFAULT_MODEL:-${XDG_DATA_HOME:-$HOME/.local/share}/assay/models/SmolLM2-135M-Instruct.Q4_1.gguf}

ninja -C "$build" app/assay tests/bench/bench-chart tests/bench/bench-decode tests/bench/bench-forecast tests/bench/bench-kernels \
  tests/bench/bench-ledger tests/bench/bench-library tests/bench/bench-lists >/dev/null
"$build/tests/bench/bench-kernels"
echo
if [ -f "$model" ]; then
  "$python" "$here/bench-decode.py" "$build/tests/bench/bench-decode" "$model"
  echo
  "$build/app/assay" bench "$model"
  echo
  "$python" "$here/bench-offload.py" "$build/app/assay" "$model"
else
  echo "no model at $model: decode, prompt and offload were not measured"
fi
echo
"$build/tests/bench/bench-forecast"
echo
"$build/tests/bench/bench-ledger"
echo
"$build/tests/bench/bench-library"
echo
if command -v xvfb-run >/dev/null; then # drawn in software, as where nothing helps
  GSK_RENDERER=cairo GTK_A11Y=none xvfb-run -a -s '-screen 0 1280x800x24' "$build/tests/bench/bench-lists"
else
  echo "xvfb-run is not there: the window's lists were not measured"
fi
echo
"$build/tests/bench/bench-chart"
