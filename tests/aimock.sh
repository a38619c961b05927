#!/bin/sh
# Whole runs of `mend fix` in all three wire formats against npm's @copilotkit/aimock, a model endpoint that somebody
# else wrote. Not a part of CI: it needs the network for the first run. Usage: tests/aimock.sh [FOLDER]
set -eu
cd "$(dirname "$0")/.."
folder=${1:-${TMPDIR:-/tmp}/mend-aimock}
[ -d "$folder/node_modules/@copilotkit/aimock" ] || npm install --silent --no-save --prefix "$folder" '@copilotkit/aimock@^1.43.0'
cargo build -q --bin mend
exec node tests/tools/aimock_runs.mjs "${CARGO_TARGET_DIR:-target}/debug/mend" "$folder"
