# SPDX-License-Identifier: GPL-3.0-or-later
# Thin: what to do is in meson.build and build-aux/.
BUILD ?= $(CURDIR)/build
PREFIX ?= /usr/local
REFERENCE_VENV ?= $(CURDIR)/.venv-reference

.PHONY: build run check deps bench install reference screenshots clean

build: deps
	@test -f "$(BUILD)/build.ninja" || meson setup "$(BUILD)" "$(CURDIR)" --prefix "$(PREFIX)"
	@ninja -C "$(BUILD)" $(NINJAFLAGS)

deps:
	@sh build-aux/deps.sh run

run: build
	@sh build-aux/fetch-model.sh
	@sh build-aux/run.sh "$(BUILD)"

check:
	@sh build-aux/deps.sh check
	@sh build-aux/fetch-model.sh
	@sh build-aux/check.sh

# Speed beside llama.cpp on the same file, threads and run; figures for ledgers of thousands of runs.
bench: build
	@sh build-aux/fetch-model.sh
	@test -n "$(REFERENCE_PYTHON)" || sh build-aux/reference-venv.sh "$(REFERENCE_VENV)" bench || echo "bench: no llama.cpp beside"
	@sh tests/bench/run.sh "$(BUILD)" "$(REFERENCE_VENV)"

# Regenerates the fixtures that come from other implementations, and fails if they differ from the committed ones.
reference:
	@sh build-aux/fetch-model.sh
	@sh tests/reference/run.sh "$(REFERENCE_VENV)"

# Pictures of every view and state, with an index.
screenshots: build
	@sh build-aux/deps.sh check
	@sh build-aux/fetch-model.sh
	@/usr/bin/python3 tests/ui/screenshots.py "$(BUILD)/app/assay" "$(BUILD)/screenshots"

install: build
	@meson install -C "$(BUILD)" --no-rebuild

clean:
	rm -rf "$(BUILD)" build-sanitized
