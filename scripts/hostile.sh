#!/usr/bin/env bash
# Runs truename against what nobody should send it: scripts/hostile.sh [SECONDS]. Each part in scripts/hostile prints `ok` or
# `FAIL` a check; floods of a server last SECONDS each (default 5). The binary is $TRUENAME, or the release build.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
TRUENAME=$(realpath "${TRUENAME:-$target/release/truename}")
export TRUENAME
failed=()
for part in scripts/hostile/*.py; do
    echo "-- $(basename "$part" .py)"
    arguments=()
    [ "$part" != scripts/hostile/server.py ] || arguments=("${1:-5}")
    python3 "$part" "${arguments[@]}" || failed+=("$part")
done
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}" >&2; exit 1; }
