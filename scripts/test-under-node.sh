#!/usr/bin/env bash
# Runs a quick battle under each version of Node.js that is supported beside the installed one, and the unit tests under
# the first and the last. Other versions can be named as parameters. The last runs all transports, the others those of
# the default battle: the tests try each optional library under the installed version.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -eq 0 ]; then set -- 22 24 26; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

default=tcp,http,websocket,rabbitmq
all=tcp,http,websocket,rabbitmq,http2,grpc,sse,socketio,zeromq,unix,worker,amqp1,rabbitmq-stream,stomp,nats,jetstream,mqtt,redis,kafka
for version in "$@"; do
  if [ "$version" = "${!#}" ]; then transports=$all rows=27; else transports=$default rows=6; fi
  found=$(bash scripts/fetch-node.sh "$version")
  PATH=$found:$PATH
  export PATH
  echo "== Node.js $(node --version)"
  if [ "$version" = "$1" ] || [ "$version" = "${!#}" ]; then npm run --silent test:unit; fi
  (
    mkdir "$folder/$version" && cd "$folder/$version"
    node "$OLDPWD/bin/perf-battle.js" --rounds 1 --payload 1kb --duration 200ms --transport "$transports"
    test "$(grep -c '| local' results.md)" -eq $rows
    node "$OLDPWD/bin/perf-battle.js" --rounds 1 --workload recordset --rows 8 --rows-from memory,sqlite --window 1 \
      --delivery streamed --duration 200ms --transport http --http-server node --results sets.md
    test "$(grep -c 'from SQLite' sets.md)" -ge 1
  )
done
