#!/usr/bin/env bash
# Packs the package, installs it in an empty folder as a user would, and runs its command there.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly ROOT=$PWD

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

tarball=$(npm pack --silent --pack-destination "$folder")
# bufferutil is bundled with its binaries: npm runs no install scripts of bundled packages, so users get no warning about one.
# ws is bundled beside it, because npm would place ws higher up in a local installation, where ws does not find bufferutil.
if tar -tzf "$folder/$tarball" | grep -vE '^package/(package\.json|README\.md|LICENSE|CHANGELOG\.md|CONTRIBUTING\.md|results\.md|action\.yml|\.env\.example|(bin|src|types|infra|examples|docs|node_modules/(bufferutil|node-gyp-build|ws))/)'; then
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
# What the default battle needs, and perf-battle itself, in MB.
test "$(du -sm --apparent-size node_modules | cut -f1)" -lt 30
npx perf-battle --help >/dev/null
# Its pages are part of the package.
npx perf-battle help how-it-measures | grep '^# '
npx perf-battle help accuracy | grep '^# '
npx perf-battle --rounds 1 --payload 1kb,1000kb --duration 100ms
test "$(grep -c '| local' results.md)" -eq 12
if grep 'masked in JavaScript' results.md; then
  echo 'The installed ws does not find the bundled bufferutil (above).' >&2
  exit 1
fi
npx perf-battle table --detail >/dev/null
# The page and the charts read their styles and their script from the package.
npx perf-battle report
npx perf-battle chart

# A transport that is not part of the package, in a folder of its own.
npx perf-battle init transport lines
npx perf-battle --transport ./lines --rounds 1 --payload 1kb --samples 100 --results lines.md
test "$(grep -c '| Lines' lines.md)" -eq 1
npx perf-battle check-transport ./lines
cat >lines.test.mjs <<'CODE'
import {conformance} from 'perf-battle/testing';
import lines from './lines/index.js';

conformance(lines, {linesEncoding: 'hex'});
CODE
node --test lines.test.mjs
(cd lines && npm test)

# One that brings its kind of broker.
cp -r "$ROOT/examples/transports/relay" .
(cd relay && npm test)

# What is no dependency is named, fetched into the cache, and found there.
export XDG_CACHE_HOME="$folder/cache"
code=0
npx perf-battle --transport nats --rounds 1 --payload 1kb --samples 100 --quiet --results missing.md 2>missing.log || code=$?
test "$code" -eq 3
grep -q 'Install it with: npx perf-battle install nats' missing.log
npx perf-battle install nats
npx perf-battle --transport nats --broker private --rounds 1 --payload 1kb --samples 100 --results nats.md
test "$(grep -c '| NATS' nats.md)" -eq 1

# Other programs import the package; its types refuse what it does not have.
cat >program.mts <<'CODE'
import {battle, type BattleSettings, type CellRecord, compare, readRecords} from 'perf-battle';
import {conformance} from 'perf-battle/testing';
import {defineTransport, oneOf, option} from 'perf-battle/transport';

const settings: BattleSettings = {transport: 'websocket', payload: ['1kb'], deliveryMode: 2, quick: true};
const running = battle(settings, {signal: AbortSignal.timeout(1000)});
for await (const event of running) if (event.type === 'trial-done') event.msPerMessage satisfies number;
const {cells} = await running;
const ended = {closed: Promise.resolve(), close: async () => {}};
const lines = defineTransport({
  apiVersion: 1,
  name: 'lines',
  label: 'Lines',
  capabilities: ['request'],
  options: [option('lines-case', {type: oneOf(['upper', 'lower']), default: 'lower', help: 'Case.', group: 'Lines'})],
  server: async () => ({serve: async () => ({address: null, ...ended})}),
  client: async () => ({connect: async () => ({request: async (payload) => payload, ...ended})}),
});
lines.name satisfies string;
conformance(lines);
// @ts-expect-error A transport has a label.
defineTransport({...lines, label: undefined});
const first: CellRecord = cells[0];
if (first.outcome === 'completed') first.throughput.messagesPerSecond satisfies number;
(await readRecords()).map(({id}) => id) satisfies string[];
(await compare(cells, 'latest')).cells[0].result satisfies string;
// @ts-expect-error There is no such setting.
await battle({payloads: '1kb'});
// @ts-expect-error A figure is not text.
if (first.outcome === 'completed') first.throughput.messagesPerSecond satisfies string;
CODE
"$ROOT/node_modules/.bin/tsc" --noEmit --strict --target es2023 --module nodenext --types node \
  --typeRoots "$ROOT/node_modules/@types" program.mts
# The types need no other package, and a browser's libraries do as well.
"$ROOT/node_modules/.bin/tsc" --noEmit --strict --target es2023 --module nodenext --types '' --lib es2023,dom \
  --skipLibCheck false program.mts
node --input-type=module --eval "
  import {readRecords} from 'perf-battle';
  if ((await readRecords()).length !== 12) throw new Error('The journal has other records.');
"

# npm links the manual page of a global installation only if package.json lists it in an array.
npm install --global --prefix "$folder/global" --omit=optional --no-audit --no-fund "./$tarball"
test -f "$folder/global/share/man/man1/perf-battle.1"
