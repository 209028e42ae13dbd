#!/usr/bin/env bash
# Runs the presets of the published benchmarks, shorter than the texts have them, into docs/evidence/documents/results.{md,ndjson.gz}. It takes some
# 20 minutes on two cores, 35 with all programs, with nothing beside it. `npm run generate` then makes docs/evidence/documents/comparisons.md.
# Programs that are not packages are added by variables:
#   ENDUROX=~/endurox/bin/perf-battle-endurox  (infra/endurox/build.sh) to those of Enduro/X; kernel queues must take messages of 53 KB,
#     and its folder must not be in a home: between two hosts, those are not seen
#   ENDUROX_SHM=~/endurox-shm/bin/perf-battle-endurox  (the same with --queues shared-memory)
#   SOCKETPRO=/tmp/socketpro  (the script of docs/evidence/systems.md, in a network namespace) to those of SocketPro
#   TASKS=~/tasks.exe  (examples/adapters/dotnet-rabbitmq) to socketpro-queue
set -euo pipefail
cd "$(dirname "$0")/.."

readonly RESULTS=docs/evidence/documents/results.md
readonly JOURNAL=docs/evidence/documents/results.ndjson

main() {
  local enduro=() enduro_pairs=() enduro_bridged=() enduro_stored=()
  local shared=() shared_pairs=() shared_bridged=() shared_stored=()
  if [ -n "${ENDUROX:-}" ]; then add_enduro enduro "$ENDUROX" 'Enduro/X' 'Enduro/X (bridge)' 'Enduro/X (FSYNC)'; fi
  if [ -n "${ENDUROX_SHM:-}" ]; then
    add_enduro shared "$ENDUROX_SHM" 'Enduro/X (shm)' 'Enduro/X (shm bridge)' 'Enduro/X (shm FSYNC)'
  fi
  local tasks=()
  if [ -n "${TASKS:-}" ]; then tasks=(--external "$(programs 'C# (Mono)' "mono $TASKS")" --broker-kind rabbitmq); fi
  local socketpro=()
  if [ -n "${SOCKETPRO:-}" ]; then socketpro=(--external "$(programs SocketPro "$SOCKETPRO")"); fi
  mkdir -p docs/evidence/documents
  if [ -f $JOURNAL.gz ]; then gunzip $JOURNAL.gz; fi
  run perf-battle-2016 --scale 0.02 --rounds 3
  run endurox-rpc --payload 1,1kb,4064 --scale 0.05 --warmup 2000 --rounds 3 "${enduro[@]}"
  run endurox-oneway --payload 1,1kb,4064 --scale 0.05 --warmup 2000 --rounds 3 "${enduro[@]}"
  run endurox-01 --payload 1,1kb,9kb,53kb --scale 0.02 --warmup 2000 --rounds 3 "${enduro[@]}" "${shared[@]}"
  # Two domains have more kernel queues than a user may have of 53 KB.
  run endurox-02 --payload 1,1kb,9kb --scale 0.02 --warmup 2000 --rounds 3 "${enduro_bridged[@]}"
  run endurox-02 --payload 53kb --scale 0.02 --warmup 2000 --rounds 3 "${shared_bridged[@]}"
  between 1gbit endurox-02 --transport tcp,websocket --payload 1,1kb,9kb --scale 0.02 --warmup 2000 --rounds 3 "${enduro_bridged[@]}"
  run endurox-03 --payload 1,1kb,9kb --scale 0.05 --warmup 2000 --rounds 3 "${enduro_pairs[@]}"
  run endurox-03 --payload 53kb --scale 0.02 --warmup 500 --rounds 3 "${shared_pairs[@]}"
  run endurox-04 --payload 1,1kb,9kb,53kb --scale 0.02 --warmup 2000 --rounds 3 "${enduro[@]}"
  # Its domain has more kernel queues than a user may have of 53 KB.
  run endurox-05 --payload 1,1kb,9kb --scale 0.2 --rounds 3 "${enduro_stored[@]}"
  run endurox-05 --payload 53kb --scale 0.2 --rounds 3 "${shared_stored[@]}"
  run endurox-06 --payload 1,1kb,9kb,53kb --scale 0.2 --rounds 3 --cache-in memory,lmdb "${enduro[@]}"
  run coralmq --scale 0.02 --rounds 3
  run socketpro-echo "${socketpro[@]}"
  between 1gbit socketpro-echo --scale 0.1
  between 1gbit socketpro-recordset --rows 8,504 --window 1 --scale 0.1
  run socketpro-recordset --rows 8,504 --scale 0.1 "${socketpro[@]}"
  run socketpro-queue --scale 0.2 "${socketpro[@]}"
  run socketpro-queue --rabbitmq-ack manual --rabbitmq-prefetch 1 --scale 0.05 --rounds 3 "${tasks[@]}"
  for rate in 100mbit 1gbit; do
    on_link "$rate" socketpro-queue --client-on near --broker-on far --scale 0.05 --rounds 3
  done
  gzip -9n $JOURNAL
}

# Sets the parameters of a program of Enduro/X, in each of its ways: VARIABLE PROGRAM NAME NAME-OF-BRIDGE NAME-OF-FSYNC.
add_enduro() {
  local -n plain=$1 pairs=${1}_pairs bridged=${1}_bridged stored=${1}_stored
  plain=(--external "$(programs "$3" "$2")")
  # shellcheck disable=SC2034 # these set the caller's
  pairs=(--external "$(programs "$3" "env ENDUROX_PAIRS=5 $2")")
  # shellcheck disable=SC2034
  bridged=(--external "$(programs "$4" "env ENDUROX_BRIDGE=1 $2")")
  # shellcheck disable=SC2034
  stored=("${plain[@]}" --external "$(programs "$5" "env NDRX_XA_FLAGS=FSYNC $2")")
}

programs() { echo "$1=$2 server,$2 client"; }

# Client and server on two hosts.
between() {
  on_link "$1" "$2" --client-on near --server-on far "${@:3}"
}

# The texts have machines with networks of 100 Mbit/s and 1 Gbit/s. Here two network namespaces have a link of that rate.
on_link() {
  local rate=$1 name
  case $rate in
    *mbit) name="${rate%mbit} Mbit/s" ;;
    *gbit) name="${rate%gbit} Gbit/s" ;;
  esac
  echo "$*" >&2
  node test/between-hosts.js "$rate" \
    node bin/perf-battle.js --quiet --results "$RESULTS" --environment "$name link" --preset "${@:2}"
}

run() {
  echo "$*" >&2
  node bin/perf-battle.js --quiet --results "$RESULTS" --preset "$@"
}

main
