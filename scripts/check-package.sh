#!/usr/bin/env bash
# Packs the package, installs it in an empty folder as a user would, and runs its command there.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

tarball=$(npm pack --silent --pack-destination "$folder")
tar -tzf "$folder/$tarball" | sort
# bufferutil is bundled with its binaries: npm runs no install scripts of bundled packages, so users get no warning about one.
if tar -tzf "$folder/$tarball" | grep -vE '^package/(package\.json|README\.md|LICENSE|CHANGELOG\.md|\.env\.example|(bin|src|infra|docs|node_modules/(bufferutil|node-gyp-build))/)'; then
  echo 'The package contains unexpected files (above).' >&2
  exit 1
fi

cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund "./$tarball" 2>&1 | tee install.log
if grep 'install scripts' install.log; then
  echo 'npm asks who installs the package to allow a script (above).' >&2
  exit 1
fi
npx perf-battle --version
npx perf-battle --help >/dev/null
npx perf-battle --quick --rounds 1 --payload 1kb,1000kb --duration 100ms
test "$(grep -c '| local' results.md)" -eq 12
npx perf-battle table --detail >/dev/null
# The page and the charts read their styles and their script from the package.
npx perf-battle report
npx perf-battle chart
