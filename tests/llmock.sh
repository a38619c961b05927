#!/bin/sh
# The model room and whole fixes against PyPI's llmock, which breaks its answers on demand and judges the client.
# Not a part of CI: it needs the network for the first run. Usage: tests/llmock.sh [VENV]
set -eu
cd "$(dirname "$0")/.."
venv=${1:-${TMPDIR:-/tmp}/mend-llmock}
[ -x "$venv/bin/llmock" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install -q 'llmock>=0.2,<0.3'; }
cargo build -q --example ask_model --bin mend
built=${CARGO_TARGET_DIR:-target}/debug
exec "$venv/bin/python" tests/tools/llmock_scenarios.py "$built/examples/ask_model" "$built/mend"
