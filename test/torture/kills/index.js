import {randomSource} from '../../../src/payload/random.js';
import {attack} from './attack.js';
import {targets} from './targets.js';

/**
 * @import {Part, Torture} from '../part.js'
 * @import {Attack, Outcome} from './attack.js'
 */

const longKills = 200;
/** One of each kind. */
const shortKills = targets.length + 1;

/** A battle of the long form takes about this long; a private RabbitMQ node needs some seconds more to start. */
const battleMs = 5000;
/** The battles of the short form compare one transport less. No kill may come too late: the attack would be repeated. */
const shortBattleMs = 2000;
const rabbitmqStartMs = 4000;
/** Every so many attacks use RabbitMQ, whose node is slow to start. */
const rabbitmqEvery = 8;

const several = 'several at once';

/**
 * No process outlives its battle, the journal stays readable, and what was stored stays stored, whatever is killed and when.
 * @type {Part}
 */
export const kills = {
  name: 'kills',
  summary: `${longKills} SIGKILLs at random moments: a role, the battle, its broker's supervisor, the broker, several at once`,
  run: killAll,
};

/** @param {Torture} torture */
async function killAll({isLong, seed, count = longKills, log}) {
  const random = randomSource(seed, 'kills');
  const byTarget = Object.fromEntries([...targets, several].map((name) => [`kills of ${name}`, 0]));
  const found = {'battles that went on': 0, orphans: 0, 'torn lines': 0, 'lost records': 0};
  /** @type {string[]} */
  const failures = [];
  const wanted = isLong ? count : shortKills;
  let done = 0;
  for (let index = 0; done < wanted; index += 1) {
    const planned = plan(index, random, isLong);
    const name = `attack ${index} on ${planned.targets.join(' and ')} after ${planned.afterMs} ms, ${planned.transports}, seed ${seed}`;
    try {
      const outcome = await attack(planned);
      if (outcome.killed.length === 0) continue;
      byTarget[`kills of ${outcome.killed.length > 1 ? several : outcome.killed[0]}`] += 1;
      found['battles that went on'] += Number(outcome.resumed);
      found.orphans += outcome.orphans.length;
      found['torn lines'] += outcome.tornLines;
      found['lost records'] += outcome.lost.length;
      failures.push(...wrongIn(outcome).map((what) => `${name}: ${what}`));
    } catch (error) {
      failures.push(`${name}: ${error}`);
    }
    done += 1;
    if (done % 10 === 0) log(`${done} of ${wanted}, ${failures.length} failures`);
  }
  return {counts: {kills: done, ...byTarget, ...found}, failures};
}

/** @param {Outcome} outcome */
function wrongIn({orphans, tornLines, lost}) {
  return [
    ...orphans.map((command) => `orphan: ${command}`),
    ...(tornLines > 0 ? [`${tornLines} torn lines`] : []),
    ...lost,
  ];
}

/**
 * @param {number} index
 * @param {() => number} random
 * @param {boolean} isLong
 * @returns {Attack} each target in turn, then several at once
 */
function plan(index, random, isLong) {
  const turn = index % (targets.length + 1);
  // In the short form none: test/integration/ending/killed.test.js kills battles with a private node.
  const broker = isLong && index % rabbitmqEvery === rabbitmqEvery - 1 ? 'rabbitmq' : 'nats';
  const spanMs = (isLong ? battleMs : shortBattleMs) + (broker === 'rabbitmq' ? rabbitmqStartMs : 0);
  const shuffled = targets
    .map((target) => ({target, rank: random()}))
    .toSorted((one, other) => one.rank - other.rank);
  const together = shuffled
    .map(({target}) => target)
    .slice(0, 2 + Math.floor(random() * (targets.length - 1)));
  return {
    targets: turn < targets.length ? [targets[turn]] : together,
    afterMs: Math.round(random() * spanMs),
    transports: isLong ? `websocket,${broker}` : broker,
    seed: Math.floor(random() * 1e9),
  };
}
