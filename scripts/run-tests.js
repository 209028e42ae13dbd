#!/usr/bin/env node
import {spawn} from 'node:child_process';
import {once, setMaxListeners} from 'node:events';
import {readdirSync, statSync} from 'node:fs';
import {join, relative} from 'node:path';
import {createInterface} from 'node:readline';
import {Readable} from 'node:stream';
import {run} from 'node:test';
import {dot, spec} from 'node:test/reporters';

/**
 * Runs the tests in two tiers. The first says within a minute whether they pass: unit tests, and some over loopback that need nothing but Node.js. The
 * second installs what the others need, and runs them beside a private RabbitMQ node. The words `unit` and `first` run less.
 *
 * Of the second tier, three files run at once. On two cores, five took longer, and more CPU time. Those that take long come first, so that none of them is
 * left alone at the end: the largest, and small ones that run large programs or wait for faults. `node --test` sorts its files by name, in whatever order they are given.
 *
 * A few files that fail beside others run again, alone: on a busy host, a program may get no CPU time for seconds. What fails alone is a failure. What
 * failed beside others is printed too.
 */
const root = join(import.meta.dirname, '..');
const integration = join(root, 'test/integration');
const takeLong = /\/(?:bench|torture|consumers|artemis|fan-out|requests|faults\/redis)\.test\.js$/;
/** A file that hangs fails. The longest takes some four minutes. */
const timeout = 900_000;
/** More than this number of files have another reason to fail. */
const mostAgain = 5;

const unit = ['unit-half-1.js', 'unit-half-2.js'].map((name) => join(root, 'test', name));
const overLoopback = ['transports/http-status', 'measure/bounds', 'files/given-file', 'cli/init'].map(
  (name) => join(integration, `${name}.test.js`),
);

const life = new AbortController();
// Each file listens.
setMaxListeners(0, life.signal);
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => life.abort());

const [only] = process.argv.slice(2);
if (only === 'unit') {
  process.env.TEST_EFFORT = 'quick';
  // Fewer collections of garbage.
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=64`.trim();
}

/** What the test runner says at its end, summed over the tiers. @type {Map<string, number>} */
const counts = new Map();
const reporter = only === 'unit' ? dot : new spec();
Readable.from(events())
  .compose(/** @type {any} */ (reporter))
  .pipe(process.stdout);

async function* events() {
  yield* tier(only === 'unit' ? unit : [...unit, ...overLoopback], 2);
  const passed = counts.get('pass') ?? 0;
  const failed = counts.get('fail') || 'files of';
  const verdict = process.exitCode ? `${failed} tests failed` : `all ${passed} tests passed`;
  const seconds = Math.round((counts.get('duration_ms') ?? 0) / 1000);
  process.stdout.write(`\nThe first tier: ${verdict}, in ${seconds} s.\n\n`);
  if (only === undefined && !life.signal.aborted) yield* secondTier();
  for (const [name, count] of counts)
    yield {type: 'test:diagnostic', data: {nesting: 0, message: `${name} ${count}`}};
}

async function* secondTier() {
  const install = spawn('bash', [join(root, 'scripts/install-for-tests.sh')], {stdio: 'inherit'});
  const [code] = await once(install, 'exit');
  if (code !== 0) {
    process.exitCode = 1;
    return;
  }
  const broker = await startBroker();
  // The runner starts each file with this program. Linux shares the CPU among sessions. In one session with all other files, compilers among them, a
  // broker that a file had started did not answer within 10 s.
  process.env.TEST_NODE = process.execPath;
  process.execPath = join(root, 'scripts/in-own-session.sh');
  try {
    const sizeOf = (/** @type {string} */ file) =>
      takeLong.test(file) ? Number.POSITIVE_INFINITY : statSync(file).size;
    const files = readdirSync(integration, {recursive: true, encoding: 'utf8'})
      .map((name) => join(integration, name))
      .filter((file) => file.endsWith('.test.js') && !overLoopback.includes(file))
      .toSorted((one, other) => (sizeOf(one) < sizeOf(other) ? 1 : -1));
    yield* withAnotherTry(tier(files, 3));
  } finally {
    await broker.release();
  }
}

/** Starts the node that test files share, in a session of its own. It ends with its standard input, and so with this process, however that ends. */
async function startBroker() {
  const holder = spawn(
    process.execPath,
    [join(root, 'scripts/with-broker.js'), 'sh', '-c', 'echo "$TEST_BROKER"; exec cat'],
    {detached: true, stdio: ['pipe', 'pipe', 'inherit']},
  );
  const ended = once(holder, 'exit');
  ended.catch(() => {});
  const [line] = await Promise.race([
    once(createInterface({input: holder.stdout}), 'line'),
    ended.then(() => Promise.reject(new Error('The RabbitMQ node of the tests did not start.'))),
  ]);
  process.env.TEST_BROKER = line;
  return {
    async release() {
      holder.stdin.end();
      await ended;
    },
  };
}

/** @typedef {{type: string, data: any}} Event of the test runner */

/** Runs the files of failed tests again, one after the other. @param {AsyncIterable<Event>} events */
async function* withAnotherTry(events) {
  const exitCode = process.exitCode ?? 0;
  const sum = new Map(counts);
  /** @type {Event[]} */
  const failures = [];
  for await (const event of events) {
    const isFailure = event.type === 'test:fail';
    if (isFailure) failures.push(event);
    yield isFailure ? {type: 'test:pass', data: {...event.data, skip: 'failed beside other files'}} : event;
  }
  const files = new Set(failures.map(({data}) => data.file));
  if (files.size === 0) return;
  if (files.size > mostAgain || files.has(undefined) || life.signal.aborted) return yield* failures;
  const own = failures.filter(({data}) => data.details.error.failureType !== 'subtestsFailed');
  const names = own.map(({data}) => data.name).join('; ');
  const paths = [...files].map((file) => relative(root, file)).join(' ');
  const message = `Failed beside other files: ${names}. Again, alone: ${paths}\n`;
  yield {type: 'test:stdout', data: {message}};
  process.exitCode = exitCode;
  const first = new Map(counts);
  yield* tier([...files], 1);
  // The counts of the first run, in which what failed has the outcome of the second.
  for (const name of ['fail', 'cancelled'])
    sum.set(name, countOf(sum, name) + countOf(counts, name) - countOf(first, name));
  for (const name of ['tests', 'suites', 'skipped', 'todo']) sum.set(name, countOf(first, name));
  sum.set('duration_ms', countOf(counts, 'duration_ms'));
  const others = ['fail', 'cancelled', 'skipped', 'todo'].map((name) => countOf(sum, name));
  sum.set(
    'pass',
    others.reduce((rest, count) => rest - count, countOf(sum, 'tests')),
  );
  for (const [name, count] of sum) counts.set(name, count);
}

/** @param {Map<string, number>} from @param {string} name */
function countOf(from, name) {
  return from.get(name) ?? 0;
}

/** @param {readonly string[]} files @param {number} concurrency @returns {AsyncGenerator<Event>} */
async function* tier(files, concurrency) {
  for await (const event of run({files: [...files], concurrency, timeout, signal: life.signal})) {
    if (event.type === 'test:fail') process.exitCode = 1;
    const summary = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/;
    const {message = '', nesting} = /** @type {{message?: string, nesting?: number}} */ (event.data);
    const [, name, count] =
      (event.type === 'test:diagnostic' && nesting === 0 && summary.exec(message)) || [];
    if (name === undefined) yield event;
    else counts.set(name, (counts.get(name) ?? 0) + Number(count));
  }
}
