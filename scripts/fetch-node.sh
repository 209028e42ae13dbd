#!/usr/bin/env bash
# Prints the folder of the program of a version of Node.js, such as 22. The npm package "node" has it; it is kept below node_modules/.cache.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$1
place=node_modules/.cache/node-$version
if ! [ -x "$place/node_modules/node/bin/node" ]; then
  mkdir -p "$place"
  # Its install script fetches the program for this platform.
  echo '{"private": true, "allowScripts": {"node": true}}' >"$place/package.json"
  npm install --prefix "$place" --no-save --no-package-lock --no-audit --no-fund "node@$version" >&2
fi
folder=$PWD/$place/node_modules/node/bin
case $("$folder/node" --version) in
  "v$version."*) echo "$folder" ;;
  *) echo "fetch-node.sh: node@$version is $("$folder/node" --version)" >&2 && exit 1 ;;
esac
