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
 * failed beside others is printed too: a defect that only a busy host shows may be among it.
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

/** Summed over the tiers. */
const counts = noCounts();
const namesOfCounts = /** @type {(keyof typeof counts)[]} */ (Object.keys(counts));
const reporter = only === 'unit' ? dot : new spec();
Readable.from(events())
  .compose(/** @type {any} */ (reporter))
  .pipe(process.stdout);

async function* events() {
  yield* tier(only === 'unit' ? unit : [...unit, ...overLoopback], 2, counts);
  const passed = counts.pass;
  const failed = counts.fail || 'files of';
  const verdict = process.exitCode ? `${failed} tests failed` : `all ${passed} tests passed`;
  const seconds = Math.round(counts.duration_ms / 1000);
  process.stdout.write(`\nThe first tier: ${verdict}, in ${seconds} s.\n\n`);
  if (only === undefined && !life.signal.aborted) yield* secondTier();
  for (const name of namesOfCounts)
    yield {type: 'test:diagnostic', data: {nesting: 0, message: `${name} ${counts[name]}`}};
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
    yield* withAnotherTry(files);
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

/** Runs files beside each other, and a few that fail again, one after the other. @param {readonly string[]} files */
async function* withAnotherTry(files) {
  const {exitCode} = process;
  const [first, again] = [noCounts(), noCounts()];
  /** @type {Event[]} */
  const failures = [];
  for await (const event of tier(files, 3, first)) {
    const isFailure = event.type === 'test:fail';
    if (isFailure) failures.push(event);
    yield isFailure ? {type: 'test:pass', data: {...event.data, skip: 'failed beside other files'}} : event;
  }
  const failed = new Set(failures.map(({data}) => data.file));
  const isFinal = failed.size === 0 || failed.size > mostAgain || failed.has(undefined);
  if (isFinal || life.signal.aborted) {
    count(first);
    return yield* failures;
  }
  const own = failures.filter(({data}) => data.details.error.failureType !== 'subtestsFailed');
  const names = own.map(({data}) => data.name).join('; ');
  const paths = [...failed].map((file) => relative(root, file)).join(' ');
  const message = `Failed beside other files: ${names}. Again, alone: ${paths}\n`;
  yield {type: 'test:stdout', data: {message}};
  process.exitCode = exitCode;
  yield* tier([...failed], 1, again);
  // What failed has the outcome of the second run.
  const {fail, cancelled} = again;
  const pass = first.pass + first.fail + first.cancelled - fail - cancelled;
  count({...first, pass, fail, cancelled, duration_ms: first.duration_ms + again.duration_ms});
}

/** What the test runner says at its end. */
function noCounts() {
  return {tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0, duration_ms: 0};
}

/** @param {ReturnType<typeof noCounts>} more */
function count(more) {
  for (const name of namesOfCounts) counts[name] += more[name];
}

/**
 * @param {readonly string[]} files @param {number} concurrency @param {ReturnType<typeof noCounts>} into is added to
 * @returns {AsyncGenerator<Event>}
 */
async function* tier(files, concurrency, into) {
  for await (const event of run({files: [...files], concurrency, timeout, signal: life.signal})) {
    if (event.type === 'test:fail') process.exitCode = 1;
    const {message = '', nesting} = /** @type {{message?: string, nesting?: number}} */ (event.data);
    const [, said, value] = /^(\w+) ([\d.]+)$/.exec(message) ?? [];
    const name = namesOfCounts.find((one) => one === said);
    if (event.type === 'test:diagnostic' && nesting === 0 && name) into[name] += Number(value);
    else yield event;
  }
}
