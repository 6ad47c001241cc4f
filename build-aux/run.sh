#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Starts the built app from the build folder: the window, or without a display the sample experiment.
set -eu
build=$1
source=$(cd "$(dirname "$0")/.." && pwd)
export GSETTINGS_SCHEMA_DIR="$build/data" ASSAY_DATA_DIR="$source/data" ASSAY_MODULE_DIR="$build/kernels/cuda" ASSAY_LOCALE_DIR="$build/data/po"

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec "$build/app/assay"
fi

data=${XDG_DATA_HOME:-$HOME/.local/share}/assay
ledger=$data/ledgers/sample.ledger.xml
model=$data/models/SmolLM2-135M-Instruct.Q4_1.gguf
echo "run: no display here, so the sample experiment runs without a window"
if [ ! -f "$model" ]; then
  echo "run: the default model is missing; give a model file:" >&2
  echo "run:   $build/app/assay run --ledger FILE --questions basic-12 --set model_path=MODEL.gguf" >&2
  exit 3
fi
mkdir -p "$data/ledgers"
"$build/app/assay" run --ledger "$ledger" --questions basic-12 --set model_path="$model" --set max_tokens=64
echo
echo "run: the ledger is $ledger"
