#!/usr/bin/env bash
# Runs every fuzz target for a bounded time: scripts/fuzz.sh [seconds a target]. Needs cargo-fuzz and a C++ compiler.
# No sanitizer is used, because the code under test has no unsafe blocks; so stable Rust is enough.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-10}
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/fuzz"
cargo fuzz build --sanitizer none
for target in $(cargo fuzz list); do
    echo "fuzz: $target"
    log=$(mktemp)
    if ! cargo fuzz run --sanitizer none "$target" -- -max_total_time="$seconds" -max_len=4096 -rss_limit_mb=1024 -timeout=20 >"$log" 2>&1; then
        tail -n 40 "$log"
        exit 1
    fi
    tail -n 1 "$log"
done
