#!/usr/bin/env bash
# Builds perf-battle-rust into a folder, by default this one. cargo downloads the crates that Cargo.lock pins, and keeps what
# it compiled in CARGO_TARGET_DIR, by default the folder target beside this script.
set -euo pipefail
folder=$(realpath -m "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
CARGO_TARGET_DIR=$target cargo build --quiet --release --locked
mkdir -p "$folder"
cp "$target/release/perf-battle-rust" "$folder/perf-battle-rust"
echo "$folder/perf-battle-rust"
