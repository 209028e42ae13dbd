import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdir, mkdtemp, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = join(root, 'node_modules/.bin/tsc');

const program = `import {battle, type BattleSettings, type CellRecord, compare, InterruptedError, readRecords, UsageError} from 'perf-battle';

const settings: BattleSettings = {transport: 'websocket', payload: ['1kb'], deliveryMode: 2, quick: true};
const running = battle(settings, {SIGNAL});
for await (const event of running) if (event.type === 'trial-done') event.msPerMessage satisfies number;
const {cells, battle: context} = await running.catch((error: unknown) => {
  if (error instanceof UsageError) error.code satisfies string;
  if (error instanceof InterruptedError) error.exitCode satisfies number;
  throw error;
});
context.hosts.client.cores satisfies number;
const first: CellRecord = cells[0];
if (first.outcome === 'completed') first.throughput.messagesPerSecond satisfies number;
if (first.outcome === 'completed') first.rtt?.ci95Ms satisfies [number, number] | null | undefined;
if (first.outcome === 'failed') first.error.code satisfies string;
(await readRecords('results.ndjson', {onWarning: (text) => text.trim()})).map(({id}) => id) satisfies string[];
(await compare(cells, 'latest')).cells[0].result satisfies string;
const none = async (): Promise<never> => Promise.reject(new Error());
const lines = {apiVersion: 1, name: 'lines', label: 'Lines', capabilities: ['request'], client: none, server: none} as const;
await battle({transports: [lines], linesEncoding: 'hex', payload: '1kb'});
// @ts-expect-error Without transports, there is no such setting.
await battle({linesEncoding: 'hex'});
// @ts-expect-error A setting of perf-battle has its type also beside those of a transport.
await battle({transports: [lines], linesEncoding: 'hex', payload: {}});
// @ts-expect-error There is no such setting.
await battle({payloads: '1kb'});
// @ts-expect-error No signal is a number.
await battle({}, {signal: 1});
// @ts-expect-error A figure is not text.
if (first.outcome === 'completed') first.throughput.messagesPerSecond satisfies string;
// @ts-expect-error There is no such field.
if (first.outcome === 'completed') first.throughputs;
`;

describe('a program in TypeScript that checks its libraries', {timeout: 300_000}, () => {
  /** @type {string} */
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perf-battle-api-types-'));
    const packed = join(folder, 'node_modules/perf-battle');
    await mkdir(packed, {recursive: true});
    await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {cwd: root});
    const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
    await run('tar', ['-xzf', join(folder, tarball), '-C', packed, '--strip-components', '1']);
  });
  after(() => rm(folder, {recursive: true, force: true}));

  const withSignal = 'signal: AbortSignal.timeout(1000)';
  for (const {what, lib, signal} of [
    {what: 'without the types of Node.js', lib: ['es2023'], signal: 'signal: {aborted: false, reason: null}'},
    {what: 'for a browser', lib: ['es2023', 'dom'], signal: withSignal},
  ]) {
    it(`compiles against the packed package ${what}, alone`, async () => {
      await assertCompiles({lib, signal, types: []});
    });
  }

  it('compiles against the packed package with the types of Node.js', async () => {
    const typeRoots = [join(root, 'node_modules/@types')];
    await assertCompiles({
      lib: ['es2023'],
      signal: withSignal,
      types: ['node'],
      typeRoots,
      skipLibCheck: true,
    });
  });

  it('compiles against a checkout in which nothing was made', async () => {
    const paths = {'perf-battle': [join(root, 'types/index.d.ts')]};
    await assertCompiles({lib: ['es2023', 'dom'], signal: withSignal, types: [], paths});
  });

  /** @param {{lib: string[], signal: string, types: string[], typeRoots?: string[], skipLibCheck?: boolean, paths?: object}} how */
  async function assertCompiles({signal, ...how}) {
    await writeFile(join(folder, 'program.mts'), program.replace('SIGNAL', signal));
    const compilerOptions = {
      ...{strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false},
      ...{target: 'es2023', module: 'nodenext', ...how},
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({compilerOptions, files: ['program.mts']}));
    const said = await run(compiler, ['-p', folder, '--pretty', 'false']).catch(({stdout}) => ({stdout}));
    assert.equal(said.stdout, '');
  }
});
