import {fileURLToPath} from 'node:url';
import {freePort} from '../integration/support/ports.js';
import {Workplace} from '../integration/support/workplace.js';

/**
 * @import {Part, Torture} from './part.js'
 *
 * @typedef {object} Promised what a page says of the time that a command takes
 * @property {string} title
 * @property {string} [script] the battle's command by default
 * @property {string[]} [words]
 * @property {NodeJS.ProcessEnv} [environment]
 * @property {number} seconds at most, on a host with two cores that is otherwise idle
 * @property {number} [minSeconds] where it is a wait
 * @property {readonly number[]} exitCodes
 */

const echo = fileURLToPath(new URL('../../examples/adapters/python/echo.py', import.meta.url));

/** On a host that runs other tests, a command may take this many times as long. */
const toleranceOfShortForm = 10;

/**
 * What README.md and docs promise of durations, too long for the tests of each change.
 * @type {Part}
 */
export const durations = {
  name: 'durations',
  summary: 'commands whose time the pages promise, on an idle host: does one take longer, or leave anything?',
  run: measureAll,
};

/** @param {Torture} torture */
async function measureAll({isLong, log}) {
  /** @type {Record<string, string>} */
  const counts = {};
  /** @type {string[]} */
  const failures = [];
  for (const promised of isLong ? await all() : [doctor]) {
    const {seconds, faults} = await measure(promised, isLong ? 1 : toleranceOfShortForm);
    counts[promised.title] = `${seconds.toFixed(1)} s, at most ${promised.seconds} s`;
    failures.push(...faults.map((fault) => `${promised.title}: ${fault}`));
    log(`${promised.title}: ${counts[promised.title]}`);
  }
  return {counts, failures};
}

/** docs/how-it-measures.md: about a second. @type {Promised} */
const doctor = {title: 'doctor', words: ['doctor'], seconds: 3, exitCodes: [0, 1]};

/** @returns {Promise<Promised[]>} */
async function all() {
  const nowhere = {PB_SERVER_PORT: String(await freePort())};
  const program = `python3 ${echo}`;
  return [
    doctor,
    // README.md: up to 30 s for its server.
    {
      ...{title: 'tcp-client', script: 'tcp-client', environment: nowhere, exitCodes: [1]},
      ...{minSeconds: 29.5, seconds: 32},
    },
    // docs/adapter-contract.md: some ten seconds.
    {
      ...{
        title: 'check-adapter',
        words: ['check-adapter', '--external', `P=${program} server,${program} client`],
      },
      ...{seconds: 20, exitCodes: [0]},
    },
    // README.md: within a minute, and within five.
    {title: 'perf-battle --quick', words: ['--quick'], seconds: 75, exitCodes: [0]},
    {title: 'perf-battle', words: [], seconds: 300, exitCodes: [0]},
  ];
}

/** @param {Promised} promised @param {number} tolerance */
async function measure(
  {script = 'battle', words = [], environment, seconds, minSeconds = 0, exitCodes},
  tolerance,
) {
  const workplace = await Workplace.make();
  try {
    const began = performance.now();
    const {code, stderr} = await workplace.start(script, words, environment, {patienceMs: 1_200_000}).ended;
    const took = (performance.now() - began) / 1000;
    const left = await workplace.leftovers();
    const isKept = took >= minSeconds && took <= seconds * tolerance;
    const faults = [
      ...(isKept ? [] : [`took ${took.toFixed(1)} s`]),
      ...(exitCodes.includes(Number(code)) ? [] : [`ended with exit code ${code}: ${stderr.slice(-300)}`]),
      ...left.map((one) => `left ${one}`),
    ];
    return {seconds: took, faults};
  } finally {
    await workplace.clear();
  }
}
