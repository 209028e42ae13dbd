import {completedRecord} from '../exports/completed-record.js';

const steady = [1, 1.01, 0.99, 1.005, 0.995];

/**
 * A record whose trials have these means.
 * @param {string} battleId
 * @param {number} meanMs
 * @param {Record<string, any>} [fields]
 * @returns {any}
 */
export function record(battleId, meanMs, {labels = {}, shape = steady, ...fields} = {}) {
  const means = shape.map((/** @type {number} */ factor) => factor * meanMs);
  return completedRecord({
    id: `${battleId}-${Math.random()}`,
    battleId,
    transport: 'http',
    labels: {facilitator: 'HTTP', qualifier: null, settings: [], persistent: '*N/A*', ...labels},
    comparedBy: 'latency',
    variant: {keepAlive: true},
    hosts: {client: 'localhost', server: 'localhost', broker: null},
    trials: means.map((/** @type {number} */ mean, /** @type {number} */ index) => ({
      round: index + 1,
      meanMs: mean,
      messagesPerSecond: 1000 / mean,
      used: true,
    })),
    verdict: {status: 'valid', warnings: []},
    ...fields,
  });
}

/** @param {string} battleId @param {number} meanMs @param {Record<string, any>} [fields] */
export function floor(battleId, meanMs, fields = {}) {
  return record(battleId, meanMs, {transport: 'tcp', variant: {}, labels: {facilitator: 'TCP'}, ...fields});
}
