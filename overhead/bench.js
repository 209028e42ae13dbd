import {parseArgs} from 'node:util';
import {brokerKindNamed} from '../src/brokers/index.js';
import {provisionBroker} from '../src/brokers/provision.js';
import {allowedCores} from '../src/measure/cores.js';
import {pollingOf} from '../src/measure/polling.js';
import {duration, share} from '../src/options/types.js';
import {defaultParts, parts} from './index.js';
import {formatDuration, formatHead, formatRow, outcomeOf} from './report.js';
import {kindNames} from './verdict/battles.js';

/**
 * @import {Broker, BrokerSettings} from '../src/brokers/kind.js'
 * @import {OptionType} from '../src/options/contract.js'
 * @import {Bench} from './part.js'
 */
/** Measures the cost of the harness itself, and judges each bound by the interval of its figure. */

/** 1: a bound fails; 2: wrong usage, or a run failed; 3: a bound is inconclusive, and none fails. */
const exitCodes = {holds: 0, fails: 1, error: 2, inconclusive: 3};

const options = /** @type {const} */ ({
  only: {type: 'string'},
  matching: {type: 'string', default: ''},
  precision: {type: 'string', default: '3%'},
  budget: {type: 'string', default: '90s'},
  pairs: {type: 'string'},
  length: {type: 'string', default: '100%'},
  battles: {type: 'string', default: '0'},
  kinds: {type: 'string', default: kindNames.join()},
  folder: {type: 'string', default: 'bench-battles'},
  options: {type: 'string', default: ''},
  help: {type: 'boolean'},
});

const help = `Usage: npm run bench -- [options]

  --only LIST       parts, by name; default: those that need nothing special
  --matching TEXT   of round-trips, the comparisons whose name has this text, such as '1000 KB'
  --precision SHARE a comparison ends when the half-width of its interval is at most this; default 3%
  --budget TIME     or when it has taken this long; default 90s
  --pairs N         in place of both: exactly N pairs for each comparison
  --length SHARE    of the usual length of each run; default 100%
  --battles N       real battles for the part that judges verdicts: N idle, N with a load, N of the same; default 0
  --kinds LIST      of them, which to run; those of other kinds that the folder has count, too; default all
  --folder PATH     keeps them, so that the next run continues; default bench-battles
  --options=OPTIONS of every battle, for example --options=--quick
  --help

Parts:
${parts.map(({name, title, needs}) => `  ${name.padEnd(12)} ${title}${needs ? `; needs ${needs}` : ''}`).join('\n')}

Exit codes: 0 all bounds hold; 1 one fails; 2 an error; 3 none fails, but one is inconclusive.
`;

const {chosen, ...settings} = readCommandLine();
const life = new AbortController();
/** @type {Map<string, Broker>} by kind */
const brokers = new Map();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => life.abort(new Error(`interrupted by ${signal}`)));

try {
  process.exitCode = exitCodes[await runBench()];
} catch (error) {
  const reason = life.signal.aborted ? life.signal.reason.message : /** @type {Error} */ (error).stack;
  process.stderr.write(`\nbench: ${reason}\n`);
  process.exitCode = life.signal.aborted ? 130 : exitCodes.error;
} finally {
  for (const broker of brokers.values()) await broker.release();
}

/** @returns {Promise<'holds' | 'fails' | 'inconclusive'>} the outcome of all bounds together */
async function runBench() {
  const startedAt = performance.now();
  /** @type {Bench} */
  const bench = {...settings, signal: life.signal, log, onRun, brokerOf};
  const outcomes = new Set();
  // A client of perf-battle lets idle cores poll, and a bare loop does not: both sides get the same cores.
  const setPolling = await pollingOf(allowedCores());
  setPolling?.(true);
  console.log(formatHead(setPolling !== null));
  for (const {name, title, measure} of chosen) {
    console.log(`${name}: ${title}`);
    for await (const row of measure(bench)) {
      console.log(formatRow(row));
      outcomes.add(outcomeOf(row));
    }
  }
  console.log(formatDuration(performance.now() - startedAt));
  if (outcomes.has('fails')) return 'fails';
  return outcomes.has('inconclusive') ? 'inconclusive' : 'holds';
}

/** @param {string} kind @param {BrokerSettings} settings */
async function brokerOf(kind, settings) {
  const request = {choice: /** @type {const} */ ('private'), given: null, log, signal: life.signal};
  const key = JSON.stringify([kind, settings]);
  const broker = brokers.get(key) ?? (await provisionBroker(brokerKindNamed(kind), {...request, settings}));
  brokers.set(key, broker);
  return broker;
}

function readCommandLine() {
  const values = orRefuse(() => parseArgs({options})).values;
  if (values.help) {
    process.stdout.write(help);
    process.exit(0);
  }
  return {
    chosen: values.only === undefined ? defaultParts : values.only.split(',').map(partNamed),
    matching: values.matching,
    extent: {
      pairs: values.pairs === undefined ? null : readCount('pairs', values.pairs, 1),
      precision: read('precision', values.precision, share({minimum: 0.001, maximum: 1})),
      budgetMs: read('budget', values.budget, duration({minimumMs: 1000, maximumMs: 24 * 3_600_000})),
    },
    battles: {
      count: readCount('battles', values.battles, 0),
      kinds: values.kinds.split(',').map(kindNamed),
      folder: values.folder,
      options: values.options.split(' ').filter(Boolean),
    },
    length: read('length', values.length, share({minimum: 0.0001, maximum: 10})),
  };
}

/** @param {string} name */
function partNamed(name) {
  const part = parts.find((candidate) => candidate.name === name);
  if (part) return part;
  return refuse(`--only must be a list of ${parts.map((one) => one.name).join(', ')}; it has "${name}".`);
}

/** @param {string} name */
function kindNamed(name) {
  const kind = kindNames.find((candidate) => candidate === name);
  return kind ?? refuse(`--kinds must be a list of ${kindNames.join(', ')}; it has "${name}".`);
}

/** @param {string} name @param {string} text @param {number} least */
function readCount(name, text, least) {
  const count = Number(text);
  return text.trim() !== '' && Number.isInteger(count) && count >= least
    ? count
    : refuse(`--${name} must be an integer of at least ${least}; it is ${text}.`);
}

/** @template Value @param {string} name @param {string} text @param {OptionType<Value>} type */
function read(name, text, type) {
  return orRefuse(() => type.parse(text)) ?? refuse(`--${name} must be ${type.allowed}; it is ${text}.`);
}

/** @template Value @param {() => Value} parse */
function orRefuse(parse) {
  try {
    return parse();
  } catch (error) {
    return refuse(/** @type {Error} */ (error).message);
  }
}

/** @param {string} message @returns {never} */
function refuse(message) {
  process.stderr.write(`bench: ${message}\n`);
  process.exit(exitCodes.error);
}

/** @param {string} line */
function log(line) {
  process.stderr.write(`${line}\n`);
}

/** @param {string} what @param {number} run */
function onRun(what, run) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what}: ${run + 1}\r`);
  else if (run === 0) log(what);
}
