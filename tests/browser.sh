#!/bin/sh
# The pages in Debian's Chromium: pictures, keyboard, a run that goes on, axe-core (tests/tools/browser.mjs). A part of CI.
# Usage: tests/browser.sh [FOLDER FOR PICTURES]
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
folder=$target/axe-core-4.14.1
export MEND_SHOTS="${1:-$target/pictures}"
if ! [ -f "$folder/ready" ]; then
  mkdir -p "$folder"
  if ! npm install --silent --no-audit --no-fund --no-save --prefix "$folder" axe-core@4.14.1; then
    echo "##################################################################################" >&2
    echo "# NOT RUN: the pages in a real browser. npm's registry, or a mirror under its" >&2
    echo "# name, is not reached (tests/unavailable.toml: registries); nothing is known of it." >&2
    echo "##################################################################################" >&2
    grep -q '^\[registries\]' tests/unavailable.toml
    exit
  fi
  touch "$folder/ready"
fi
export MEND_AXE="$folder/node_modules/axe-core/axe.min.js"
# As tests/run builds them: else every crate is built once more.
exec cargo test -q --locked --features failure-points --test it -- --ignored --exact web::browser::pages_in_a_real_browser --nocapture
