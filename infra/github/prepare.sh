#!/usr/bin/env bash
# Installs what perf-battle needs at run time beside its own code, where the action was checked out, and the packages and programs that
# $INSTALL names. The folder of the user's repository is not touched.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

node -e '
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) process.exit();
  console.log(`::error::perf-battle needs Node.js 20.19 or later, and this is ${process.version}. Use actions/setup-node before it.`);
  process.exit(2);
'
if [ ! -e node_modules/.package-lock.json ]; then
  npm ci --omit=dev --no-audit --no-fund
fi
names=${INSTALL:-}
read -r -a names <<<"${names//$'\n'/ }"
if [ ${#names[@]} -gt 0 ]; then
  node bin/perf-battle.js install "${names[@]}"
fi
