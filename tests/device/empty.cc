/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/empty.cc: the module is made of archives; meson wants one source. */
