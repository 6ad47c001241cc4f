#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds and runs every test, plainly and again under address and undefined sanitizers, and ends in one line:
# N passed, N failed, N skipped.
set -u
source=$(cd "$(dirname "$0")/.." && pwd)
plain=$source/build
sanitized=$source/build-sanitized
cd "$source" || exit 1

# A folder that `make run` configured does not know the tools that the tests brought.
configure () {
  folder=$1; shift
  again=
  [ -f "$folder/build.ninja" ] && again=--reconfigure
  meson setup $again "$folder" "$source" "$@" >"$folder.log" 2>&1 || { cat "$folder.log"; exit 1; }
  rm -f "$folder.log"
}
configure "$plain"
configure "$sanitized" -Db_sanitize=address,undefined -Db_lundef=false -Dcuda=disabled
ninja -C "$plain" && ninja -C "$sanitized" || { echo "check: the build failed" >&2; echo "0 passed, 1 failed, 0 skipped"; exit 1; }

rm -f "$plain"/meson-logs/testlog.junit.xml "$sanitized"/meson-logs/testlog.junit.xml
meson test -C "$plain" --no-rebuild --print-errorlogs
plain_status=$?
# Tests that inject faults by tracing, plant faults, drive a window, fuzz or load the full model many times run plainly
# only.
ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:allocator_may_return_null=1 \
UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
LSAN_OPTIONS=suppressions=$source/tests/lsan.supp:print_suppressions=0 \
  meson test -C "$sanitized" --no-rebuild --print-errorlogs --timeout-multiplier 6 \
  --no-suite ui --no-suite store --no-suite fuzz --no-suite house --no-suite model --no-suite mutation
sanitized_status=$?

python3 "$source/build-aux/count-tests.py" "$plain" "$sanitized"
counted=$?
[ $plain_status -eq 0 ] && [ $sanitized_status -eq 0 ] && [ $counted -eq 0 ]
