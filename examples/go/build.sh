#!/usr/bin/env bash
# Builds perf-battle-go into a folder, by default this one. Go downloads the modules that go.sum pins.
set -euo pipefail
folder=$(realpath -m "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
go build -mod=readonly -buildvcs=false -trimpath -o "$folder/perf-battle-go" .
echo "$folder/perf-battle-go"
