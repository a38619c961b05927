#!/bin/sh
# mend's whole way (label, pull request, review, follow-up, stop) on npm's `emulate`, a stateful GitHub that somebody
# else wrote: tests/tools/emulate_flow.mjs. A part of CI. Usage: tests/emulate.sh [FOLDER]
set -eu
cd "$(dirname "$0")/.."
folder=${1:-${CARGO_TARGET_DIR:-target}/emulate-0.11.2}
if ! [ -f "$folder/ready" ]; then
  mkdir -p "$folder"
  # emulate needs Node.js 20; where the system's is older, npm has one.
  node=
  [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" = true ] || node=node@20
  # shellcheck disable=SC2086 # `$node` is one word or none
  if ! npm install --silent --no-audit --no-fund --no-save --prefix "$folder" emulate@0.11.2 $node; then
    echo "##################################################################################" >&2
    echo "# NOT RUN: the way of a task on emulate. npm's registry, or a mirror under its" >&2
    echo "# name, is not reached (tests/unavailable.toml: registries); nothing is known of it." >&2
    echo "##################################################################################" >&2
    grep -q '^\[registries\]' tests/unavailable.toml
    exit
  fi
  touch "$folder/ready"
fi
node=node
[ -x "$folder/node_modules/node/bin/node" ] && node=$folder/node_modules/node/bin/node
# As tests/run builds them: else every crate is built once more.
cargo test -q --locked --features failure-points --no-run --test it
exec "$node" tests/tools/emulate_flow.mjs "${CARGO_TARGET_DIR:-target}/debug/mend" "$folder"
