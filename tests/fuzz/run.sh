#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzzes the readers of foreign files, guided by coverage, and speaks TAP. `run.sh SOURCE [SECONDS [FOLDER]]`: builds with
# clang in FOLDER (default: a scratch one that is removed), runs each target for SECONDS (default 15). A longer run:
# `tests/fuzz/run.sh . 86400 ~/fuzz`; its corpus stays in FOLDER.
set -u
source=$(cd "$1" && pwd)
seconds=${2:-15}
keep=${3:-}
unset MALLOC_CHECK_ MALLOC_PERTURB_ G_DEBUG G_SLICE

skip () { echo "1..0 # SKIP $1"; exit 0; }
command -v clang >/dev/null 2>&1 || skip "clang is not installed"
work=${keep:-$(mktemp -d)}
mkdir -p "$work/model" "$work/safetensors" "$work/ledger" "$work/found" || exit 1
[ -n "$keep" ] || trap 'rm -rf "$work"' EXIT
echo 'int LLVMFuzzerTestOneInput (const char *d, unsigned long n) { return d && n == 7 ? 0 : 0; }' >"$work/probe.c"
clang -fsanitize=fuzzer,address,undefined "$work/probe.c" -o "$work/probe" 2>/dev/null || skip "clang has no fuzzer runtime here"

echo "TAP version 13"
echo "1..3"
build=$work/build
build_targets () {
  { [ -f "$build/build.ninja" ] || CC=clang meson setup "$build" "$source" -Dfuzz=true -Dcuda=disabled -Doptimization=1 -Ddebug=true \
    -Db_sanitize=address,undefined -Db_lundef=false -Dc_args='-fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined'; } \
  && ninja -C "$build" tests/fuzz/fuzz-model tests/fuzz/fuzz-safetensors tests/fuzz/fuzz-ledger tests/fuzz/fuzz-seeds
}
build_targets >"$work/build.log" 2>&1 || {
  tail -30 "$work/build.log" | sed 's/^/# /'
  echo "not ok 1 - the model target builds"
  echo "not ok 2 - the safetensors target builds"
  echo "not ok 3 - the ledger target builds"
  exit 1
}
"$build/tests/fuzz/fuzz-seeds" "$work/model" || exit 1
seed () { # NAME FOLDER; the weights from standard input
  { cat; for text in config.json tokenizer.json tokenizer_config.json; do
      printf '\n----\n'
      [ -f "$2/$text" ] && cat "$2/$text"
    done; printf '\n----\n{"weight_map":{"a":"b.safetensors"}}'; } >"$work/safetensors/$1"
}
for folder in "$source"/tests/data/families/*/; do
  weights=$folder/model.safetensors
  length=$(od -An -tu8 -N8 "$weights" | tr -d ' ')
  tail -c +9 "$weights" | head -c "$length" | seed "$(basename "$folder")" "$folder"
done
for name in phi3-fp4 phi3-nf4-double phi3-int8; do # as they are: what the matrices' states say is read too
  seed "bnb-$name" "$source/tests/data/bnb-folder/$name" <"$source/tests/data/bnb-folder/$name/model.safetensors"
done
printf '\066\0\0\0\0\0\0\0{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}1234' | seed whole "$folder"
find "$source/data" "$source/tests/data" -name '*.ledger.xml' -size -64k -exec cp {} "$work/ledger" \; 2>/dev/null

number=0
status=0
fuzz () { # NAME DICTIONARY LONGEST
  number=$((number + 1))
  ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 \
  "$build/tests/fuzz/fuzz-$1" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 -max_len="$3" -dict="$source/tests/fuzz/$2" \
    -artifact_prefix="$work/found/$1-" -print_final_stats=1 "$work/$1" >"$work/$1.log" 2>&1
  if [ $? -eq 0 ]; then
    grep -E 'Seed:|number_of_executed_units|peak_rss' "$work/$1.log" | sed 's/^/# /'
    echo "ok $number - $1 files: no crash, hang, leak or report in $seconds seconds"
    return
  fi
  status=1
  tail -60 "$work/$1.log" | sed 's/^/# /'
  for file in "$work/found/$1-"*; do
    [ -f "$file" ] && echo "# input, in base64: $(base64 -w 0 "$file" | cut -c 1-4000)"
  done
  echo "not ok $number - $1 files"
}
fuzz model gguf.dict 32768
fuzz safetensors json.dict 40960
fuzz ledger xml.dict 16384
exit $status
