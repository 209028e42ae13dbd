import {faultNamed} from './faults.js';
import {classOfWrites, measuredClass} from './guarantee.js';

/**
 * @import {FaultName} from './faults.js'
 * @import {Evidence, GuaranteeClass, Outcome} from './guarantee.js'
 * @import {FoundFaults, FoundOfFault, FoundOfRow, Try} from './found.js'
 * @import {Timeline} from './timeline.js'
 */

/**
 * What the tries of a fault showed together.
 * @typedef {object} Summary
 * @property {FaultName} fault
 * @property {Outcome} outcome for messages that were confirmed; without confirms for those that were sent
 * @property {number} tries how often it was done
 * @property {number | null} lost the most messages that one try lost of those confirmed, or sent; null where none could be read
 * @property {number | null} of how many were confirmed, or sent, in that try
 * @property {number} unavailable how often the messages could not be read
 * @property {string | null} why they could not
 * @property {number | null} outageMs the median outage; null where there was none, or it did not end
 * @property {number | null} restartMs its part until what was hit was there again
 * @property {Timeline} timeline
 *
 * @typedef {object} Conclusion
 * @property {FoundOfRow['row']} row
 * @property {FoundOfRow['error']} error
 * @property {Evidence | null} evidence
 * @property {GuaranteeClass | null} class null: it was not shown
 * @property {boolean} isBroken whether confirmed messages were lost that the writes of the broker promised to keep
 * @property {Summary[]} faults
 * @property {string} sentence
 */

/**
 * @param {Pick<FoundFaults, 'rows'>} found
 * @returns {Conclusion[]} of each row
 */
export function concludeFaults({rows}) {
  const all = rows.map(conclude);
  return all.map((one) => ({...one, sentence: sentenceOn(one, all)}));
}

/** @param {FoundOfRow} found @returns {Omit<Conclusion, 'sentence'>} */
function conclude({row, evidence, faults, error}) {
  // The reply of a request that was lost is what its sender misses.
  const isConfirmed = row.stores && (evidence?.isConfirmed ?? true);
  const summaries = faults.map((one) => summarize(one, {row, isConfirmed}));
  if (!row.stores) return {row, error, evidence, class: 'not stored', isBroken: false, faults: summaries};
  const outcomeOf = (/** @type {'crash' | 'power cut'} */ kind) =>
    summaries.find(({fault}) => faultNamed(fault).kind === kind)?.outcome ?? 'not tried';
  const ofWrites = evidence && classOfWrites(evidence, row);
  const {class: found, isBroken} = measuredClass(ofWrites, {
    crash: outcomeOf('crash'),
    powerCut: outcomeOf('power cut'),
  });
  return {row, error, evidence, class: found, isBroken, faults: summaries};
}

/** @param {FoundOfFault} found @param {{row: FoundOfRow['row'], isConfirmed: boolean}} of @returns {Summary} */
function summarize({fault, tries, timeline}, {row, isConfirmed}) {
  // Each request is answered for itself, whenever it was sent.
  const read = tries.flatMap(({account, atRisk}) => (row.stores ? atRisk : account) ?? []);
  const lostIn = (/** @type {NonNullable<Try['account']>} */ account) =>
    isConfirmed ? account.confirmedLost : account.lost;
  const worst = read.toSorted((one, other) => lostIn(other) - lostIn(one))[0];
  const failed = tries.filter(({unavailable}) => unavailable !== null);
  const outages = tries.flatMap(({outage}) => outage ?? []);
  return {
    fault,
    outcome: outcomeOf(worst ? lostIn(worst) : null, failed.length),
    tries: tries.length,
    lost: worst ? lostIn(worst) : null,
    of: worst ? (isConfirmed ? worst.confirmed : worst.sent) : null,
    unavailable: failed.length,
    why: failed[0]?.unavailable ?? null,
    outageMs: outages.some(({ms}) => ms === null) ? null : medianOf(outages.map(({ms}) => Number(ms))),
    restartMs: medianOf(outages.map(({restartMs}) => restartMs)),
    timeline,
  };
}

/** @param {number | null} lost @param {number} unavailable @returns {Outcome} */
function outcomeOf(lost, unavailable) {
  if (unavailable > 0) return 'unavailable';
  if (lost === null) return 'not tried';
  return lost > 0 ? 'lost' : 'kept';
}

/** @param {readonly number[]} values */
function medianOf(values) {
  return values.length === 0 ? null : values.toSorted((one, other) => one - other)[values.length >> 1];
}

/**
 * What the setting is worth and what it costs.
 * @param {Omit<Conclusion, 'sentence'>} one
 * @param {readonly Omit<Conclusion, 'sentence'>[]} all
 */
function sentenceOn({row, error, evidence, faults, isBroken, class: found}, all) {
  if (error) return `failed: ${error.message.split('\n')[0].replace(/\.$/, '')}`;
  if (!row.stores) return sentenceOnRequests(faults);
  if (isBroken)
    return 'broken promise: it wrote each message before it confirmed it, and lost confirmed ones';
  if (found === 'fire and forget') return 'nothing is confirmed, so nothing is promised';
  const tried = faults.filter(
    ({fault, outcome}) => faultNamed(fault).kind !== null && outcome !== 'not tried',
  );
  const kept = tried.filter(({outcome}) => outcome === 'kept').map(({fault}) => nameOfKind(fault));
  const lost = tried.filter(({outcome}) => outcome !== 'kept').map(({fault}) => nameOfKind(fault));
  const parts = [
    ...(kept.length > 0 ? [`survived ${kept.join(' and ')}`] : []),
    ...(lost.length > 0 ? [`did not survive ${lost.join(' or ')}`] : []),
  ];
  const cost = costOf(evidence, all);
  return [parts.join(', ') || 'no fault was tried', ...(cost ? [cost] : [])].join('; ');
}

/** @param {readonly Summary[]} faults */
function sentenceOnRequests(faults) {
  const unanswered = faults.filter(({lost}) => lost !== null && lost > 0);
  if (faults.length === 0) return 'no fault was tried';
  if (unanswered.length === 0) return 'each request was answered';
  return unanswered.map(({fault, lost, of}) => `${fault}: ${lost} of ${of} requests had no reply`).join('; ');
}

/** @param {FaultName} fault */
function nameOfKind(fault) {
  return faultNamed(fault).kind === 'crash' ? 'a crash of the broker' : 'a power cut';
}

/**
 * What a confirm costs, beside the quickest one.
 * @param {Evidence | null} evidence
 * @param {readonly Omit<Conclusion, 'sentence'>[]} all
 */
function costOf(evidence, all) {
  const times = all.flatMap((one) => one.evidence?.rttMs ?? []);
  if (evidence === null || evidence.rttMs === null || times.length < 2) return null;
  const least = Math.min(...times);
  const ratio = evidence.rttMs / least;
  return ratio < 1.05
    ? 'no confirm of this table is quicker'
    : `a confirm takes ${ratio.toFixed(1)} times as long as the quickest of this table`;
}

/**
 * Whether a confirmed message was lost that was promised to be kept.
 * @param {readonly Pick<Conclusion, 'isBroken'>[]} conclusions
 */
export function isPromiseBroken(conclusions) {
  return conclusions.some(({isBroken}) => isBroken);
}
