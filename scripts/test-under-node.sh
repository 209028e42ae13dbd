#!/usr/bin/env bash
# Runs the unit tests and a quick battle under each version of Node.js that is supported beside the installed one. The npm
# package "node" has them; they are kept below node_modules/.cache. Other versions can be named as parameters.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -eq 0 ]; then set -- 22 24 26; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for version in "$@"; do
  place=node_modules/.cache/node-$version
  if ! [ -x "$place/node_modules/node/bin/node" ]; then
    mkdir -p "$place"
    # Its install script fetches the program for this platform.
    echo '{"private": true, "allowScripts": {"node": true}}' >"$place/package.json"
    npm install --prefix "$place" --no-save --no-package-lock --no-audit --no-fund "node@$version"
  fi
  PATH=$PWD/$place/node_modules/node/bin:$PATH
  export PATH
  case $(node --version) in
    "v$version."*) echo "== Node.js $(node --version)" ;;
    *) echo "test-under-node.sh: node@$version is $(node --version)" >&2 && exit 1 ;;
  esac
  npm run --silent test:unit
  (
    mkdir "$folder/$version" && cd "$folder/$version"
    node "$OLDPWD/bin/perf-battle.js" --quick --rounds 1 --payload 1kb --duration 200ms --transport tcp,http,websocket,rabbitmq,nats
    test "$(grep -c '| local' results.md)" -eq 7
  )
done
