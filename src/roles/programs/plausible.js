import {notAllowed, sentOf} from './contract.js';

/**
 * @import {RunError} from '../../errors.js'
 * @import {Arrived, ClientOptions, ProgramResult} from './contract.js'
 */

/** The largest difference between the clock of a program and the clock of perf-battle. */
const slack = {share: 0.01, ms: 2};
/** No program handles more than one message per nanosecond. */
const maxPerMs = 1e6;

/**
 * Rejects a result that a client program cannot have measured in its time.
 * @param {ProgramResult} result
 * @param {{wallMs: number, sent: number | undefined, options: Pick<ClientOptions, 'window' | 'samples'>}} part wallMs: from `go` until the
 *   measured event; sent: from the measured event
 * @throws {RunError} PB_ADAPTER, with the field and the arithmetic
 */
export function refuseImpossible(result, part) {
  const mistake = mistakesIn(result, part).find(({isWrong}) => isWrong);
  if (mistake) throw impossible('client', mistake);
}

/** @typedef {{isWrong: boolean, field: string, why: string}} Claim */

/** @param {ProgramResult} result @param {Parameters<typeof refuseImpossible>[1]} part @returns {Claim[]} */
function mistakesIn(result, {wallMs, sent: said, options: {window, samples}}) {
  const {durationMs, phases, received = 0, timedOut, corrupted} = result;
  const sent = sentOf(result);
  const [field, sampledMs] = sampledTime(result);
  const roomMs = Math.min(wallMs, received === sent ? (durationMs ?? wallMs) : wallMs);
  const phasesMs = phases ? phases.enqueue.ms + phases.dequeue.ms : 0;
  return [
    {
      isWrong: samples !== null && sent > samples,
      ...{field, why: `there are ${sent}, and ${samples} were asked for`},
    },
    {
      isWrong: sampledMs > window * longest(roomMs),
      field,
      why: `${sent} samples of together ${inMs(sampledMs)} do not fit into ${inMs(roomMs)}, with ${window} in flight`,
    },
    {
      isWrong: durationMs !== undefined && durationMs > longest(wallMs),
      ...{
        field: 'durationMs',
        why: `${inMs(durationMs)} do not fit between go and measured, ${inMs(wallMs)}`,
      },
    },
    {
      isWrong: phasesMs > longest(wallMs),
      ...{field: 'phases', why: `${inMs(phasesMs)} do not fit between go and measured, ${inMs(wallMs)}`},
    },
    ...Object.entries(phases ?? {}).map(([name, {messages, ms}]) => ({
      isWrong: messages > maxPerMs * ms,
      ...{field: `phases.${name}`, why: `${messages} messages do not fit into ${inMs(ms)}`},
    })),
    {
      isWrong: sent > maxPerMs * (durationMs ?? longest(wallMs)),
      ...{field, why: `${sent} messages do not fit into ${inMs(durationMs ?? wallMs)}`},
    },
    {
      isWrong: said !== undefined && result.sent !== undefined && said !== result.sent,
      ...{field: 'sent', why: `it is ${result.sent}, and was ${said} in the measured event`},
    },
    {
      isWrong: timedOut > sent - received,
      ...{
        field: 'timedOut',
        why: `${timedOut} requests timed out, but ${sent - received} of ${sent} had no reply`,
      },
    },
    {
      isWrong: corrupted > received,
      ...{field: 'corrupted', why: `${corrupted} of ${received} replies cannot have wrong content`},
    },
  ];
}

/**
 * Rejects a report of more than a server program can have received since the last mark.
 * @param {{served: number, arrived?: Arrived | undefined}} marked
 * @param {number} sinceMarkMs time since the request for the previous mark
 * @throws {RunError} PB_ADAPTER
 */
export function refuseImpossibleMark({served, arrived}, sinceMarkMs) {
  const why = `do not fit into ${inMs(sinceMarkMs)} since the last mark`;
  /** @type {Claim[]} */
  const claims = [
    {isWrong: served > maxPerMs * longest(sinceMarkMs), field: 'served', why: `${served} requests ${why}`},
  ];
  if (arrived)
    claims.push({
      isWrong: arrived.sinceFirstMs > longest(sinceMarkMs),
      ...{field: 'arrived.sinceFirstMs', why: `${inMs(arrived.sinceFirstMs)} ${why}`},
    });
  const mistake = claims.find(({isWrong}) => isWrong);
  if (mistake) throw impossible('server', mistake);
}

/** @param {ProgramResult} result @returns {[field: string, ms: number]} the sum of the samples */
function sampledTime({samplesNs, encoded, cache, phases}) {
  if (samplesNs) return ['samplesNs', sumMs(samplesNs)];
  if (encoded) return ['encoded', encoded.meanMs * encoded.samples];
  if (cache) return ['cache', sumMs(cache.hitsNs) + sumMs(cache.missesNs)];
  return [phases ? 'phases' : 'sent', 0];
}

/** @param {readonly number[]} samplesNs */
function sumMs(samplesNs) {
  return samplesNs.reduce((sum, sample) => sum + sample, 0) / 1e6;
}

/** @param {number} ms by perf-battle's clock @returns {number} by any other clock */
function longest(ms) {
  return ms * (1 + slack.share) + slack.ms;
}

/** @param {number | undefined} ms */
function inMs(ms = 0) {
  return `${Number(ms.toPrecision(6))} ms`;
}

/** @param {string} role @param {Claim} claim */
function impossible(role, {field, why}) {
  return notAllowed(`The program of the ${role} claims what cannot be true: ${field}: ${why}.`);
}
