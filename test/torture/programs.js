import {readFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {randomSource} from '../../src/payload/random.js';
import {Workplace} from '../integration/support/workplace.js';
import {startGrantingBroker} from './hostile-brokers.js';
import {impossibleIn} from './impossible.js';
import {samples} from './lies.js';
import {combine, lying, mustFail, shortForm} from './program-pairs.js';

/**
 * @import {Ended} from '../integration/support/program.js'
 * @import {Part, Torture} from './part.js'
 * @import {Pair, Pick} from './program-pairs.js'
 */

const program = fileURLToPath(new URL('../integration/adapters/faulty.js', import.meta.url));
const longPairs = 60;
const maxMebibytes = 300;
/** Each answer has 10 s, and a busy host more. */
const endsWithinMs = 120_000;
const password = 's3cret/mine';
/** What a terminal acts on. */
const unsafe = /[\p{Bidi_Control}\u2028\u2029]|[^\P{Cc}\n\r\t]/u;

/**
 * Programs of --external that lie, flood, leave children, or tell the password of their broker.
 * @type {Part}
 */
export const programs = {
  name: 'programs',
  summary: `${longPairs} pairs of programs that lie, flood, leave children or tell a password: is any of it stored, shown or left?`,
  run: runAll,
};

/** @param {Torture} torture */
async function runAll({isLong, seed, count = longPairs, log}) {
  const random = randomSource(seed, 'programs');
  /** @type {Pick} */
  const pick = (from) => from[Math.floor(random() * from.length)];
  const pairs = isLong ? Array.from({length: count}, (_, index) => combine(index, pick)) : shortForm(pick);
  const counts = {
    pairs: 0,
    liars: 0,
    'with a password': 0,
    'cells that failed': 0,
    'largest memory in MB': 0,
  };
  /** @type {string[]} */
  const failures = [];
  const waiting = pairs.values();
  const worker = async () => {
    for (const pair of waiting) {
      const {hasFailed, peakMebibytes, faults} = await run(pair);
      counts.pairs += 1;
      counts.liars += Number(pair.lie !== null);
      counts['with a password'] += Number(pair.hasBroker);
      counts['cells that failed'] += Number(hasFailed);
      counts['largest memory in MB'] = Math.max(counts['largest memory in MB'], peakMebibytes);
      const name = JSON.stringify(pair).slice(0, 300);
      failures.push(...faults.map((fault) => `${name}: ${fault}`));
      log(`${counts.pairs} of ${pairs.length}: ${name} ${faults.join(', ')}`);
    }
  };
  await Promise.all([worker(), worker()]);
  return {counts, failures};
}

/** @param {Pair} pair */
async function run(pair) {
  const workplace = await Workplace.make();
  const broker = pair.hasBroker ? await startGrantingBroker() : null;
  const over = new AbortController();
  try {
    const peak = watchMemory(workplace, over.signal);
    const battle = workplace.start(
      'battle',
      wordsFor(pair, workplace, broker?.port),
      {},
      {patienceMs: endsWithinMs},
    );
    const ended = await battle.ended;
    over.abort();
    const peakMebibytes = await peak;
    const hasFailed = (await cellOf(workplace))?.outcome === 'failed';
    const faults = await judge(pair, workplace, ended);
    if (peakMebibytes >= maxMebibytes) faults.push(`took ${peakMebibytes} MB`);
    return {hasFailed, peakMebibytes, faults};
  } catch (error) {
    return {hasFailed: false, peakMebibytes: 0, faults: [/** @type {Error} */ (error).message.slice(-300)]};
  } finally {
    over.abort();
    broker?.close();
    await workplace.clear();
  }
}

/** @param {Pair} pair @param {Workplace} workplace @param {number | undefined} port of the broker */
function wordsFor({server, client, lie}, {path}, port) {
  const claims = lie && Buffer.from(JSON.stringify({[lie.event]: lie.claim})).toString('base64url');
  const command = (/** @type {string} */ fault, /** @type {string} */ role) =>
    `"${process.execPath}" "${program}" "${fault === lying ? `claims ${claims}` : fault}" ${role} "${path}"`;
  const url = `amqp://me:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  return [
    ...[
      '--transport',
      'external',
      '--external',
      `Liar=${command(server, 'server')},${command(client, 'client')}`,
    ],
    ...['--workload', lie?.workload ?? 'rtt', '--rounds', '1', '--samples', String(samples), '--warmup', '5'],
    ...(lie?.workload === 'recordset' ? ['--rows', '8', '--window', '1'] : ['--payload', '1kb']),
    ...[
      '--timeout',
      '500ms',
      ...(port ? ['--broker-kind', 'rabbitmq', '--broker', url, '--delivery-mode', '1'] : []),
    ],
  ];
}

/** @param {Workplace} workplace */
async function cellOf(workplace) {
  const cells = await workplace.cells().catch(() => []);
  return cells.find(({labels}) => labels.facilitator === 'Liar');
}

/** @param {Pair} pair @param {Workplace} workplace @param {Ended} ended @returns {Promise<string[]>} what must not happen */
async function judge(pair, workplace, {code, stdout, stderr}) {
  const record = await cellOf(workplace);
  const left = await workplace.leftoversWithin(8000);
  await workplace.start('battle', ['report']).ended;
  const texts = {terminal: `${stdout}${stderr}`, ...(await filesOf(workplace))};
  const isRow = /\| *Liar/.test(texts['results.md']);
  return [
    ...(mustFail(pair) && record?.outcome !== 'failed' ? [`the cell is ${record?.outcome}`] : []),
    ...(code === (record?.outcome === 'completed' ? 0 : 1)
      ? []
      : [`exit code ${code}: ${stderr.slice(-500)}`]),
    ...(record?.outcome === 'completed' ? impossibleIn(record) : isRow ? ['has a row'] : []),
    ...(/\n +at .*\.js/.test(texts.terminal) ? ['printed a stack'] : []),
    ...(texts['report.html'] === '' ? ['no report'] : []),
    ...Object.entries(texts).flatMap(([name, text]) => [
      ...(text.includes('s3cret') ? [`the password is in ${name}`] : []),
      ...(unsafe.test(text) ? [`control characters are in ${name}`] : []),
    ]),
    ...left.map((one) => `left ${one}`),
  ];
}

/** @param {Workplace} workplace */
async function filesOf(workplace) {
  const names = /** @type {const} */ (['results.md', 'results.ndjson', 'report.html']);
  const texts = await Promise.all(
    names.map((name) => readFile(workplace.file(name), 'utf8').catch(() => '')),
  );
  return /** @type {Record<(typeof names)[number], string>} */ (
    Object.fromEntries(names.map((name, index) => [name, texts[index]]))
  );
}

/** @param {Workplace} workplace @param {AbortSignal} over @returns {Promise<number>} the most that a process had, in MB */
async function watchMemory(workplace, over) {
  let peak = 0;
  while (!over.aborted) {
    for (const {pid} of await workplace.processes()) {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      peak = Math.max(peak, Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024));
    }
    await sleep(200);
  }
  return peak;
}
