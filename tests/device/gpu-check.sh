#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The CUDA engine on a real card: right, and how fast. Under six minutes, nothing is downloaded.
#
#   gpu-check.sh [--build DIR] [--model FILE] [--work DIR] [--log DIR]
#   gpu-check.sh --dry-run [--quick] …     what can be done without a card: the same commands, on the emulated one
#   gpu-check.sh --pack DIR [--build DIR]  the programs and the libraries they need, for a card whose machine cannot build
#   gpu-check.sh --programs DIR …          runs what --pack made
#
# --build   built here, for this card alone, where meson, ninja, nvcc and GLib are; /tmp/assay-gpu-check otherwise
# --model   a GGUF whose greedy text is held against the processor's; the default model where it is installed
# --work    where random models of up to 16 GB are written and removed again; TMPDIR or /tmp otherwise
# --log     the log of each part and the figures; $OUT, else ./gpu-check-log
# --quick   builds nothing, runs the smallest of everything
#
# Every part has a time it must end within; one that fails does not stop the others. Ends with 1 where a check failed, with
# 2 where nothing could be run. A table comes last.
set -u

here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
build=/tmp/assay-gpu-check
work=${TMPDIR:-/tmp}
log=${OUT:-./gpu-check-log}
model=${ASSAY_DEFAULT_MODEL:-${XDG_DATA_HOME:-$HOME/.local/share}/assay/models/SmolLM2-135M-Instruct.Q4_1.gguf}
programs='' pack='' dry='' quick=''

need () { [ "$1" -ge 2 ] || { echo "gpu-check: $2 needs a value" >&2; exit 2; }; }
while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) dry=yes ;;
    --quick) quick=yes ;;
    --build) need $# "$1"; build=$2; shift ;;
    --model) need $# "$1"; model=$2; shift ;;
    --work) need $# "$1"; work=$2; shift ;;
    --log) need $# "$1"; log=$2; shift ;;
    --pack) need $# "$1"; pack=$2; shift ;;
    --programs) need $# "$1"; programs=$2; shift ;;
    *) sed -n '3,18s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
  shift
done

kernel_tests='attention graph link matmul rows sample weights'
engine_tests='families formats placement plan trial'
tools='card-model card-speed card-text'

mkdir -p "$log" || exit 2
log=$(cd "$log" && pwd)
rm -f "$log"/*.log "$log"/*.figures
: >"$log/results" && : >"$log/table"
models=$(mktemp -d "$work/assay-gpu-check-XXXXXX") || exit 2
trap 'rm -rf "$models"' EXIT
trap 'exit 130' INT TERM
began=$(date +%s)
deadline=$((began + 345))
failed=''

# --- parts ---

result () { printf '%-34s %-12s %4s s\n' "$1" "$2" "$3" | tee -a "$log/results"; }
skip () { printf '%-34s skipped: %s\n' "$1" "$2" | tee -a "$log/results"; }
row () { echo "$*" >>"$log/table"; }

# part NAME SECONDS COMMAND…: its output in NAME.log; its exit status. One that ran into its time has failed.
part () {
  name=$1 most=$2
  shift 2
  start=$(date +%s)
  left=$((deadline - start))
  [ "$left" -ge "$most" ] || most=$left
  if [ "$most" -lt 3 ]; then
    skip "$name" "no time was left"
    return 125
  fi
  printf '$ %s\n' "$*" >"$log/$name.log"
  timeout -k 5 "$most" "$@" >>"$log/$name.log" 2>&1
  status=$?
  took=$(($(date +%s) - start))
  case $status in
    0) result "$name" ok "$took" ;;
    124 | 137) result "$name" "OUT OF TIME" "$took"; failed=yes ;;
    *) result "$name" FAILED "$took"; failed=yes; grep -E '^(not ok|Bail out|.*(ERROR|error):)' "$log/$name.log" | head -4 ;;
  esac
  return $status
}

# The path of a program that was built or packed; nothing where it was not.
program () {
  for folder in ${programs:+"$programs"} "$build/tests/device" "$build/tests/device/engine" "$build/kernels/cuda"; do
    if [ -x "$folder/$1" ]; then
      echo "$folder/$1"
      return 0
    fi
  done
  return 1
}

figure () { sed -n "s/^$2: //p" "$log/$1.log" 2>/dev/null | tail -1; }
free_kib () { df -Pk "$1" | awk 'NR == 2 { print $4 }'; }
memory_kib () { awk '/^MemAvailable/ { print $2 }' /proc/meminfo; }

# --- 0. building ---

targets () {
  for name in $kernel_tests; do echo "tests/device/test-gpu-$name"; done
  for name in $engine_tests; do echo "tests/device/engine/test-gpu-$name"; done
  for name in $tools; do echo "tests/device/engine/$name"; done
  echo tests/device/card-rates kernels/cuda/libassay-cuda.so
  [ -z "$dry" ] || echo tests/device/libassay-cuda.so
}

build_all () {
  for tool in meson ninja; do
    command -v $tool >/dev/null || { echo "gpu-check: $tool is missing: run gpu-check.sh --pack elsewhere" >&2; return 1; }
  done
  archs=native most=170
  # No card waits: it may take its time.
  if [ -n "$dry$pack" ]; then
    archs=90 most=3600
    deadline=$((deadline + most))
  fi
  [ -f "$build/build.ninja" ] \
    || part configure 60 meson setup "$build" "$source" -Dwindow=false -Dcuda=enabled "-Dgpu_archs=$archs" || return 1
  # shellcheck disable=SC2046 # a list of words
  part build "$most" ninja -C "$build" $(targets)
}

# What the programs load and another machine may lack; the C library and CUDA are that machine's own.
pack_libraries () {
  for each in "$1"/*; do [ -f "$each" ] && ldd "$each"; done | awk '$3 ~ /^\// { print $3 }' | sort -u \
    | grep -Ev '/(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|libcublas|libcublasLt|libcuda|libassay-cuda)\.so'
}

pack_all () {
  mkdir -p "$pack/lib" || return 1
  for target in $(targets); do
    strip -o "$pack/$(basename "$target")" "$build/$target" || return 1
  done
  pack_libraries "$pack" | while read -r library; do cp -L "$library" "$pack/lib/" || return 1; done
  du -sh "$pack"
}

# Checks of this script, then the programs.
prepare () {
  if [ -n "$dry" ]; then
    part syntax 10 sh -n "$0"
    if command -v shellcheck >/dev/null; then part shellcheck 30 shellcheck -S warning "$0"; fi
  fi
  [ -n "$programs$quick" ] || build_all || failed=yes
}

# The module that the programs find, and the libraries beside packed ones.
choose_module () {
  module=$build/kernels/cuda
  [ -z "$programs" ] || module=$programs
  [ -z "$dry" ] || module=$build/tests/device
  # program and emulated module each have their copy of the tables of formats
  [ -z "$dry" ] || export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_odr_violation=0"
  export ASSAY_MODULE_DIR="$module"
  export LD_LIBRARY_PATH="$module${programs:+:$programs/lib}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  export ASSAY_TEST_DATA="$source/tests/data" ASSAY_SOURCE_ROOT="$source"
  export G_TEST_SRCDIR="$source/tests" G_TEST_BUILDDIR="$build/tests"
}

# --- 1. right ---

# run_test NAME SECONDS
run_test () {
  if path=$(program "test-gpu-$1"); then
    part "test-$1" "$2" "$path" --tap
  else
    skip "test-$1" "test-gpu-$1 was not built"
  fi
}

check_tests () {
  for name in $kernel_tests; do
    # an emulated link of fifty orders and an emulated engine take minutes; `meson test` runs them
    case $dry$quick$name in
      yesyes* | yeslink | yesmatmul) skip "test-$name" "left out of this dry run" ;;
      *) run_test "$name" 40 ;;
    esac
  done
  for name in $engine_tests; do
    case $dry$quick$name in
      yesyes* | yesplacement | yesplan | yesformats) skip "test-$name" "left out of this dry run" ;;
      *) run_test "$name" 60 ;;
    esac
  done
}

# --- 2. compute-sanitizer ---

check_sanitizer () {
  sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
  for tool in memcheck racecheck; do
    for name in rows graph sample; do
      if [ -n "$dry" ] || [ ! -x "$sanitizer" ]; then
        skip "$tool-$name" "there is no compute-sanitizer, or no card"
      elif path=$(program "test-gpu-$name"); then
        part "$tool-$name" 15 "$sanitizer" --tool "$tool" --error-exitcode 9 "$path" --tap
        # some machines let no debugger at the card: that is no finding
        if grep -q 'Device not supported' "$log/$tool-$name.log"; then skip "$tool-$name" "refused by this machine"; fi
      fi
    done
  done
}

# --- 3. text ---

check_text () {
  n=48
  # an emulated card would take minutes for a real model
  if [ -n "$dry" ]; then
    n=3
    if make_model tiny F32 1; then model=$file; fi
  fi
  if [ ! -f "$model" ]; then
    skip text "no model at $model"
  elif path=$(program card-text); then
    part text 60 "$path" "$model" "$n" cuda:0
    grep 'tokens the same' "$log/text.log" | while read -r line; do row "text: $line"; done
  fi
}

# --- 4. figures ---

measure_rates () {
  if [ -n "$dry" ]; then
    skip rates "no card"
  elif path=$(program card-rates); then
    part rates 40 "$path"
  fi
  card=$(figure rates card)
  memory=$(figure rates memory_gb_s)
  tensor=$(figure rates bf16_tflop_s)
  link=$(figure rates link_gb_s)
}

# make_model SHAPE FORMAT GIGABYTES: in $file, or nothing
make_model () {
  file=$models/$1-$2.gguf
  [ ! -f "$file" ] || return 0
  kib=$(($3 * 1000000))
  if [ "$(free_kib "$models")" -lt "$kib" ] || [ "$(memory_kib)" -lt "$((kib * 2))" ]; then
    skip "model-$1-$2" "$3 GB of disk or twice that of memory are not free"
    return 1
  fi
  path=$(program card-model) && part "model-$1-$2" 60 "$path" "$file" "$1" "$2"
}

# speed NAME SECONDS FILE SETTING…: its figures are in NAME.log
speed () {
  name=$1 most=$2 at=$3
  shift 3
  path=$(program card-speed) || return 1
  part "$name" "$most" "$path" "$at" "$n_prompt" "$n_decode" device=cuda:0 "$@"
}

# A row of the first table.
speed_row () {
  awk -v label="$1" -v memory="${memory:-0}" -v tensor="${tensor:-0}" -v emulated="$dry" -F ': ' '
    { x[$1] = $2 }
    END {
      share = memory > 0 ? sprintf ("%5.1f %%", 100 * x["read_bytes"] / x["step_seconds"] / 1e9 / memory) : "-"
      peak = tensor > 0 ? sprintf ("%5.1f %%", 100 * 2 * x["layer_elements"] * x["prompt_tokens_s"] / 1e12 / tensor) : "-"
      decode = emulated ? "-" : sprintf ("%.1f", x["decode_tokens_s"])
      prompt = emulated ? "-" : sprintf ("%.0f", x["prompt_tokens_s"])
      printf "%-22s %9s %8s %9s %8s %9.3f %9.3f GB\n", label, decode, share, prompt, peak, x["peak_bytes"] / 1e9, x["plan_bytes"] / 1e9
    }' "$log/$2.log" >>"$log/table"
}

# A run whose peak is not the plan's within a hundredth is a failed check.
check_plan () {
  awk -F ': ' '{ x[$1] = $2 }
    END { off = x["peak_bytes"] / x["plan_bytes"] - 1; exit !(off < 0.01 && off > -0.01) }' "$log/$1.log" && return 0
  result "$1: peak is the plan's" FAILED 0
  failed=yes
}

# measure SHAPE FORMAT GIGABYTES LABEL SETTING…
measure () {
  shape=$1 format=$2 label=$4
  make_model "$1" "$2" "$3" || return 0
  shift 4
  name=speed-$(echo "$label" | tr ' ' '-')
  speed "$name" 45 "$file" "$@" || return 0
  check_plan "$name"
  speed_row "$label" "$name"
  if [ -z "$dry" ] && [ "$format" != BF16 ] && command -v llama-bench >/dev/null; then
    part "llama-bench-$shape-$format" 30 llama-bench -m "$file" -p 512 -n 64 -ngl 99
    tail -4 "$log/llama-bench-$shape-$format.log" >>"$log/table"
  fi
}

measure_speeds () {
  n_prompt=2048 n_decode=64
  row "model                   decode/s  of mem.  prompt/s of tensor     peak      plan"
  if [ -n "$dry" ]; then
    n_prompt=16 n_decode=3
    measure tiny BF16 1 'tiny bf16' compute_dtype=bfloat16
    measure tiny Q8_0 1 'tiny q8_0' compute_dtype=int8
    [ -n "$quick" ] || measure tiny Q4_K 1 'tiny q4_k' compute_dtype=int8
    [ -n "$quick" ] || measure tiny BF16 1 'tiny nf4' compute_dtype=bfloat16 quantization=nf4
    return 0
  fi
  measure 1b BF16 3 '1b bf16' compute_dtype=bfloat16
  measure 1b BF16 3 '1b bf16 chunk 1024' compute_dtype=bfloat16 chunk=1024
  measure 1b Q8_0 2 '1b q8_0' compute_dtype=int8
  measure 1b Q4_K 1 '1b q4_k' compute_dtype=int8
  measure 1b BF16 3 '1b nf4' compute_dtype=bfloat16 quantization=nf4
  measure thin BF16 1 'thin bf16' compute_dtype=bfloat16
  measure 8b Q8_0 9 '8b q8_0' compute_dtype=int8
  rm -f "$models/8b-Q8_0.gguf"
  measure 8b Q4_K 5 '8b q4_k' compute_dtype=int8
  rm -f "$models/8b-Q4_K.gguf"
  measure 8b BF16 17 '8b bf16' compute_dtype=bfloat16
}

# The largest that was measured, with its weights waiting on the host.
measure_offload () {
  n_prompt=256 n_decode=6
  settings=compute_dtype=bfloat16
  for shape in 8b 1b tiny; do
    [ ! -f "$models/$shape-BF16.gguf" ] || break
  done
  [ -f "$models/$shape-BF16.gguf" ] || return 0
  [ -z "$dry" ] || n_prompt=8 n_decode=3
  row ""
  row "$shape bf16, weights on the host    link GB/s  of pinned  hidden  slowdown    bound"
  speed offload-none 45 "$models/$shape-BF16.gguf" "$settings" offload_mode=none || return 0
  resident=$(figure offload-none step_seconds)
  for mode in sequential group model; do
    [ -z "$quick" ] || [ $mode = sequential ] || continue
    speed "offload-$mode" 45 "$models/$shape-BF16.gguf" "$settings" offload_mode=$mode || continue
    check_plan "offload-$mode"
    awk -v label="$mode" -v resident="$resident" -v link="${link:-0}" -v emulated="$dry" -F ': ' '
      { x[$1] = $2 }
      END {
        if (emulated || x["link_pass_bytes"] == 0) {
          printf "%-32s %10s %10s %7s %9s %8s\n", label, "-", "-", "-", "-", "-"
          exit
        }
        transfer = link > 0 ? x["link_pass_bytes"] / link / 1e9 : 0
        bound = (transfer > resident ? transfer : resident) / resident * 1.1
        share = link > 0 ? 100 * x["link_gb_s"] / link : 0
        printf "%-32s %10.2f %8.1f %% %5.1f %% %7.2f× %7.2f×\n", label, x["link_gb_s"], share,
               100 * x["link_hidden"], x["step_seconds"] / resident, bound
      }' "$log/offload-$mode.log" >>"$log/table"
  done
}

# NF4 is made while loading, by the processor: last, since eight billion weights may take all the time that is left.
measure_last () {
  [ -n "$dry" ] && return 0
  n_prompt=2048 n_decode=64
  [ ! -f "$models/8b-BF16.gguf" ] || measure 8b BF16 17 '8b nf4' compute_dtype=bfloat16 quantization=nf4
  thin=$(figure speed-thin-bf16 step_seconds) whole=$(figure speed-1b-bf16 step_seconds)
  if [ -n "$thin" ] && [ -n "$whole" ]; then
    row "launches: a step of a model as deep as 1b and as narrow as can be takes $(awk -v a="$thin" -v b="$whole" \
      'BEGIN { printf "%.1f %% of a step of 1b in bf16", 100 * a / b }') (an upper bound)"
  fi
}

# --- all of it ---

if [ -n "$dry" ]; then
  echo "gpu-check: a dry run, on an emulated card"
fi
prepare
if [ -n "$pack" ]; then
  pack_all
  exit $?
fi
choose_module
program card-speed >/dev/null || { echo "gpu-check: there are no programs to run; see $log/build.log" >&2; exit 2; }
if [ -z "$dry" ] && path=$(program card-rates) && ! "$path" >"$log/card.log" 2>&1; then
  cat "$log/card.log" >&2
  exit 2
fi
measure_rates
check_tests
check_text
measure_speeds
measure_offload
check_sanitizer
measure_last

echo
if [ -n "$dry" ]; then
  echo "emulated: no rates"
else
  echo "$card: memory $memory GB/s, bf16 product $tensor TFLOP/s, pinned link $link GB/s, measured now"
fi
cat "$log/table"
echo
echo "$(grep -c ' ok ' "$log/results") parts fine, $(grep -Ec 'FAILED|OUT OF TIME' "$log/results") failed, \
$(grep -c ' skipped: ' "$log/results") skipped, in $(($(date +%s) - began)) s; all of it in $log"
[ -z "$failed" ]
