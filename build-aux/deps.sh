#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the Debian packages that are missing: `deps.sh run` what building and running need, `deps.sh check` what the
# tests need besides. Does nothing when all are there; says which are missing when they cannot be had.
set -eu

run_packages="gcc g++ make meson ninja-build pkg-config gettext libgtk-4-dev libadwaita-1-dev libxml2-dev libjson-glib-dev
  libxxhash-dev libglib2.0-bin python3 python3-pip adwaita-icon-theme shared-mime-info desktop-file-utils"
check_packages="libxml2-utils xvfb xauth xdotool openbox dbus at-spi2-core python3-pyatspi gir1.2-atspi-2.0 imagemagick
  fonts-noto-cjk fonts-cantarell appstream strace clang libclang-rt-dev locales poppler-utils procps"

packages=$run_packages
[ "${1:-run}" = check ] && packages="$run_packages $check_packages"
# Written by other folders' needs, one package a line.
extra=$(dirname "$0")/deps.extra
[ -f "$extra" ] && packages="$packages $(grep -v '^#' "$extra" | tr '\n' ' ')"

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "deps: this is not a Debian system; the packages' names there are: $packages" >&2
  command -v meson >/dev/null 2>&1 && exit 0
  exit 1
fi

missing=
for p in $packages; do
  dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
[ -z "$missing" ] && exit 0

echo "deps: installing$missing"
as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "deps: these packages are missing and need root (no sudo here):$missing" >&2
    exit 1
  fi
  as_root=sudo
fi
export DEBIAN_FRONTEND=noninteractive
install_packages () { $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; }
{ $as_root apt-get update && install_packages; } >/tmp/assay-deps.$$ 2>&1 || {
  tail -5 /tmp/assay-deps.$$ >&2
  rm -f /tmp/assay-deps.$$
  echo "deps: the package registry could not deliver; still missing:$missing" >&2
  exit 1
}
rm -f /tmp/assay-deps.$$
