import {isDeepStrictEqual} from 'node:util';
import {errorCodes, firstLineOf} from '../errors.js';
import {maxOfKnown} from '../stats/numbers.js';
import {endsItsTarget, faultNamed, targetIn} from './faults.js';
import {classOfWrites, measuredClass, nameOfGuarantee} from './guarantee.js';

/**
 * @import {Account, Conclusion, Evidence, FoundFaults, FoundOfFault, FoundOfRow, NameOf, NotTried, Outcome, Row, Summary} from './found.js'
 * @import {FaultName} from './faults.js'
 */

/** @param {NotTried} one @param {Pick<Row, 'broker' | 'brokerSettings'>} row @returns {boolean} whether the row did not get the fault for this reason */
export function concernsRow({brokers, settings}, {broker, brokerSettings}) {
  if (brokers && (broker === null || !brokers.includes(broker))) return false;
  return settings === undefined || isDeepStrictEqual(settings, brokerSettings);
}

/** @param {Pick<FoundFaults, 'rows'>} found @returns {Conclusion[]} a conclusion for each row */
export function concludeFaults({rows}) {
  const all = rows.map(conclude);
  return all.map((one) => ({...one, sentence: sentenceOn(one, all)}));
}

/** @param {FoundOfRow} found @returns {Omit<Conclusion, 'sentence'>} */
function conclude({row, evidence, faults, error}) {
  // A lost request has no reply, so confirms matter only for stored messages.
  const isConfirmed = row.stores && (evidence?.isConfirmed ?? true);
  const summaries = faults.map((one) => summarize(one, {row, isConfirmed}));
  const common = {row, error, evidence, faults: summaries};
  if (!row.stores && !error) {
    // What a broker does with one-way messages is measured with those of a queue.
    const shown = row.isOneWay ? null : 'not stored';
    return {...common, class: shown, guarantee: shown, isBroken: false};
  }
  // Messages lost by the end of a consumer say nothing about the broker.
  const ofBroker = summaries.filter(({fault}) => !isOfConsumer(fault));
  const outcomesOf = (/** @type {'crash' | 'power cut' | null} */ kind) =>
    ofBroker.filter(({fault}) => faultNamed(fault).kind === kind).map(({outcome}) => outcome);
  const {class: found, isBroken} = measuredClass(evidence && classOfWrites(evidence), {
    crash: outcomesOf('crash')[0] ?? 'not tried',
    powerCut: outcomesOf('power cut')[0] ?? 'not tried',
    isPartlyKept: faults.some((one) => isPartlyKept(one, isConfirmed)),
    others: ofBroker.filter(({fault}) => faultNamed(fault).kind === null).map(({outcome}) => outcome),
  });
  // A failed row has no result, except a promise that was broken before.
  if (error) return {...common, class: null, guarantee: null, isBroken: row.stores && isBroken};
  return {...common, class: found, guarantee: nameOfGuarantee(found, evidence), isBroken};
}

/**
 * After this time, the kernel writes pages of the page cache to the disk (vm.dirty_expire_centisecs,
 * https://docs.kernel.org/admin-guide/sysctl/vm.html). All earlier pages were written before the load began.
 */
const writtenByKernelMs = 30_000;

/**
 * Whether each early power cut left a part of the messages. Only the broker can have flushed these messages, because the kernel had written
 * nothing yet.
 * @param {FoundOfFault} found @param {boolean} isConfirmed
 */
function isPartlyKept({fault, tries, timeline}, isConfirmed) {
  if (!faultNamed(fault).isCut) return false;
  const early = timeline.faults.filter(({fromMs}) => fromMs < writtenByKernelMs);
  const hits = tries
    .slice(0, early.length)
    .flatMap(({atRisk}) => (atRisk ? [countsOf(atRisk, isConfirmed)] : []));
  const shown = hits.filter(({of}) => of > 0);
  return shown.length > 0 && shown.every(({lost, of}) => lost < of);
}

/** @param {Account} account @param {boolean} isConfirmed @returns {{lost: number, of: number}} counts of confirmed messages or, without confirms, of sent messages */
function countsOf({confirmed, confirmedLost, sent, lost}, isConfirmed) {
  return isConfirmed ? {lost: confirmedLost, of: confirmed} : {lost, of: sent};
}

/** @param {FoundOfFault} found @param {{row: FoundOfRow['row'], isConfirmed: boolean}} of @returns {Summary} */
function summarize({fault, isThroughProxy, alarm, tries, timeline}, {row, isConfirmed}) {
  // All requests count, also those sent after the fault. A try without a confirmed message can have lost nothing, so it is omitted.
  const read = tries
    .flatMap(({account, atRisk}) => {
      const hit = row.stores ? atRisk : account;
      return hit === null ? [] : [{...countsOf(hit, isConfirmed), account}];
    })
    .filter(({of}) => of > 0)
    .toSorted((one, other) => other.lost - one.lost);
  const [{lost, of, account} = {lost: null, of: null, account: null}] = read;
  const failed = tries.filter(({unavailable}) => unavailable !== null);
  const outages = tries.flatMap(({outage}) => outage ?? []);
  return {
    fault,
    outcome: outcomeOf(lost, failed.length),
    tries: tries.length,
    lost,
    of,
    account,
    unavailable: failed.length,
    why: failed[0]?.unavailable ?? null,
    outageMs: outages.length === 0 ? null : maxOfKnown(outages, 'ms'),
    outageEnd: outages.length === 0 ? 'none' : outages.some(({ms}) => ms === null) ? 'open' : 'ended',
    restartMs: outages.length === 0 ? null : maxOfKnown(outages, 'restartMs'),
    ...(isThroughProxy && {isThroughProxy}),
    ...(alarm !== undefined && {alarm}),
    found: tries,
    timeline,
  };
}

/** @param {number | null} lost @param {number} unavailable */
function outcomeOf(lost, unavailable) {
  if (lost !== null && lost > 0) return 'lost';
  if (unavailable > 0) return 'unavailable';
  return lost === null ? 'not tried' : 'kept';
}

/** @param {Omit<Conclusion, 'sentence'>} one @param {readonly Omit<Conclusion, 'sentence'>[]} all */
function sentenceOn({row, error, evidence, faults, isBroken, class: found}, all) {
  const broken = isBroken
    ? ['broken promise: it flushed once for each message, and lost confirmed ones']
    : [];
  if (error) return [`failed: ${firstLineOf(error.message).replace(/\.$/, '')}`, ...broken].join('; ');
  if (!row.stores) return sentenceOnOthers(faults, row);
  if (isBroken) return broken[0];
  const ofConsumer = faults.filter(({fault}) => isOfConsumer(fault)).flatMap(sentenceOnConsumer);
  if (found === 'fire and forget')
    return ['nothing is confirmed, so nothing is promised', ...ofConsumer].join('; ');
  const ofBroker = faults.filter(({fault}) => !isOfConsumer(fault));
  const named = (/** @type {Outcome} */ wanted) =>
    ofBroker.filter(({outcome}) => outcome === wanted).map(({fault}) => nameOfKind(fault));
  const [kept, unread] = [named('kept'), named('unavailable')];
  const partly = ofBroker.filter(isPartlyLost);
  const lost = named('lost').filter((name) => partly.every(({fault}) => nameOfKind(fault) !== name));
  const parts = [
    ...(kept.length > 0 ? [`survived ${kept.join(' and ')}`] : []),
    ...(lost.length > 0 ? [`did not survive ${lost.join(' or ')}`] : []),
    ...partly.map((one) => `${nameOfKind(one.fault)} lost ${one.lost} of ${one.of} confirmed messages`),
    ...(unread.length > 0 ? [`could not be read after ${unread.join(' and ')}`] : []),
  ];
  const cost = costOf(evidence, all);
  return [
    ...(parts.length > 0 ? [parts.join(', ')] : ofConsumer.length > 0 ? [] : ['no fault was tried']),
    ...(isAcknowledgedEarly(found, evidence)
      ? ['the broker acknowledges before its disk has the message']
      : []),
    ...ofConsumer,
    ...(cost ? [cost] : []),
  ].join('; ');
}

/** @param {FaultName} fault of a row with a queue */
function isOfConsumer(fault) {
  return targetIn(faultNamed(fault), {stores: true}) === 'consumer';
}

/** @param {Summary} summary */
function sentenceOnConsumer({fault, outcome, found}) {
  if (!endsItsTarget(faultNamed(fault))) return sentenceOnSlowConsumer(outcome);
  if (outcome === 'lost') return ['what its consumer held was lost with it'];
  if (outcome === 'unavailable') return ['its queue could not be read after its consumer was killed'];
  if (outcome !== 'kept') return [];
  const again = found.reduce((sum, {arrival}) => sum + (arrival?.duplicated ?? 0), 0);
  return [
    again === 0
      ? 'its consumer held nothing when it was killed'
      : `what its consumer held was delivered again, ${again} messages`,
  ];
}

/** @param {Outcome} outcome */
function sentenceOnSlowConsumer(outcome) {
  if (outcome === 'kept') return ['kept each message while its consumer was slow'];
  return outcome === 'not tried' ? [] : [`messages were ${outcome} while its consumer was slow`];
}

/** @param {Conclusion['class']} found @param {Evidence | null} evidence */
function isAcknowledgedEarly(found, evidence) {
  return evidence?.flushOrder === 'after' || found === 'in the page cache' || found === 'batched on disk';
}

const ofRequests = {
  ...{all: 'each request was answered', ended: 'requests had a reply', missing: 'requests had no reply'},
  ...{ofRows: 'had a reply to each request', worst: 'worst response time'},
};
const ofOneWay = {
  ...{all: 'each message arrived', ended: 'messages arrived', missing: 'messages did not arrive'},
  ...{ofRows: 'lost no message', worst: 'worst time until arrival'},
};

const ofSubscribers = {
  ...{all: 'each message reached every subscriber', ended: 'messages reached every subscriber'},
  ...{missing: 'messages did not reach every subscriber', ofRows: 'lost no message for any subscriber'},
  worst: 'worst time until the last subscriber',
};

/**
 * How to speak of a row without a queue: of its requests, of its one-way messages, or of its messages to subscribers.
 * @param {Pick<FoundOfRow['row'], 'isOneWay' | 'subscribers'>} row
 */
export function wordsOn({isOneWay, subscribers}) {
  if (subscribers !== undefined) return ofSubscribers;
  return isOneWay ? ofOneWay : ofRequests;
}

/** @param {readonly Summary[]} faults @param {Pick<FoundOfRow['row'], 'isOneWay' | 'subscribers'>} row */
function sentenceOnOthers(faults, row) {
  const words = wordsOn(row);
  const tried = faults.filter(({outcome}) => outcome !== 'not tried');
  const missing = tried.filter(({outcome}) => outcome === 'lost');
  const endless = faults.filter(({outageEnd}) => outageEnd === 'open');
  if (tried.length === 0) return 'no fault was tried';
  return [
    ...(missing.length === 0 ? [words.all] : []),
    ...missing.map(({fault, lost, of}) => `${fault}: ${lost} of ${of} ${words.missing}`),
    ...faults.flatMap(({fault, found}) => {
      const twice = found.reduce((sum, {arrival}) => sum + (arrival?.duplicated ?? 0), 0);
      return twice === 0 ? [] : [`${fault}: ${twice} ${twice === 1 ? 'message' : 'messages'} arrived again`];
    }),
    ...endless.map(({fault}) => `the outage of ${fault} has no end`),
  ].join('; ');
}

/** The count is part of the result: a broker that saves now and then loses a few messages, one that saves nothing loses all. @param {Summary} summary */
function isPartlyLost({outcome, lost, of}) {
  return outcome === 'lost' && lost !== of;
}

/** @param {FaultName} fault */
function nameOfKind(fault) {
  const {kind} = faultNamed(fault);
  if (kind === 'crash') return 'a crash of the broker';
  return kind === 'power cut' ? 'a power cut' : fault;
}

/**
 * Compares the time of a confirm with the shortest time in the table.
 * @param {Evidence | null} evidence @param {readonly Omit<Conclusion, 'sentence'>[]} all
 */
function costOf(evidence, all) {
  const times = all.flatMap((one) => one.evidence?.rttMs ?? []);
  if (evidence === null || evidence.rttMs === null || times.length < 2) return null;
  const ratio = evidence.rttMs / Math.min(...times);
  return ratio < 1.05
    ? 'no confirm of this table is quicker'
    : `a confirm takes ${ratio.toFixed(1)} times as long as the quickest of this table`;
}

/**
 * Returns the exit code of a run of faults, and the sentence that says what decided it.
 * @param {readonly Pick<Conclusion, 'row' | 'isBroken' | 'faults' | 'error'>[]} conclusions @param {NameOf} nameOf
 * @param {readonly FaultName[]} [asked] the faults that a person asked for by name
 * @returns {{code: number, sentence: string | null}} code: 1 if a promise was broken or messages could not be read, otherwise that of a failed
 *   row, otherwise 3 if an asked fault was injected into no row, or 0; sentence: null for 0
 */
export function exitOfFaults(conclusions, nameOf, asked = []) {
  const code = Math.max(0, ...conclusions.map(({error}) => error?.exitCode ?? 0));
  const broken = conclusions.filter(({isBroken}) => isBroken);
  const unread = conclusions.filter(({faults}) => faults.some(({unavailable}) => unavailable > 0));
  const failed = conclusions.filter(({error}) => error?.exitCode === code);
  const because = (/** @type {typeof broken} */ rows, /** @type {string} */ what) =>
    rows.length === 0 ? [] : [`${what} (${rows.map(({row}) => nameOf(row)).join('; ')})`];
  const losses = [
    ...because(broken, 'messages confirmed as stored were lost'),
    ...because(unread, 'messages could not be read after a fault, so losses are unknown'),
  ];
  if (losses.length > 0) return {code: 1, sentence: `Exit code 1: ${losses.join(', and ')}.`};
  if (code !== 0) return {code, sentence: `Exit code ${code}: ${because(failed, 'not measured')}.`};
  const missed = asked.filter((name) =>
    conclusions.every(({faults}) => faults.every(({fault}) => fault !== name)),
  );
  if (missed.length === 0) return {code, sentence: null};
  const missing = errorCodes.PB_UNAVAILABLE.exitCode;
  return {
    code: missing,
    sentence: `Exit code ${missing}: not tried here, although asked for (${missed.join(', ')}).`,
  };
}
