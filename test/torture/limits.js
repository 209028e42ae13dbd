import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {Workplace} from '../integration/support/workplace.js';

/** @import {Part, Torture} from './part.js' */

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../bin/perf-battle.js', import.meta.url));
/** A command that takes longer has a part whose time grows faster than its input: it takes a few seconds. */
const patienceMs = 60_000;

/** @type {[what: string, words: (count: number) => string[]][]} */
const lists = [
  ['payload sizes', (count) => ['--payload', numbers(count)]],
  [
    'repeated sizes',
    (count) => [
      '--transport',
      'http',
      ...numbers(count)
        .split(',')
        .flatMap((one) => ['--payload', one]),
    ],
  ],
  ['rates', (count) => ['--transport', 'http', '--payload', '1kb', '--rate', numbers(count)]],
  [
    'windows',
    (count) => [
      '--transport',
      'websocket',
      '--payload',
      '1kb',
      '--workload',
      'pipeline',
      '--window',
      numbers(count),
    ],
  ],
];

/**
 * What a host or a person sets at its limit is either taken or refused in a sentence.
 * @type {Part}
 */
export const limits = {
  name: 'limits',
  summary: 'few open files, and lists of thousands of values: one sentence or a plan in seconds?',
  run: tryLimits,
};

/** @param {Torture} torture */
async function tryLimits({isLong, log}) {
  const workplace = await Workplace.make();
  /** @type {string[]} */
  const failures = [];
  const count = isLong ? 10_000 : 4000;
  const counts = {'limits of open files': 0, 'long lists': 0};
  try {
    for (const limit of isLong ? [24, 32, 40, 50, 64, 80, 100, 128, 200, 255] : [24, 64]) {
      counts['limits of open files'] += 1;
      const {code, stderr} = await withLimit(limit, ['--dry-run'], workplace.path);
      const isClear =
        code === 2 && stderr.includes(`may have ${limit} files open`) && !/\n\s+at /.test(stderr);
      if (!isClear) failures.push(`ulimit -n ${limit}: exit code ${code}, ${stderr}`);
    }
    for (const [what, words] of isLong ? lists : lists.slice(0, 1)) {
      counts['long lists'] += 1;
      const since = performance.now();
      const {code, stderr} = await withLimit(4096, ['--dry-run', ...words(count)], workplace.path);
      log(`${count} ${what}: ${Math.round(performance.now() - since)} ms`);
      if (code !== 0) failures.push(`${count} ${what}: exit code ${code}, ${stderr}`);
    }
  } finally {
    await workplace.clear();
  }
  return {counts, failures};
}

/** @param {number} limit of open files @param {string[]} words @param {string} cwd */
async function withLimit(limit, words, cwd) {
  const command = [
    '-c',
    'ulimit -n "$1" && shift && exec "$@"',
    'sh',
    String(limit),
    process.execPath,
    program,
    ...words,
  ];
  return await run('sh', command, {cwd, timeout: patienceMs, maxBuffer: 2 ** 26}).then(
    ({stderr}) => ({code: 0, stderr}),
    ({code, stderr}) => ({code: code ?? 'none in time', stderr}),
  );
}

/** @param {number} count */
function numbers(count) {
  return Array.from({length: count}, (_, index) => index + 1).join(',');
}
